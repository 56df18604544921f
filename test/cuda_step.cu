// Whole steps of scenes on a card through the backend's table alone, against the processor's
// answer, bit for bit, and their times.
//
//     cuda_step [--quick] [--third] [--scale EXPONENT] [--limit BYTES] [--groups] [--standing]
//               [--copies N [--overlay]] [--separation LENGTH] [--relative SHARE] [--repeats N]
//               SCENES_FOLDER NAME...
//
// --quick: each question once, for a sanitizer. --third: coordinates divided by 3. --scale: times a
// power of two. --limit: of the card's memory. --groups: vertices in groups of the filter.
// --copies: the scene so many times, beside each other or, with --overlay, in nearly one place.
// --separation, --relative: how close pairs may come. --standing: nothing moves, so that there are
// very many contacts at the start.

#include "device/backend.h"
#include "toi/io.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <string>
#include <vector>

extern "C" const toi_backend *toi_backend_of_cuda(uint32_t version);

static struct options
{
    bool quick, third, groups, standing, overlay;
    int scale, repeats = 20, copies = 1;
    int64_t limit;
    double separation, relative;
    std::string folder;
} options;

static const toi_backend *backend;
static int wrong;

static double now()
{
    auto since = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration<double, std::micro>(since).count();
}

static void must(toi_status status, const char *what, const char *why)
{
    if (status == TOI_OK)
        return;
    printf("FAIL: %s: %s\n", what, why);
    exit(1);
}

static void must_cuda(cudaError_t error, const char *what)
{
    must(error == cudaSuccess ? TOI_OK : TOI_ERROR_UNSUPPORTED, what, cudaGetErrorString(error));
}

// ---- Scenes

struct scene
{
    std::vector<double> start, end;
    std::vector<int32_t> faces, groups;
    toi_edge_array edges;
    toi_mesh mesh;
    toi_ccd_def def;
    toi_impact_array impacts; // the processor's answer
    toi_ccd_report report;
};

static void change(std::vector<double> &x)
{
    for (double &y : x)
        y = ldexp(options.third ? y / 3 : y, options.scale);
}

// Copies of the scene beside each other, or all but in the same place.
static void copy(scene *s, int64_t points)
{
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < s->start.size(); i += 3) {
        low = std::min(low, std::min(s->start[i], s->end[i]));
        high = std::max(high, std::max(s->start[i], s->end[i]));
    }
    std::vector<double> start = s->start, end = s->end;
    std::vector<int32_t> faces = s->faces;
    for (int n = 1; n < options.copies; ++n) {
        double step = (high - low) * (options.overlay ? 0.0037 : 1.05) * n;
        for (size_t i = 0; i < start.size(); ++i) {
            double by = options.overlay ? step * (i % 3 == 0   ? 1
                                                  : i % 3 == 1 ? 0.731
                                                               : 0.417)
                                        : (i % 3 == 0 ? step : 0);
            s->start.push_back(start[i] + by);
            s->end.push_back(end[i] + by);
        }
        for (int32_t v : faces)
            s->faces.push_back(v + (int32_t)(n * points));
    }
}

static void load(const std::string &name, scene *s)
{
    toi_mesh_file start, end;
    std::string at = options.folder + "/" + name;
    must(toi_read_frames((at + "/start.ply").c_str(), (at + "/end.ply").c_str(), &start, &end),
         name.c_str(), toi_last_message());
    s->start.assign(&start.points[0][0], &start.points[0][0] + 3 * start.point_count);
    s->end.assign(&end.points[0][0], &end.points[0][0] + 3 * end.point_count);
    s->faces.assign(&start.faces[0][0], &start.faces[0][0] + 3 * start.face_count);
    if (options.standing)
        s->end = s->start;
    copy(s, start.point_count);
    int64_t points = (int64_t)s->start.size() / 3;
    change(s->start);
    change(s->end);
    s->mesh = toi_make_mesh(s->start.data(), s->end.data(), points, s->faces.data(),
                            (int64_t)s->faces.size() / 3);
    toi_index_view none = {NULL, 0, 0};
    s->edges = {NULL, 0};
    must(toi_make_edges(s->mesh.faces, none, points, &s->edges), "edges", toi_last_message());
    s->mesh.edges = toi_view_edges(&s->edges);
    s->def = toi_default_ccd_def();
    s->def.narrow.min_separation = options.separation;
    s->def.zero_time.relative_separation = options.relative;
    if (options.groups) {
        for (int64_t i = 0; i < points; ++i)
            s->groups.push_back((int32_t)(i / 1000) - 1);
        s->def.filter.groups = s->groups.data();
        s->def.filter.group_count = points;
    }
    s->impacts = {NULL, 0, 0};
    must(toi_find_impacts(&s->def, &s->mesh, &s->impacts, &s->report), "the processor's answer",
         toi_last_message());
    toi_free_mesh_file(&start);
    toi_free_mesh_file(&end);
}

static void unload(scene *s)
{
    toi_free_edges(&s->edges);
    toi_free_impacts(&s->impacts);
}

// ---- Questions

struct asked
{
    toi_card_answer answer;
    double microseconds;
    int64_t hard_hits;
};

// Hard pairs by the processor, as impacts.
static std::vector<toi_impact> solve_hard(const scene *s, const toi_card_answer *answer,
                                          double t_max)
{
    std::vector<toi_impact> found;
    for (int kind = 0; kind < TOI_PAIR_KINDS; ++kind) {
        std::vector<toi_query> queries;
        std::vector<toi_pair_name> names;
        for (int64_t i = 0; i < answer->hard_count; ++i)
            if (answer->hard[i].kind == kind) {
                toi_pair pair = {answer->hard[i].a, answer->hard[i].b};
                names.push_back(answer->hard[i]);
                queries.push_back(toi_gather_query(&s->mesh, (toi_kind)kind, pair));
            }
        std::vector<toi_query_result> results(queries.size());
        toi_narrow_def def = toi_default_narrow_def();
        def.t_max = t_max;
        if (!queries.empty())
            must(toi_solve_queries(&def, (toi_kind)kind, queries.data(), (int64_t)queries.size(),
                                   results.data()),
                 "hard pairs", toi_last_message());
        for (size_t i = 0; i < results.size(); ++i)
            if (results[i].state != TOI_SEPARATED) {
                const toi_query_result &r = results[i];
                found.push_back({kind,
                                 names[i].a,
                                 names[i].b,
                                 r.state,
                                 r.time,
                                 r.u,
                                 r.v,
                                 {r.normal[0], r.normal[1], r.normal[2]}});
            }
    }
    return found;
}

// The same with separations, which the processor's answer has already.
static std::vector<toi_impact> look_up_hard(const scene *s, const toi_card_answer *answer)
{
    std::vector<toi_impact> found;
    auto before = [](const toi_impact &x, const toi_impact &y) {
        if (x.kind != y.kind)
            return x.kind < y.kind;
        return x.a != y.a ? x.a < y.a : x.b < y.b;
    };
    const toi_impact *list = s->impacts.data, *end = list + s->impacts.count;
    for (int64_t i = 0; i < answer->hard_count; ++i) {
        toi_impact wanted = {
            answer->hard[i].kind, answer->hard[i].a, answer->hard[i].b, 0, 0, 0, 0, {0, 0, 0}};
        const toi_impact *at = std::lower_bound(list, end, wanted, before);
        if (at < end && !before(wanted, *at))
            found.push_back(*at);
    }
    std::sort(found.begin(), found.end(), before);
    return found;
}

static asked ask(const scene *s, void *mesh, toi_card_question question)
{
    asked a;
    toi_complaint complaint;
    double began = now();
    must(backend->find(mesh, &question, &a.answer, &complaint), "find", complaint.text);
    if (a.answer.infinite)
        must(TOI_ERROR_DATA, "find", "coordinates are said not to be finite");
    a.hard_hits = 0;
    if (a.answer.hard_count > 0) {
        bool apart = options.separation > 0 || options.relative > 0;
        std::vector<toi_impact> found =
            apart ? look_up_hard(s, &a.answer) : solve_hard(s, &a.answer, question.t_max);
        a.hard_hits = (int64_t)found.size();
        must(backend->merge(mesh, found.data(), (int64_t)found.size(), &a.answer, &complaint),
             "merge", complaint.text);
    }
    a.microseconds = now() - began;
    return a;
}

// ---- Comparisons

static void note(bool right, const char *what)
{
    wrong += !right;
    if (!right)
        printf("    WRONG: %s\n", what);
}

static void compare_list(const scene *s, const asked *a, toi_residence residence, const char *what)
{
    std::vector<toi_impact> list((size_t)a->answer.count);
    if (residence == TOI_ON_DEVICE)
        must_cuda(cudaMemcpy(list.data(), a->answer.impacts, list.size() * sizeof(toi_impact),
                             cudaMemcpyDeviceToHost),
                  "impacts on the card");
    else
        memcpy((void *)list.data(), a->answer.impacts, list.size() * sizeof(toi_impact));
    int64_t differ = 0, shown = 0;
    for (int64_t i = 0; i < std::min(a->answer.count, s->impacts.count); ++i) {
        const toi_impact *x = &list[(size_t)i], *y = &s->impacts.data[i];
        if (memcmp(x, y, sizeof *x) == 0)
            continue;
        ++differ;
        if (shown++ < 3)
            printf("    %lld: %d %d %d %a (%a %a) n %a %a %a\n    not %d %d %d %a (%a %a) n %a %a "
                   "%a\n",
                   (long long)i, x->kind, x->a, x->b, x->time, x->u, x->v, x->normal[0],
                   x->normal[1], x->normal[2], y->kind, y->a, y->b, y->time, y->u, y->v,
                   y->normal[0], y->normal[1], y->normal[2]);
    }
    if (differ || a->answer.count != s->impacts.count)
        printf("    %lld impacts, not %lld; %lld differ\n", (long long)a->answer.count,
               (long long)s->impacts.count, (long long)differ);
    note(differ == 0 && a->answer.count == s->impacts.count, what);
    if (s->impacts.count > 0)
        note(memcmp(&a->answer.earliest, &s->report.earliest, sizeof(toi_impact)) == 0,
             "the earliest of all");
}

static void compare_earliest(const scene *s, const asked *a)
{
    const toi_impact *x = &a->answer.earliest, *y = &s->report.earliest;
    bool none = s->impacts.count == 0;
    bool right = none ? !std::isfinite(x->time) : memcmp(x, y, sizeof *x) == 0;
    if (!right)
        printf("    %d %d %d %a, not %d %d %d %a\n", x->kind, x->a, x->b, x->time, y->kind, y->a,
               y->b, y->time);
    note(right, "earliest");
}

static double median(std::vector<double> &x)
{
    std::sort(x.begin(), x.end());
    return x[x.size() / 2];
}

static void print_stages(const toi_device_report *r)
{
    double sum = 0;
    printf("    ");
    for (int i = 0; i < r->stage_count; ++i) {
        printf(" %s %.1f", r->stage_names[i], 1e6 * r->stage_seconds[i]);
        sum += 1e6 * r->stage_seconds[i];
    }
    printf(" | sum %.1f us\n", sum);
}

// Asks again and again: the answer stays right, and the median of the times.
static void repeat(const scene *s, void *mesh, const toi_card_question &question, const char *what)
{
    std::vector<double> times;
    asked a = ask(s, mesh, question);
    for (int i = 0; i < (options.quick ? 1 : options.repeats + 3); ++i) {
        a = ask(s, mesh, question);
        if (i >= 3 || options.quick)
            times.push_back(a.microseconds);
    }
    if (question.goal == TOI_CARD_ALL)
        compare_list(s, &a, question.residence, what);
    else
        compare_earliest(s, &a);
    const toi_device_report *r = &a.answer.report;
    printf("  %-34s %8.1f us (least %.1f); hits %lld, hard %lld (%lld hits), windows %lld, peak "
           "%.1f MB\n",
           what, median(times), times[0], (long long)a.answer.count, (long long)r->hard,
           (long long)a.hard_hits, (long long)r->windows, 1e-6 * (double)r->peak_bytes);
    if (options.quick)
        return;
    toi_card_question measured = question;
    measured.measure = true;
    std::vector<asked> all;
    for (int i = 0; i < 5; ++i)
        all.push_back(ask(s, mesh, measured));
    print_stages(&all[3].answer.report);
}

static toi_point_view view_of(const void *data, const scene *s)
{
    toi_point_view view = {data, (int64_t)s->start.size() / 3, 0, TOI_DOUBLE};
    return view;
}

static void *locked_copy(void *card, const std::vector<double> &x)
{
    toi_complaint complaint;
    void *memory;
    must(backend->allocate(card, x.size() * sizeof(double), &memory, &complaint), "locked memory",
         complaint.text);
    memcpy(memory, x.data(), x.size() * sizeof(double));
    return memory;
}

static void run_scene(void *card, const std::string &name)
{
    scene s;
    load(name, &s);
    toi_complaint complaint;
    toi_card_topology topology = {s.mesh.start.count, s.edges.count,
                                  s.mesh.faces.count, &s.edges.data[0][0],
                                  s.faces.data(),     options.groups ? s.groups.data() : NULL};
    void *mesh, *start = locked_copy(card, s.start), *end = locked_copy(card, s.end);
    must(backend->make_mesh(card, &topology, &mesh, &complaint), "mesh", complaint.text);
    printf("%s: %lld vertices, %lld edges, %lld faces, %lld impacts, hash %016llx\n", name.c_str(),
           (long long)s.mesh.start.count, (long long)s.edges.count, (long long)s.mesh.faces.count,
           (long long)s.impacts.count,
           (unsigned long long)toi_hash(s.impacts.data, (size_t)s.impacts.count * 64));
    toi_card_question all = {TOI_CARD_ALL,
                             view_of(start, &s),
                             view_of(end, &s),
                             1,
                             {options.separation, options.relative, -1, false},
                             TOI_ON_HOST,
                             false,
                             true};
    double began = now();
    asked first = ask(&s, mesh, all);
    const toi_device_report *r = &first.answer.report;
    printf("  first call %.0f us; tested %lld + %lld, left %lld + %lld\n", now() - began,
           (long long)r->tested[0], (long long)r->tested[1], (long long)r->left[0],
           (long long)r->left[1]);
    compare_list(&s, &first, TOI_ON_HOST, "first call");
    printf("  %lld start inside\n", (long long)first.answer.inside);
    note(first.answer.hard_count > 0 || first.answer.inside == s.report.inside, "inside");
    repeat(&s, mesh, all, "all, both from locked memory");
    toi_card_question earliest = all;
    earliest.goal = TOI_CARD_EARLIEST;
    repeat(&s, mesh, earliest, "earliest, both from locked memory");
    // To and fro: the start is where the last step ended.
    auto repeat_half = [&](toi_card_question question, const char *what) {
        std::vector<double> times;
        asked a = {};
        question.start.data = NULL;
        for (int i = 0; i < (options.quick ? 2 : options.repeats + 3); ++i) {
            toi_card_question back = question;
            back.end = view_of(start, &s);
            ask(&s, mesh, back);
            a = ask(&s, mesh, question);
            if (i >= 3 || options.quick)
                times.push_back(a.microseconds);
        }
        if (question.goal == TOI_CARD_ALL)
            compare_list(&s, &a, question.residence, what);
        else
            compare_earliest(&s, &a);
        printf("  %-34s %8.1f us\n", what, median(times));
        if (options.quick)
            return;
        toi_card_question measured = question;
        measured.measure = true;
        for (int i = 0; i < 4; ++i) {
            measured.end = view_of(i % 2 ? end : start, &s);
            a = ask(&s, mesh, measured);
        }
        print_stages(&a.answer.report);
    };
    repeat_half(all, "all, end from locked memory");
    repeat_half(earliest, "earliest, end from locked memory");
    toi_card_question plain = all;
    plain.start = view_of(s.start.data(), &s);
    plain.end = view_of(s.end.data(), &s);
    repeat(&s, mesh, plain, "all, both from pageable memory");
    toi_card_question resident = all;
    resident.residence = TOI_ON_DEVICE;
    resident.defer = false;
    repeat(&s, mesh, resident, "all, list stays on the card");
    backend->release(card, start);
    backend->release(card, end);
    backend->free_mesh(mesh);
    unload(&s);
}

int main(int argc, char **argv)
{
    int at = 1;
    for (; at < argc && argv[at][0] == '-'; ++at) {
        std::string word = argv[at];
        options.quick |= word == "--quick";
        options.third |= word == "--third";
        options.groups |= word == "--groups";
        options.standing |= word == "--standing";
        options.overlay |= word == "--overlay";
        if (word == "--copies" && at + 1 < argc)
            options.copies = atoi(argv[++at]);
        if (word == "--scale" && at + 1 < argc)
            options.scale = atoi(argv[++at]);
        if (word == "--limit" && at + 1 < argc)
            options.limit = atoll(argv[++at]);
        if (word == "--separation" && at + 1 < argc)
            options.separation = atof(argv[++at]);
        if (word == "--relative" && at + 1 < argc)
            options.relative = atof(argv[++at]);
        if (word == "--repeats" && at + 1 < argc)
            options.repeats = atoi(argv[++at]);
    }
    if (at + 1 >= argc) {
        printf("usage: cuda_step [OPTION...] SCENES_FOLDER NAME...\n");
        return 2;
    }
    options.folder = argv[at++];
    backend = toi_backend_of_cuda(TOI_BACKEND_VERSION);
    void *card;
    toi_device_info info;
    toi_complaint complaint;
    toi_device_def def = {0, options.limit, NULL, NULL, 0};
    toi_status status = backend->open(&def, &card, &info, &complaint);
    if (status == TOI_ERROR_UNSUPPORTED) {
        printf("no CUDA device: %s: compiled only\n", complaint.text);
        return 0;
    }
    must(status, "open", complaint.text);
    printf("%s, %d.%d, %d multiprocessors\n", info.name, info.compute / 10, info.compute % 10,
           info.multiprocessors);
    size_t before = 0, after = 0, total = 0;
    cudaMemGetInfo(&before, &total);
    for (; at < argc; ++at) {
        run_scene(card, argv[at]);
        cudaMemGetInfo(&after, &total);
        printf("  memory that is still held: %lld bytes\n", (long long)before - (long long)after);
    }
    backend->close(card);
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
