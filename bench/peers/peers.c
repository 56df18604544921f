// The broad phases of other libraries on the scenes of 'toi bench broad', with its columns. Each
// is run in a process of its own, so that the memory it takes can be told.

#include "bench_broad_rows.h"
#include "bench_broad_scene.h"
#include "failure.h"
#include "pair_lists.h"
#include "peer.h"

#include <malloc.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// How a child ends. What failed it has said itself.
enum
{
    CHILD_DONE,
    CHILD_FAILED
};

static const double LONG_SECONDS = 10; // a run that takes longer is not repeated

static const struct
{
    const char *name;
    peer_function *find;
    bool threads; // can it use several?
    const char *simd;
} peers[] = {
#ifdef TOI_PEERS_CGAL
    {"cgal", search_cgal, true, "baseline"},
#endif
#ifdef TOI_PEERS_BULLET
    {"bullet", search_bullet, false, "baseline"},
#endif
#ifdef TOI_PEERS_EMBREE
    {"embree", search_embree, true, "own"},
#endif
};

enum
{
    PEER_COUNT = sizeof peers / sizeof *peers
};

static const char *peer_choice(int index)
{
    return index < PEER_COUNT ? peers[index].name : NULL;
}

typedef struct settings
{
    broad_source choice;
    const char *peers;
    const char *threads; // a list
    int repeat;
} settings;

static const option run_options[] = {
    {.name = "peers",
     .type = OPTION_TEXT,
     .offset = offsetof(settings, peers),
     .argument = "A,B,C",
     .help = "run these; all that were built unless given"},
    {.name = "threads",
     .type = OPTION_TEXT,
     .offset = offsetof(settings, threads),
     .argument = "A,B,C",
     .help = "with so many threads each, 0: all cores; 1,2 unless given; bullet has only 1"},
    {.name = "repeat",
     .type = OPTION_INT,
     .offset = offsetof(settings, repeat),
     .argument = "N",
     .help = "run N times, count the fastest; what takes longer than 10 s is not run again",
     .least = 1,
     .most = INT32_MAX,
     .range = "a whole number from 1"},
    {0}};

// ---------------------------------------------------------------------------------------------
// One search

static bool shares_no_vertex(const int32_t *a, int na, const int32_t *b, int nb)
{
    for (int i = 0; i < na; ++i)
        for (int k = 0; k < nb; ++k)
            if (a[i] == b[k])
                return false;
    return true;
}

static const int32_t *element(const toi_index_view *view, int32_t index, int width)
{
    size_t stride = view->stride > 0 ? (size_t)view->stride : (size_t)width * sizeof(int32_t);
    return (const int32_t *)((const char *)view->data + stride * (size_t)index);
}

static bool is_wanted_face(const void *context, int32_t a, int32_t b)
{
    const toi_mesh *mesh = context;
    return shares_no_vertex(&a, 1, element(&mesh->faces, b, 3), 3);
}

static bool is_wanted_edge(const void *context, int32_t a, int32_t b)
{
    const toi_mesh *mesh = context;
    return shares_no_vertex(element(&mesh->edges, a, 2), 2, element(&mesh->edges, b, 2), 2);
}

static toi_status make_boxes(const toi_mesh *mesh, toi_primitive primitive, int64_t count,
                             int threads, toi_box_view *view)
{
    toi_box *boxes = toi_allocate((size_t)count * sizeof *boxes);
    if (!boxes)
        return TOI_ERROR_MEMORY;
    *view = (toi_box_view){boxes, count};
    return toi_make_boxes(mesh, primitive, 0, threads, boxes);
}

static toi_status search_kind(peer_function *find, const toi_mesh *mesh, toi_kind kind, int threads,
                              toi_pair_array *pairs)
{
    bool self = kind == TOI_EDGE_EDGE;
    peer_search search = {.self = self,
                          .threads = threads,
                          .is_wanted = self ? is_wanted_edge : is_wanted_face,
                          .context = mesh};
    toi_status status = self ? make_boxes(mesh, TOI_EDGE, mesh->edges.count, threads, &search.a)
                             : make_boxes(mesh, TOI_VERTEX, mesh->start.count, threads, &search.a);
    if (status == TOI_OK && !self)
        status = make_boxes(mesh, TOI_FACE, mesh->faces.count, threads, &search.b);
    if (status == TOI_OK && search.a.count > 0 && (self || search.b.count > 0))
        status = find(&search, pairs);
    toi_release((void *)search.b.data);
    toi_release((void *)search.a.data);
    return status;
}

static toi_status search_scene(peer_function *find, const broad_scene *scene, int threads,
                               toi_pair_array pairs[TOI_PAIR_KINDS])
{
    toi_status status = TOI_OK;
    for (int kind = 0; kind < TOI_PAIR_KINDS; ++kind)
        pairs[kind].count = 0;
    if (scene->boxes) {
        const peer_search search = {
            .a = {scene->boxes, scene->count}, .self = true, .threads = threads};
        return find(&search, &pairs[TOI_EDGE_EDGE]);
    }
    for (int kind = 0; kind < TOI_PAIR_KINDS && status == TOI_OK; ++kind)
        status = search_kind(find, &scene->moving.mesh, (toi_kind)kind, threads, &pairs[kind]);
    return status;
}

// ---------------------------------------------------------------------------------------------
// In the child

// Bytes that /proc says of this process: VmRSS now, VmHWM at most. 0 where it says nothing.
static int64_t resident_bytes(const char *what)
{
    char line[128];
    long long kilobytes = 0;
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, what, strlen(what)) == 0)
            kilobytes = strtoll(line + strlen(what) + 1, NULL, 10);
    if (file)
        fclose(file);
    return 1024 * kilobytes;
}

// One thread by the processor time of the process, as libraries have threads of their own.
static double seconds_of(int threads)
{
    struct timespec now;
    clock_gettime(threads == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static toi_status measure(const settings *s, const broad_scene *scene, int peer, broad_row *row)
{
    toi_pair_array pairs[TOI_PAIR_KINDS] = {{0}};
    int64_t before = resident_bytes("VmRSS");
    toi_status status = TOI_OK;
    row->seconds = INFINITY;
    for (int i = 0; i < s->repeat && status == TOI_OK; ++i) {
        double started = seconds_of(row->threads);
        status = search_scene(peers[peer].find, scene, row->threads, pairs);
        double seconds = seconds_of(row->threads) - started;
        row->seconds = fmin(row->seconds, seconds);
        if (seconds > LONG_SECONDS)
            break;
    }
    row->peak_bytes = resident_bytes("VmHWM") - before;
    for (int kind = 0; kind < TOI_PAIR_KINDS; ++kind)
        row->pairs += pairs[kind].count;
    if (status == TOI_OK)
        status = sort_pair_lists(pairs, 1);
    row->hash = hash_pair_lists(pairs);
    free_pair_lists(pairs);
    return status;
}

// What toi finds on the same boxes, or on float boxes around them.
static toi_status find_with_toi(const broad_scene *scene, bool floats, broad_row *row)
{
    toi_pair_array pairs[TOI_PAIR_KINDS] = {{0}};
    toi_status status = TOI_OK;
    toi_ccd_def def = toi_default_ccd_def();
    def.float_boxes = floats;
    def.workers = 1;
    def.broad.workers = 1;
    for (int64_t i = 0; scene->boxes && floats && i < scene->count; ++i) {
        toi_box_float rounded;
        toi_round_boxes((toi_box_view){&scene->boxes[i], 1}, &rounded);
        for (int k = 0; k < 3; ++k) {
            scene->boxes[i].lo[k] = (double)rounded.lo[k];
            scene->boxes[i].hi[k] = (double)rounded.hi[k];
        }
    }
    if (scene->boxes)
        status = toi_find_pairs(&def.broad, (toi_box_view){scene->boxes, scene->count},
                                &pairs[TOI_EDGE_EDGE]);
    for (int kind = 0; kind < TOI_PAIR_KINDS && !scene->boxes && status == TOI_OK; ++kind)
        status = toi_find_candidates(&def, &scene->moving.mesh, (toi_kind)kind, &pairs[kind], NULL);
    for (int kind = 0; kind < TOI_PAIR_KINDS; ++kind)
        row->pairs += pairs[kind].count;
    row->hash = hash_pair_lists(pairs);
    free_pair_lists(pairs);
    return status;
}

// ---------------------------------------------------------------------------------------------
// In the parent

// Runs a peer, or with a number below 0 toi, in a child that sends the row back.
static toi_status run_child(const settings *s, const broad_scene *scene, int peer, bool floats,
                            broad_row *row)
{
    int ends[2];
    fflush(stdout);
    malloc_trim(0); // free memory that the child inherits would hide what it takes
    if (pipe(ends) != 0)
        return toi_fail(TOI_ERROR_LIMIT, "no pipe");
    pid_t child = fork();
    if (child == 0) {
        toi_status status =
            peer >= 0 ? measure(s, scene, peer, row) : find_with_toi(scene, floats, row);
        bool sent = status == TOI_OK && write(ends[1], row, sizeof *row) == sizeof *row;
        if (status != TOI_OK)
            finish(status);
        _exit(sent ? CHILD_DONE : CHILD_FAILED);
    }
    close(ends[1]);
    bool received = child > 0 && read(ends[0], row, sizeof *row) == sizeof *row;
    close(ends[0]);
    if (child > 0)
        waitpid(child, NULL, 0);
    return received ? TOI_OK : toi_fail(TOI_ERROR_LIMIT, "%s failed", row->method);
}

static const char *compare(const broad_row *row, const broad_row *exact, const broad_row *floats)
{
    if (row->hash == exact->hash)
        return "the pairs of toi";
    return row->hash == floats->hash ? "the pairs of toi with float boxes" : "other pairs than toi";
}

static toi_status run_scene(const settings *s, const broad_scene *scene, const bool chosen[],
                            const int threads[], int thread_count)
{
    broad_row exact = {.method = "toi"}, floats = {.method = "toi"};
    toi_status status = run_child(s, scene, -1, false, &exact);
    if (status == TOI_OK)
        status = run_child(s, scene, -1, true, &floats);
    for (int peer = 0; peer < PEER_COUNT; ++peer)
        for (int t = 0; t < thread_count && status == TOI_OK; ++t) {
            if (!chosen[peer] || (threads[t] > 1 && !peers[peer].threads))
                continue;
            broad_row row = {.threads = threads[t], .boxes = scene->count};
            copy_name(row.scene, scene->name);
            copy_name(row.method, peers[peer].name);
            copy_name(row.simd, peers[peer].simd);
            status = run_child(s, scene, peer, false, &row);
            if (status == TOI_OK) {
                write_row(stdout, &row);
                fprintf(stderr, "%s on %s, threads %d: %s\n", row.method, row.scene, row.threads,
                        compare(&row, &exact, &floats));
            }
        }
    return status;
}

static toi_status run(const settings *s, const operand_list *operands)
{
    bool chosen[PEER_COUNT + 1];
    int threads[MOST_THREAD_COUNTS], thread_count = 0, scenes = 0;
    toi_status status = count_scenes(&s->choice, operands, &scenes);
    if (status == TOI_OK && scenes == 0)
        status = toi_fail(TOI_ERROR_ARGUMENT,
                          "boxes are needed: START and END, --scene NAME, --all-scenes or "
                          "--scaling");
    if (status == TOI_OK)
        status = choose_names("peers", s->peers, peer_choice, chosen);
    if (status == TOI_OK)
        status = choose_threads(s->threads, threads, &thread_count);
    // The parent has no threads, which a child could not use.
    apply_threads(&(common){.threads = 1});
    if (status == TOI_OK)
        write_row_titles(stdout);
    for (int i = 0; i < scenes && status == TOI_OK; ++i) {
        broad_scene scene;
        status = open_scene(&s->choice, operands, i, &scene);
        if (status == TOI_OK)
            status = run_scene(s, &scene, chosen, threads, thread_count);
        close_scene(&scene);
    }
    return status;
}

int main(int argc, char **argv)
{
    settings s = {.choice = default_broad_source(), .threads = "1,2", .repeat = 1};
    const option_group groups[] = {{"Boxes", broad_scene_options, &s.choice},
                                   {"A scene instead of files", frame_options, &s.choice.scene},
                                   {"Runs", run_options, &s},
                                   {0}};
    const command_line line = {
        .usage = "START END [OPTION...]\n"
                 "--scene NAME [OPTION...]\n"
                 "--all-scenes [OPTION...]\n"
                 "--scaling [OPTION...]",
        .about = "Runs the broad phases of other libraries on the scenes of 'toi bench broad' and\n"
                 "prints rows with its columns, to be shown beside its own with --add. cgal\n"
                 "compares doubles, bullet and embree floats, of boxes rounded outward: they may\n"
                 "find a few more pairs. Whether they do is said on standard error.",
        .examples = "start.ply end.ply --repeat 3 >peers.csv\n"
                    "--scene giants --size 100000 --peers cgal --threads 1",
        .groups = groups,
        .most_operands = 2};
    operand_list operands;
    set_program("peers");
    int code = parse_command_line(&line, argc, argv, &operands);
    return code == GO_ON ? finish(run(&s, &operands)) : code;
}
