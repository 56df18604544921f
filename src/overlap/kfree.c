// The k-free analysis (Weller, Debowski, Zachmann 2017): for every face the number of others that
// are at least as large, and near. docs/overlap.md has the theory.
//
// Faces are looked at by powers of two of their sizes. Those of one power, their boxes enlarged by
// half their size, are searched against all that are not of a smaller power: a face is never
// compared with more than those of its own power that are smaller.
//
// What is computed is compared with a limit that is larger by SLACK times the size of the larger
// face. All errors together are less, so no face that is near is left out; one that is too far by
// that much may be counted.

#include "overlap/overlap.h"

#include "base/fp_mode.h"
#include "base/radix_sort.h"
#include "base/status.h"
#include "broad/broad.h"
#include "mesh/mesh.h"
#include "overlap/near.h"
#include "overlap/size.h"

#include <math.h>
#include <string.h>

static const uint32_t KFREE_COOKIE = 0x6f4ee001u;

// Faces, or polygons: "items".
typedef struct kfree_job
{
    const toi_mesh *mesh;
    toi_polygon_view polygons;
    int workers;
    toi_budget budget;
    toi_meter meter;
    int exponent;             // coordinates are the mesh's times 2^-exponent
    double (*points)[3];      // at most 1 in size
    int64_t count;            // of items
    int64_t *first;           // the faces of item i: members[first[i]] to members[first[i + 1] - 1]
    int32_t *members;         // both NULL: face i
    double *sizes;            // by item
    int32_t *order;           // items, those of larger powers of two first
    toi_box *boxes;           // in that order
    toi_box *reaches;         // of the power at hand
    int64_t begin;            // where that begins in the order
    _Atomic int32_t *quarter; // by item: how many larger ones are near
    _Atomic int32_t *half;    // the same within twice that distance
    _Atomic int64_t neighbours; // of all that are near, how many share a vertex
} kfree_job;

static const double SLACK = 0x1p-40;
static const double NOBODY = -1; // the size of a polygon without faces

// ---------------------------------------------------------------------------------------------
// Points and items

static void find_scale(kfree_job *job)
{
    double largest = 0;
    for (int64_t i = 0; i < job->mesh->start.count; ++i) {
        double p[3];
        toi_load_point(&job->mesh->start, i, p);
        for (int k = 0; k < 3; ++k)
            largest = fmax(largest, fabs(p[k]));
    }
    job->exponent = largest > 0 ? ilogb(largest) + 1 : 0;
}

static toi_status load_points(void *context, int64_t first, int64_t end)
{
    const kfree_job *job = context;
    for (int64_t i = first; i < end; ++i) {
        toi_load_point(&job->mesh->start, i, job->points[i]);
        for (int k = 0; k < 3; ++k)
            job->points[i][k] = ldexp(job->points[i][k], -job->exponent);
    }
    return TOI_OK;
}

static toi_status count_items(kfree_job *job)
{
    int64_t faces = job->mesh->faces.count;
    job->count = faces;
    if (!job->polygons.polygons)
        return TOI_OK;
    if (job->polygons.count != faces)
        return toi_fail(TOI_ERROR_DATA, "%" PRId64 " polygon numbers for %" PRId64 " faces",
                        job->polygons.count, faces);
    job->count = 0;
    for (int64_t f = 0; f < faces; ++f) {
        int32_t p = job->polygons.polygons[f];
        if (p < 0 || p >= faces)
            return toi_fail(TOI_ERROR_DATA,
                            "face %" PRId64 ": polygon number %" PRId32 " is not in [0, %" PRId64
                            "), the number of faces",
                            f, p, faces);
        job->count = p >= job->count ? p + 1 : job->count;
    }
    return TOI_OK;
}

static toi_status list_members(kfree_job *job)
{
    int64_t faces = job->mesh->faces.count;
    job->first = toi_take(&job->budget, job->count + 2, sizeof *job->first);
    job->members = job->first ? toi_take(&job->budget, faces, sizeof *job->members) : NULL;
    if (!job->members)
        return toi_allocation_status();
    memset(job->first, 0, (size_t)(job->count + 2) * sizeof *job->first);
    for (int64_t f = 0; f < faces; ++f)
        ++job->first[job->polygons.polygons[f] + 2];
    for (int64_t i = 2; i < job->count + 2; ++i)
        job->first[i] += job->first[i - 1];
    for (int64_t f = 0; f < faces; ++f)
        job->members[job->first[job->polygons.polygons[f] + 1]++] = (int32_t)f;
    return TOI_OK;
}

typedef struct members
{
    const int32_t *faces;
    int64_t count;
    int32_t own; // the face where an item is one
} members;

static void find_members(const kfree_job *job, int64_t item, members *m)
{
    m->own = (int32_t)item;
    m->faces = job->members ? job->members + job->first[item] : &m->own;
    m->count = job->members ? job->first[item + 1] - job->first[item] : 1;
}

// ---------------------------------------------------------------------------------------------
// Sizes and boxes

// The corners of a polygon's faces stand in its faces one after the other, some of them often.
static double size_of_many(kfree_job *job, const members *m)
{
    enum
    {
        FEW = 128
    };
    int32_t few[FEW], *corners = few, *many = NULL;
    if (3 * m->count > FEW)
        corners = many = toi_take(&job->budget, 3 * m->count, sizeof *many);
    if (!corners)
        return -1;
    for (int64_t i = 0; i < m->count; ++i)
        memcpy(corners + 3 * i, toi_face_at(&job->mesh->faces, m->faces[i]), 3 * sizeof *corners);
    double size = toi_polygon_size(job->points, corners, 3 * m->count);
    toi_give_back(many);
    return size;
}

static toi_status find_sizes(void *context, int64_t first, int64_t end)
{
    kfree_job *job = context;
    for (int64_t i = first; i < end; ++i) {
        members m;
        find_members(job, i, &m);
        if (m.count == 0) { // a number that no polygon has
            job->sizes[i] = NOBODY;
            continue;
        }
        if (m.count != 1) {
            job->sizes[i] = size_of_many(job, &m);
            if (job->sizes[i] < 0)
                return toi_allocation_status();
            continue;
        }
        const int32_t *f = toi_face_at(&job->mesh->faces, m.faces[0]);
        job->sizes[i] = toi_triangle_size(job->points[f[0]], job->points[f[1]], job->points[f[2]]);
    }
    return TOI_OK;
}

static int power_of(double size)
{
    return size > 0 ? ilogb(size) : size == 0 ? -1100 : -1101;
}

static toi_status order_items(kfree_job *job)
{
    enum
    {
        MOST_POWER = 8
    };
    uint64_t *keys = toi_take(&job->budget, job->count, sizeof *keys);
    if (!keys)
        return toi_allocation_status();
    for (int64_t i = 0; i < job->count; ++i)
        keys[i] = (uint64_t)(MOST_POWER - power_of(job->sizes[i])) << 32 | (uint64_t)i;
    toi_status status =
        toi_radix_sort(keys, job->count, ~(uint64_t)0 << 32, job->workers, &job->budget);
    for (int64_t i = 0; i < job->count; ++i)
        job->order[i] = (int32_t)(uint32_t)keys[i];
    toi_give_back(keys);
    return status;
}

// Never less than that: the last step covers the roundings.
static void enlarge(toi_box *box, double by)
{
    for (int k = 0; k < 3; ++k) {
        box->lo[k] -= by;
        box->lo[k] -= 0x1p-52 * fabs(box->lo[k]);
        box->hi[k] += by;
        box->hi[k] += 0x1p-52 * fabs(box->hi[k]);
    }
}

static toi_status find_boxes(void *context, int64_t first, int64_t end)
{
    const kfree_job *job = context;
    for (int64_t i = first; i < end; ++i) {
        toi_box box = {{HUGE_VAL, HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}};
        members m;
        find_members(job, job->order[i], &m);
        if (m.count == 0)
            break; // the rest has none either
        for (int64_t c = 0; c < 3 * m.count; ++c) {
            const double *p = job->points[toi_face_at(&job->mesh->faces, m.faces[c / 3])[c % 3]];
            for (int k = 0; k < 3; ++k) {
                box.lo[k] = fmin(box.lo[k], p[k]);
                box.hi[k] = fmax(box.hi[k], p[k]);
            }
        }
        enlarge(&box, 2 * SLACK * job->sizes[job->order[i]]);
        job->boxes[i] = box;
    }
    return TOI_OK;
}

static toi_status find_reaches(void *context, int64_t first, int64_t end)
{
    const kfree_job *job = context;
    for (int64_t i = first; i < end; ++i) {
        job->reaches[i] = job->boxes[job->begin + i];
        enlarge(&job->reaches[i], 0.5 * job->sizes[job->order[job->begin + i]]);
    }
    return TOI_OK;
}

// ---------------------------------------------------------------------------------------------
// Pairs

static bool share_vertex(const int32_t *f, const int32_t *g)
{
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            if (f[i] == g[j])
                return true;
    return false;
}

static toi_corner_view view_corners(const kfree_job *job, const int32_t *face)
{
    return (toi_corner_view){
        {job->points[face[0]], job->points[face[1]], job->points[face[2]]}, face, 0};
}

// How near two items are, and whether they share a vertex.
static toi_nearness_class compare_items(const kfree_job *job, int32_t a, int32_t b, bool *share)
{
    members of_a, of_b;
    find_members(job, a, &of_a);
    find_members(job, b, &of_b);
    const toi_index_view *faces = &job->mesh->faces;
    double slack = SLACK * job->sizes[b], size = job->sizes[a];
    toi_limits limits = {0.25 * size + slack, 0.5 * size + slack};
    *share = false;
    for (int64_t i = 0; i < of_a.count && !*share; ++i)
        for (int64_t j = 0; j < of_b.count && !*share; ++j)
            *share =
                share_vertex(toi_face_at(faces, of_a.faces[i]), toi_face_at(faces, of_b.faces[j]));
    toi_nearness_class best = *share ? TOI_NEAR_QUARTER : TOI_NEAR_NOT;
    for (int64_t i = 0; i < of_a.count && best != TOI_NEAR_QUARTER; ++i)
        for (int64_t j = 0; j < of_b.count && best != TOI_NEAR_QUARTER; ++j) {
            toi_corner_view f = view_corners(job, toi_face_at(faces, of_a.faces[i]));
            toi_corner_view g = view_corners(job, toi_face_at(faces, of_b.faces[j]));
            toi_nearness_class found = toi_compare_faces(&f, &g, limits);
            best = found > best ? found : best;
        }
    return best;
}

static toi_status take_pairs(void *context, toi_pair *pairs, int64_t count, int64_t task,
                             int worker)
{
    (void)task;
    (void)worker;
    kfree_job *job = context;
    int64_t neighbours = 0;
    for (int64_t i = 0; i < count; ++i) {
        int32_t a = job->order[job->begin + pairs[i].a], b = job->order[pairs[i].b];
        if (a == b || job->sizes[b] < job->sizes[a])
            continue;
        bool share;
        toi_nearness_class found = compare_items(job, a, b, &share);
        if (found != TOI_NEAR_NOT)
            atomic_fetch_add_explicit(&job->half[a], 1, memory_order_relaxed);
        if (found == TOI_NEAR_QUARTER)
            atomic_fetch_add_explicit(&job->quarter[a], 1, memory_order_relaxed);
        neighbours += share;
    }
    atomic_fetch_add_explicit(&job->neighbours, neighbours, memory_order_relaxed);
    return TOI_OK;
}

static toi_status search_power(kfree_job *job, int64_t end)
{
    int64_t count = end - job->begin;
    toi_broad_job search = {.a = {job->reaches, count},
                            .b = {job->boxes, end},
                            .workers = job->workers,
                            .budget = &job->budget,
                            .meter = &job->meter,
                            .to = {.context = job, .emit = take_pairs}};
    job->reaches = toi_take(&job->budget, count, sizeof *job->reaches);
    if (!job->reaches)
        return toi_allocation_status();
    search.a.data = job->reaches;
    toi_status status = toi_parallel_ranges(job->workers, count, TOI_PIECE, find_reaches, job);
    job->meter.base = (double)job->begin / (double)job->count;
    job->meter.share = (double)count / (double)job->count;
    job->meter.done = 0;
    if (status == TOI_OK)
        status = toi_search(TOI_BROAD_AUTO, &search);
    toi_give_back(job->reaches);
    return status;
}

static toi_status search_all(kfree_job *job)
{
    toi_status status = TOI_OK;
    for (job->begin = 0; job->begin < job->count && status == TOI_OK;) {
        int power = power_of(job->sizes[job->order[job->begin]]);
        if (job->sizes[job->order[job->begin]] == NOBODY)
            break; // these come last
        int64_t end = job->begin + 1;
        while (end < job->count && power_of(job->sizes[job->order[end]]) == power)
            ++end;
        status = search_power(job, end);
        job->begin = end;
    }
    return status;
}

// ---------------------------------------------------------------------------------------------
// The report

// The most pairs of faces that intersect, per face that is the smaller one of a pair: discs of half
// the size cover a face, or of a quarter; each meets at most k_near, or k, larger ones.
static void find_bounds(bool polygons, toi_kfree_report *report)
{
    double halves = polygons ? 7 : 3, quarters = polygons ? 49 : 12;
    double n = (double)report->faces;
    report->bound = halves * n * report->k;
    report->proven_bound = n * fmin(halves * report->k_near, quarters * report->k);
}

static void find_range(const kfree_job *job, toi_kfree_report *report)
{
    double least = HUGE_VAL, greatest = 0;
    for (int64_t i = 0; i < job->count; ++i)
        if (job->sizes[i] > 0) {
            least = fmin(least, job->sizes[i]);
            greatest = fmax(greatest, job->sizes[i]);
        }
    if (greatest == 0)
        return;
    report->least_size = ldexp(least, job->exponent);
    report->greatest_size = ldexp(greatest, job->exponent);
    report->height = log2(greatest / least);
    report->levels = (int32_t)floor(report->height) + 1;
}

static void write_report(const kfree_job *job, int32_t *counts, toi_kfree_report *report)
{
    double count = (double)job->count, sum = 0, squares = 0;
    report->faces = job->count;
    report->worst = job->count > 0 ? 0 : -1;
    for (int64_t i = 0; i < job->count; ++i) {
        int32_t quarter = job->quarter[i], half = job->half[i];
        if (quarter > job->quarter[report->worst])
            report->worst = (int32_t)i;
        report->k_near = half >= report->k_near ? half + 1 : report->k_near;
        report->self_bound += quarter;
        sum += (double)quarter;
        if (counts)
            counts[i] = quarter;
    }
    if (job->count > 0) {
        report->k = job->quarter[report->worst] + 1;
        report->mean = sum / count;
        for (int64_t i = 0; i < job->count; ++i)
            squares +=
                ((double)job->quarter[i] - report->mean) * ((double)job->quarter[i] - report->mean);
        report->deviation = sqrt(squares / count);
        report->neighbours = (double)job->neighbours / count;
    }
    find_range(job, report);
    find_bounds(job->members != NULL, report);
}

// ---------------------------------------------------------------------------------------------
// All

toi_kfree_def toi_default_kfree_def(void)
{
    return (toi_kfree_def){.cookie = KFREE_COOKIE};
}

static toi_status check_call(const toi_kfree_def *def, const toi_mesh *mesh, kfree_job *job)
{
    TOI_CHECK_DEF(def, KFREE_COOKIE, "kfree");
    if (!mesh)
        return toi_fail(TOI_ERROR_ARGUMENT, "the mesh is NULL");
    if (def->memory_limit < 0)
        return toi_fail(TOI_ERROR_ARGUMENT, "the memory limit is negative");
    toi_status status = toi_resolve_workers(def->workers, &job->workers);
    if (status == TOI_OK)
        status = toi_check_positions(&mesh->start, &mesh->start, job->workers);
    if (status == TOI_OK)
        status = toi_check_indices(&mesh->faces, 3, mesh->start.count, job->workers);
    job->mesh = mesh;
    job->polygons = def->polygons;
    job->budget.limit = def->memory_limit;
    toi_meter_init(&job->meter, def->progress, def->progress_context);
    return status == TOI_OK ? count_items(job) : status;
}

static toi_status take_room(kfree_job *job)
{
    enum
    {
        ITEM_BYTES = 3 * sizeof(int32_t) + sizeof(double) + 2 * sizeof(toi_box),
        MEMBER_BYTES = sizeof(int64_t) + sizeof(int32_t),
        BLOCKS = 9
    };
    int64_t count = job->count, points = job->mesh->start.count;
    job->budget.need = toi_search_need(TOI_BROAD_AUTO, 2 * count, job->workers) +
                       count * (ITEM_BYTES + MEMBER_BYTES) + job->mesh->faces.count * 4 +
                       points * (int64_t)sizeof *job->points + BLOCKS * TOI_BLOCK_OVERHEAD;
    bool taken = (job->points = toi_take(&job->budget, points, sizeof *job->points)) &&
                 (job->sizes = toi_take(&job->budget, count, sizeof *job->sizes)) &&
                 (job->order = toi_take(&job->budget, count, sizeof *job->order)) &&
                 (job->boxes = toi_take(&job->budget, count, sizeof *job->boxes)) &&
                 (job->quarter = toi_take(&job->budget, count, sizeof *job->quarter)) &&
                 (job->half = toi_take(&job->budget, count, sizeof *job->half));
    if (!taken)
        return toi_allocation_status();
    for (int64_t i = 0; i < count; ++i) {
        job->quarter[i] = 0;
        job->half[i] = 0;
    }
    return TOI_OK;
}

static toi_status prepare(kfree_job *job)
{
    int64_t points = job->mesh->start.count;
    toi_status status = take_room(job);
    if (status == TOI_OK && job->polygons.polygons)
        status = list_members(job);
    if (status != TOI_OK)
        return status;
    find_scale(job);
    status = toi_parallel_ranges(job->workers, points, TOI_PIECE, load_points, job);
    if (status == TOI_OK)
        status = toi_parallel_ranges(job->workers, job->count, TOI_PIECE, find_sizes, job);
    if (status == TOI_OK)
        status = order_items(job);
    if (status == TOI_OK)
        status = toi_parallel_ranges(job->workers, job->count, TOI_PIECE, find_boxes, job);
    return status;
}

static void give_back_all(kfree_job *job)
{
    toi_give_back(job->half);
    toi_give_back(job->quarter);
    toi_give_back(job->boxes);
    toi_give_back(job->order);
    toi_give_back(job->sizes);
    toi_give_back(job->points);
    toi_give_back(job->members);
    toi_give_back(job->first);
}

toi_status toi_kfree(const toi_kfree_def *def, const toi_mesh *mesh, int32_t *counts,
                     toi_kfree_report *report)
{
    TOI_GUARD_FP;
    if (!report)
        return toi_fail(TOI_ERROR_ARGUMENT, "there is no report to write to");
    *report = (toi_kfree_report){.worst = -1};
    double begin = toi_clock();
    kfree_job job = {.exponent = 0};
    toi_status status = check_call(def, mesh, &job);
    if (status == TOI_OK)
        status = prepare(&job);
    if (status == TOI_OK)
        status = search_all(&job);
    if (status == TOI_OK)
        write_report(&job, counts, report);
    give_back_all(&job);
    report->seconds_total = toi_clock() - begin;
    report->peak_bytes = job.budget.peak;
    return status;
}
