// Runs the study: throws, their truth by dense sampling, every solver, and what they found.

#include "bench_sdf_study.h"

#include "bench_parallel.h"
#include "bench_sdf_truth.h"
#include "progress.h"
#include "sdf_results.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const study_body_names[STUDY_BODIES] = {"triangle", "shuriken"};

const sdf_variant study_variants[STUDY_VARIANTS] = {
    {TOI_SDF_FW, 0},           {TOI_SDF_FWGSS, 1e-6},     {TOI_SDF_FWGSS, 1e-10},
    {TOI_SDF_CERTIFIED, 1e-6}, {TOI_SDF_CERTIFIED, 1e-9}, {TOI_SDF_CERTIFIED, 1e-12}};

enum
{
    TRIANGLE,
    SHURIKEN,
    FINEST = STUDY_VARIANTS - 1 // certified, 1e-12
};

static const double together[STUDY_SETS] = {1e-8, 1e-6}; // seconds
static const double TRUTH_ERROR = 1e-14; // seconds: what dense sampling may be late by

// The throws of one body and all that is known of them.
typedef struct throw_list
{
    sdf_scene scene;
    double *truth;     // time by dense sampling; infinity: free
    uint8_t *contacts; // in truth, a byte a triangle and throw: bit k, together[k]
    toi_sdf_result *results[STUDY_VARIANTS];
    double seconds[STUDY_VARIANTS];
} throw_list;

typedef struct study
{
    throw_list bodies[STUDY_BODIES];
    const study_request *request;
} study;

// ---------------------------------------------------------------------------------------------
// Throws

static int64_t triangles_of(const throw_list *list)
{
    return list->scene.surface ? list->scene.solid.face_count : 1;
}

static void corners_of(const throw_list *list, int64_t index, int64_t triangle,
                       sdf_triangle corners)
{
    const toi_solid *solid = &list->scene.solid;
    for (int k = 0; k < 3; ++k)
        memcpy(corners[k],
               list->scene.surface ? solid->points[solid->faces[triangle][k]]
                                   : list->scene.triangles[index][k],
               sizeof corners[k]);
}

static toi_motion motion_of(const throw_list *list, int64_t index, double duration)
{
    toi_motion motion = toi_default_motion();
    motion.duration = duration;
    motion.mesh = list->scene.motions[index];
    return motion;
}

static toi_status make_throws(int body, const study_request *request, throw_list *list)
{
    toi_status status = make_sdf_scene(body, request->count, request->threads, &list->scene);
    if (status != TOI_OK)
        return status;
    size_t count = (size_t)list->scene.count;
    list->truth = toi_allocate(count * sizeof *list->truth);
    list->contacts = toi_allocate(count * (size_t)triangles_of(list));
    bool all = list->truth && list->contacts;
    for (int v = 0; v < STUDY_VARIANTS && all; ++v) {
        list->results[v] = toi_allocate(count * sizeof *list->results[v]);
        all = list->results[v] != NULL;
    }
    return all ? TOI_OK : TOI_ERROR_MEMORY;
}

static void free_throws(throw_list *list)
{
    toi_release(list->truth);
    toi_release(list->contacts);
    for (int v = 0; v < STUDY_VARIANTS; ++v)
        toi_release(list->results[v]);
    free_sdf_scene(&list->scene);
}

// ---------------------------------------------------------------------------------------------
// Contact sets: the triangles that touch together with the first

// When one triangle of a throw touches, up to a duration; infinity: not.
typedef toi_status triangle_time_fn(const void *context, const throw_list *list, int64_t index,
                                    const sdf_triangle corners, double duration, double *time);

static toi_status dense_time(const void *context, const throw_list *list, int64_t index,
                             const sdf_triangle corners, double duration, double *time)
{
    (void)context;
    const torus solid = {SDF_RING, SDF_TUBE};
    *time = find_dense_time(&solid, &list->scene.motions[index], corners, duration);
    return TOI_OK;
}

static toi_status solver_time(const void *context, const throw_list *list, int64_t index,
                              const sdf_triangle corners, double duration, double *time)
{
    toi_sdf_result result;
    toi_motion motion = motion_of(list, index, duration);
    toi_status status =
        toi_find_triangle_impact(context, corners, &motion, list->scene.field, &result);
    *time = status == TOI_OK && result.state == TOI_SDF_HIT ? result.t_high : INFINITY;
    return status;
}

// Marks the triangles that touch first, and returns when. The motion is shortened as times are
// found.
static toi_status find_set(triangle_time_fn *time_of, const void *context, const throw_list *list,
                           int64_t index, double *times, uint8_t *set, double *first)
{
    int64_t count = triangles_of(list);
    toi_status status = TOI_OK;
    for (int64_t k = 0; k < count && status == TOI_OK; ++k) {
        sdf_triangle corners;
        corners_of(list, index, k, corners);
        status =
            time_of(context, list, index, (const double(*)[3])corners,
                    fmin(list->scene.duration, *first + 2 * together[STUDY_SETS - 1]), &times[k]);
        *first = fmin(*first, times[k]);
    }
    for (int64_t k = 0; k < count; ++k) {
        set[k] = 0;
        for (int i = 0; i < STUDY_SETS && isfinite(*first); ++i)
            set[k] |= (uint8_t)((times[k] <= *first + together[i]) << i);
    }
    return status;
}

// The first contact of a vertex: nothing later matters.
static double first_vertex_time(const throw_list *list, int64_t index)
{
    const torus solid = {SDF_RING, SDF_TUBE};
    double first = INFINITY;
    for (int64_t i = 0; i < list->scene.solid.point_count; ++i)
        first = fmin(first, find_point_time(&solid, &list->scene.motions[index],
                                            list->scene.solid.points[i],
                                            fmin(list->scene.duration, first)));
    return first;
}

static toi_status find_truth(void *context, int64_t index)
{
    throw_list *list = context;
    list->truth[index] = first_vertex_time(list, index);
    double *times = toi_allocate((size_t)triangles_of(list) * sizeof *times);
    if (!times)
        return TOI_ERROR_MEMORY;
    toi_status status = find_set(dense_time, NULL, list, index, times,
                                 list->contacts + index * triangles_of(list), &list->truth[index]);
    toi_release(times);
    return status;
}

// What a comparison of sets needs, and a byte a throw for what it finds, a bit for each kind of
// set.
typedef struct set_check
{
    const throw_list *list;
    toi_sdf_def def;
    uint8_t *missing;
    uint8_t *wrong;
} set_check;

static toi_status check_set(void *context, int64_t index)
{
    set_check *check = context;
    const throw_list *list = check->list;
    int64_t count = triangles_of(list);
    const uint8_t *truth = list->contacts + index * count;
    double first = INFINITY, *times = toi_allocate((size_t)count * sizeof *times);
    uint8_t *set = toi_allocate((size_t)count);
    toi_status status = times && set
                            ? find_set(solver_time, &check->def, list, index, times, set, &first)
                            : TOI_ERROR_MEMORY;
    check->missing[index] = check->wrong[index] = 0;
    for (int64_t k = 0; k < count && status == TOI_OK; ++k) {
        check->missing[index] |= truth[k] & (uint8_t)~set[k];
        check->wrong[index] |= set[k] & (uint8_t)~truth[k];
    }
    toi_release(times);
    toi_release(set);
    return status;
}

static toi_sdf_def def_of(int variant)
{
    toi_sdf_def def = toi_default_sdf_def();
    def.solver = study_variants[variant].solver;
    def.workers = 1;
    if (def.solver == TOI_SDF_CERTIFIED)
        def.tolerance = study_variants[variant].tolerance;
    if (def.solver == TOI_SDF_FWGSS)
        def.search_tolerance = study_variants[variant].tolerance;
    return def;
}

static toi_status compare_sets(const throw_list *list, int variant, int threads, study_row *row)
{
    size_t count = (size_t)list->scene.count;
    set_check check = {.list = list, .def = def_of(variant)};
    check.missing = toi_allocate(count);
    check.wrong = toi_allocate(count);
    toi_status status = check.missing && check.wrong
                            ? run_tasks(threads, list->scene.count, check_set, &check)
                            : TOI_ERROR_MEMORY;
    for (size_t i = 0; i < STUDY_SETS * count && status == TOI_OK; ++i) {
        row->sets_missing[i % STUDY_SETS] += check.missing[i / STUDY_SETS] >> i % STUDY_SETS & 1;
        row->sets_wrong[i % STUDY_SETS] += check.wrong[i / STUDY_SETS] >> i % STUDY_SETS & 1;
    }
    row->sets = (int64_t)count;
    toi_release(check.missing);
    toi_release(check.wrong);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Solvers

static toi_status ask_all(throw_list *list, int variant, double *seconds)
{
    toi_sdf_def def = def_of(variant);
    toi_status status = TOI_OK;
    double begin = seconds_spent(1);
    for (int64_t i = 0; i < list->scene.count && status == TOI_OK; ++i) {
        toi_motion motion = motion_of(list, i, list->scene.duration);
        toi_sdf_result *result = &list->results[variant][i];
        status = list->scene.surface
                     ? toi_find_field_impact(&def, list->scene.surface, &motion, list->scene.field,
                                             result)
                     : toi_find_triangle_impact(&def, (const double(*)[3])list->scene.triangles[i],
                                                &motion, list->scene.field, result);
    }
    *seconds = seconds_spent(1) - begin;
    return status;
}

// All solvers in turns, so that what else the machine does meets them alike.
static toi_status ask_solvers(throw_list *list, int repeat)
{
    toi_status status = TOI_OK;
    for (int run = 0; run < repeat; ++run)
        for (int v = 0; v < STUDY_VARIANTS && status == TOI_OK; ++v) {
            double seconds;
            status = ask_all(list, v, &seconds);
            list->seconds[v] = run == 0 ? seconds : fmin(list->seconds[v], seconds);
        }
    return status;
}

// ---------------------------------------------------------------------------------------------
// What it comes to

static int compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static study_spread spread_of(double *numbers, int64_t count)
{
    study_spread s = {.count = count};
    if (count == 0)
        return s;
    qsort(numbers, (size_t)count, sizeof *numbers, compare_numbers);
    for (int64_t i = 0; i < count; ++i)
        s.mean += numbers[i] / (double)count;
    for (int64_t i = 0; i < count; ++i)
        s.deviation += (numbers[i] - s.mean) * (numbers[i] - s.mean) / (double)count;
    s.deviation = sqrt(s.deviation);
    s.least = numbers[0];
    s.most = numbers[count - 1];
    s.median = 0.5 * (numbers[(count - 1) / 2] + numbers[count / 2]);
    return s;
}

// The differences that spreads are made of, of one body behind those of the other.
typedef struct difference_list
{
    double *times;
    double *travels;
    int64_t count;
} difference_list;

static void count_result(const throw_list *list, int64_t index, const toi_sdf_result *r,
                         study_row *row, difference_list *differences)
{
    double truth = list->truth[index];
    bool hit = r->state == TOI_SDF_HIT, true_hit = isfinite(truth);
    const uint64_t joined[] = {row->hash, hash_result(r)};
    row->hash = toi_hash(joined, sizeof joined);
    ++row->throws;
    row->hits += true_hit;
    row->missed += true_hit && r->state == TOI_SDF_FREE;
    row->invented += hit && !true_hit;
    row->undecided += r->state == TOI_SDF_UNDECIDED;
    row->late += true_hit && r->t_low > truth + TRUTH_ERROR;
    row->gap = hit ? fmax(row->gap, r->t_high - r->t_low) : row->gap;
    row->evaluations += (double)r->evaluations;
    if (hit && true_hit) {
        const double *v = list->scene.motions[index].velocity;
        double speed = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        differences->times[differences->count] = r->t_high - truth;
        differences->travels[differences->count++] = speed * (r->t_high - truth);
    }
}

static void count_results(const study *s, int from, int to, int variant, difference_list *room,
                          study_row *row)
{
    room->count = 0;
    for (int body = from; body < to; ++body) {
        const throw_list *list = &s->bodies[body];
        for (int64_t i = 0; i < list->scene.count; ++i)
            count_result(list, i, &list->results[variant][i], row, room);
        row->seconds += list->seconds[variant];
    }
    row->seconds /= (double)row->throws;
    row->evaluations /= (double)row->throws;
    row->time = spread_of(room->times, room->count);
    row->travel = spread_of(room->travels, room->count);
}

// Dense sampling against the certificate.
static void compare_truths(const study *s, study_result *result)
{
    for (int body = 0; body < STUDY_BODIES; ++body) {
        const throw_list *list = &s->bodies[body];
        for (int64_t i = 0; i < list->scene.count; ++i) {
            const toi_sdf_result *r = &list->results[FINEST][i];
            bool both = r->state == TOI_SDF_HIT && isfinite(list->truth[i]);
            result->disagree += (r->state == TOI_SDF_HIT) != isfinite(list->truth[i]);
            result->differ =
                both ? fmax(result->differ, fabs(r->t_high - list->truth[i])) : result->differ;
        }
    }
}

static toi_status sum_up(const study *s, study_result *result)
{
    size_t most = (size_t)(STUDY_BODIES * s->request->count);
    difference_list room = {.times = toi_allocate(most * sizeof *room.times),
                            .travels = toi_allocate(most * sizeof *room.travels)};
    bool all = room.times && room.travels;
    for (int v = 0; v < STUDY_VARIANTS && all; ++v) {
        for (int body = 0; body < STUDY_BODIES; ++body)
            count_results(s, body, body + 1, v, &room, &result->rows[v][body]);
        count_results(s, 0, STUDY_BODIES, v, &room, &result->rows[v][STUDY_BODIES]);
    }
    if (all)
        compare_truths(s, result);
    toi_release(room.times);
    toi_release(room.travels);
    return all ? TOI_OK : TOI_ERROR_MEMORY;
}

// ---------------------------------------------------------------------------------------------
// The study

static toi_status find_answers(study *s, study_result *result)
{
    int threads = s->request->threads;
    toi_status status = TOI_OK;
    double begin = seconds_now();
    for (int body = 0; body < STUDY_BODIES && status == TOI_OK; ++body)
        status = run_tasks(threads, s->request->count, find_truth, &s->bodies[body]);
    result->truth_seconds = seconds_now() - begin;
    for (int body = 0; body < STUDY_BODIES && status == TOI_OK; ++body)
        status = ask_solvers(&s->bodies[body], s->request->repeat);
    begin = seconds_now();
    // Certified only at the finest: at coarser tolerances two triangles that touch together have
    // different times, and both are right.
    for (int v = 0; v < STUDY_VARIANTS && status == TOI_OK; ++v)
        if (study_variants[v].solver != TOI_SDF_CERTIFIED || v == FINEST)
            status = compare_sets(&s->bodies[SHURIKEN], v, threads, &result->rows[v][SHURIKEN]);
    result->set_seconds = seconds_now() - begin;
    return status;
}

toi_status run_sdf_study(const study_request *request)
{
    study s = {.request = request};
    study_result result = {.differ = 0};
    if (!has_sdf_solver(TOI_SDF_FW))
        return toi_fail(TOI_ERROR_UNSUPPORTED,
                        "the study compares with fw and fwgss, which are not in this build; build "
                        "with TOI_LITERATURE=ON");
    toi_status status = TOI_OK;
    for (int body = 0; body < STUDY_BODIES && status == TOI_OK; ++body)
        status = make_throws(body, request, &s.bodies[body]);
    if (status == TOI_OK)
        status = find_answers(&s, &result);
    if (status == TOI_OK)
        status = sum_up(&s, &result);
    if (status == TOI_OK)
        status = write_study(request->csv, &result);
    if (status == TOI_OK)
        status =
            request->json ? print_study_object(request, &result) : print_study(request, &result);
    for (int body = 0; body < STUDY_BODIES; ++body)
        free_throws(&s.bodies[body]);
    return status;
}
