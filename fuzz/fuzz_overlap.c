// Any bytes as a soup of faces and options: every method gives the same pairs, the first ones have
// the class that rationals say, and counts, flags, limits and classes fit the list.

#include "fuzz.h"

#include "overlap_twin.h"
#include "toi/overlap.h"

#include <math.h>

enum
{
    MOST_VERTICES = 40,
    MOST_FACES = 60,
    TWIN_PAIRS = 12 // rationals take their time
};

typedef struct question
{
    int vertices;
    int faces;
    double points[MOST_VERTICES][3];
    int32_t face[MOST_FACES][3];
    int32_t groups[MOST_VERTICES];
    int32_t polygons[MOST_FACES];
    toi_overlap_def def;
} question;

// Mostly small whole numbers, so that much touches; now and then any.
static double take_number(fuzz_bytes *bytes)
{
    uint8_t kind = take_byte(bytes);
    if (kind < 224)
        return kind % 8;
    if (kind == 255)
        return take_double(bytes);
    double small = (int8_t)take_byte(bytes) / 16.0;
    return kind < 240   ? small
           : kind < 248 ? nextafter(kind % 8, small)
                        : ldexp(small, 4 * (int8_t)take_byte(bytes));
}

static void take_question(fuzz_bytes *bytes, question *q)
{
    uint8_t what = take_byte(bytes);
    q->vertices = 1 + take_byte(bytes) % MOST_VERTICES;
    q->faces = take_byte(bytes) % (MOST_FACES + 1);
    for (int i = 0; i < 3 * q->vertices; ++i)
        q->points[i / 3][i % 3] = take_number(bytes);
    for (int i = 0; i < 3 * q->faces; ++i)
        q->face[i / 3][i % 3] = take_byte(bytes) % q->vertices;
    q->def = toi_default_overlap_def();
    uint8_t workers = take_byte(bytes);
    q->def.workers = workers < 240 ? 1 : workers % 4 + 1; // threads take their time
    if (what & 1) {
        for (int i = 0; i < q->vertices; ++i)
            q->groups[i] = take_byte(bytes) % 4 - 1;
        q->def.filter = (toi_filter){.groups = q->groups, .group_count = q->vertices};
    }
    if (what & 2) {
        for (int i = 0; i < q->faces; ++i)
            q->polygons[i] = take_byte(bytes) % MOST_FACES;
        q->def.polygons = (toi_polygon_view){.polygons = q->polygons, .count = q->faces};
    }
    if (what & 4)
        q->def.classes = 1 + take_byte(bytes) % 127;
    if (what & 8)
        q->def.limit = take_byte(bytes);
    if (what & 16)
        q->def.memory_limit = 256 * (int64_t)take_byte(bytes) * take_byte(bytes);
    static const char *const simd[] = {NULL, "avx512", "avx2", "baseline"};
    toi_set_simd(simd[what >> 6]);
}

static bool same_lists(const toi_overlap_array *a, const toi_overlap_array *b)
{
    return a->count == b->count &&
           (a->count == 0 || memcmp(a->data, b->data, (size_t)a->count * sizeof *a->data) == 0);
}

static void check_report(const toi_overlap_report *r, int64_t pairs)
{
    int64_t sum = 0;
    for (int i = 0; i < TOI_OVERLAP_CLASS_COUNT; ++i)
        sum += r->by_class[i];
    CHECK(r->pairs == pairs && sum == pairs);
}

// The list without a limit says what all other calls must.
static void check_modes(const question *q, const toi_mesh *mesh, const toi_overlap_array *all)
{
    uint8_t flags[MOST_FACES], expected[MOST_FACES] = {0};
    toi_overlap_report report;
    for (int64_t i = 0; i < all->count; ++i)
        expected[all->data[i].a] = expected[all->data[i].b] = 1;
    toi_overlap_def def = q->def;
    def.memory_limit = 0;
    CHECK(toi_count_overlaps(&def, mesh, &report) == TOI_OK);
    check_report(&report, all->count);
    CHECK(toi_flag_overlaps(&def, mesh, flags, &report) == TOI_OK);
    int count = q->def.polygons.polygons ? 0 : q->faces;
    for (int i = 0; i < q->faces && q->def.polygons.polygons; ++i)
        count = q->polygons[i] >= count ? q->polygons[i] + 1 : count;
    CHECK(memcmp(flags, expected, (size_t)count) == 0);
    toi_overlap_array list = {0};
    toi_status status = toi_find_overlaps(&q->def, mesh, &list, &report);
    CHECK(status == TOI_OK || (status == TOI_ERROR_LIMIT && q->def.memory_limit > 0));
    if (status == TOI_OK) {
        int64_t first = q->def.limit > 0 && q->def.limit < all->count ? q->def.limit : all->count;
        toi_overlap_array cut = {all->data, first, 0};
        CHECK(same_lists(&list, &cut) && report.complete == (first == all->count));
        check_report(&report, first);
        CHECK(q->def.memory_limit == 0 || report.peak_bytes <= q->def.memory_limit);
    }
    toi_free_overlaps(&list);
}

static toi_corner_view view_of(const question *q, int f)
{
    const int32_t *v = q->face[f];
    return (toi_corner_view){{q->points[v[0]], q->points[v[1]], q->points[v[2]]}, v, 0};
}

// The first pairs of faces, in lists of faces that nothing is left out of.
static void check_classes(const question *q, const toi_overlap_array *all)
{
    int64_t at = 0;
    int asked = 0;
    for (int a = 0; a < q->faces; ++a)
        for (int b = a + 1; b < q->faces; ++b) {
            const toi_overlap *o = at < all->count ? &all->data[at] : NULL;
            bool listed = o && o->a == a && o->b == b;
            if (asked++ == TWIN_PAIRS)
                return;
            toi_corner_view p = view_of(q, a), r = view_of(q, b);
            CHECK((int)find_twin_class(&p, &r) ==
                  (listed ? o->overlap_class : TOI_OVERLAP_CLASS_COUNT));
            at += listed;
        }
}

static void check_answers(const question *q, const toi_mesh *mesh)
{
    toi_overlap_array lists[TOI_OVERLAP_METHOD_COUNT] = {0};
    toi_overlap_def def = q->def;
    def.limit = def.memory_limit = 0;
    for (int m = 0; m < TOI_OVERLAP_METHOD_COUNT; ++m) {
        toi_overlap_report report;
        def.method = (toi_overlap_method)m;
        def.hash = (toi_cell_hash)(m == TOI_OVERLAP_KDET ? q->faces % TOI_CELL_HASH_COUNT : 0);
        toi_status status = toi_find_overlaps(&def, mesh, &lists[m], &report);
        if (m == TOI_OVERLAP_KDET && status == TOI_ERROR_UNSUPPORTED)
            continue; // not in every build
        CHECK(status == TOI_OK);
        check_report(&report, lists[m].count);
        CHECK(same_lists(&lists[m], &lists[0]));
    }
    check_modes(q, mesh, &lists[0]);
    if (!q->def.filter.groups && !q->def.polygons.polygons &&
        q->def.classes == (1u << TOI_OVERLAP_CLASS_COUNT) - 1)
        check_classes(q, &lists[0]);
    for (int m = 0; m < TOI_OVERLAP_METHOD_COUNT; ++m)
        toi_free_overlaps(&lists[m]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_bytes bytes = {data, size};
    question q = {0};
    take_question(&bytes, &q);
    toi_mesh mesh = {.start = toi_view_points(q.points[0], q.vertices),
                     .faces = {q.face[0], q.faces, 0}};
    toi_overlap_array list = {0};
    toi_overlap_def plain = toi_default_overlap_def();
    plain.workers = 1;
    if (toi_find_overlaps(&plain, &mesh, &list, NULL) == TOI_OK)
        check_answers(&q, &mesh);
    else
        CHECK(strlen(toi_last_message()) > 0); // a coordinate that is not finite
    toi_free_overlaps(&list);
    toi_set_simd(NULL);
    return 0;
}
