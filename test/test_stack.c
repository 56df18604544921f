// Calls need little stack: a program may run them on threads whose stacks are small. Every broad
// and every narrow phase runs on a stack that was painted, and the paint that is gone tells how
// much.

#define _DEFAULT_SOURCE
#include "tangles.h"

#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum
{
    STACK = 1 << 20,
    PAINT = 0xa5,
    // What include/toi/base.h promises, the C library's own share of a thread included.
    PROMISED = 64 << 10,
    ORDINARY = 32 << 10 // where no long integers are needed
};

typedef struct work
{
    void (*run)(const struct work *work);
    const toi_mesh *mesh;
    box_list boxes;
    toi_ccd_def def;
} work;

static int64_t most_used;

static void *start(void *argument)
{
    const work *w = argument;
    w->run(w);
    return NULL;
}

static void do_nothing(const work *w)
{
    (void)w;
}

static void check(bool right)
{
    if (!right)
        abort(); // cmocka may not jump off this thread
}

static void ask_all(const work *w)
{
    toi_ccd_report report;
    toi_impact_array impacts = {0};
    toi_pair_array lists[TOI_KIND_COUNT] = {{0}};
    double *steps = malloc((size_t)w->mesh->start.count * sizeof *steps);
    check(toi_find_earliest(&w->def, w->mesh, &report) == TOI_OK);
    check(toi_find_impacts(&w->def, w->mesh, &impacts, &report) == TOI_OK);
    check(toi_find_safe_steps(&w->def, w->mesh, steps, &report) == TOI_OK);
    check(toi_find_all_candidates(&w->def, w->mesh, lists, &report) == TOI_OK);
    check(impacts.count > 0 && lists[0].count > 0);
    toi_ccd_def tight = w->def;
    tight.memory_limit = 1;
    check(toi_find_impacts(&tight, w->mesh, &impacts, &report) == TOI_ERROR_LIMIT);
    for (int kind = 0; kind < TOI_KIND_COUNT; ++kind)
        toi_free_pairs(&lists[kind]);
    toi_free_impacts(&impacts);
    free(steps);
}

static void find_pairs(const work *w)
{
    toi_broad_def def = w->def.broad;
    toi_pair_array pairs = {0};
    def.workers = 1;
    check(toi_find_pairs(&def, view(w->boxes), &pairs) == TOI_OK);
    toi_free_pairs(&pairs);
}

// How many bytes of stack the work has touched.
static int64_t stack_of(work w)
{
    unsigned char *stack = aligned_alloc(4096, STACK);
    memset(stack, PAINT, STACK);
    pthread_attr_t attributes;
    pthread_t thread;
    assert_int_equal(pthread_attr_init(&attributes), 0);
    assert_int_equal(pthread_attr_setstack(&attributes, stack, STACK), 0);
    assert_int_equal(pthread_create(&thread, &attributes, start, &w), 0);
    pthread_join(thread, NULL);
    pthread_attr_destroy(&attributes);
    int64_t untouched = 0;
    while (untouched < STACK && stack[untouched] == PAINT)
        ++untouched;
    free(stack);
    return STACK - untouched;
}

static void check_stack(const work *w, int64_t most)
{
    int64_t used = stack_of(*w);
    most_used = used > most_used ? used : most_used;
#ifdef __OPTIMIZE__ // else, and with a sanitizer, every variable has a place of its own
    if (!getenv("TOI_SANITIZED") && used > most)
        fail_msg("%s and %s: %lld bytes of stack, of which a thread alone takes %lld",
                 toi_broad_name(w->def.broad.method), toi_narrow_name(w->def.narrow.method),
                 (long long)used, (long long)stack_of((work){.run = do_nothing}));
#endif
}

// All methods on a mesh.
static void check_methods(const toi_mesh *mesh)
{
    work w = {.run = ask_all, .mesh = mesh, .def = toi_default_ccd_def()};
    w.def.workers = 1; // on the calling thread
    for (int broad = 0; broad < TOI_BROAD_COUNT; ++broad) {
        w.def.broad.method = (toi_broad_method)broad;
        check_stack(&w, ORDINARY);
    }
    w.def.broad.method = TOI_BROAD_AUTO;
    for (int narrow = 1; narrow < TOI_NARROW_COUNT; ++narrow) {
        w.def.narrow.method = (toi_narrow_method)narrow;
        check_stack(&w, ORDINARY);
    }
}

static void methods_need_little_stack(void **state)
{
    (void)state;
    static const char *const levels[] = {"baseline", "avx2", "avx512"};
    tangle t = make_tangle(SOUP, ANYWHERE, EDGES_NOT_GIVEN, 1500, 5);
    for (int level = 0; level < 3; ++level)
        if (toi_set_simd(levels[level]) == TOI_OK)
            check_methods(&t.mesh);
    toi_set_simd(NULL);
    free_tangle(&t);
    print_message("at most %lld bytes of stack\n", (long long)most_used);
}

// Boxes of every kind, for what a method does with crowds and outliers.
static void odd_boxes_need_little_stack(void **state)
{
    (void)state;
    for (int kind = 0; kind < BOX_KINDS; ++kind) {
        work w = {.run = find_pairs, .def = toi_default_ccd_def()};
        w.boxes = make_boxes(kind, kind_is_dense(kind) ? 300 : 3000, 5);
        for (int broad = 0; broad < TOI_BROAD_COUNT; ++broad) {
            w.def.broad.method = (toi_broad_method)broad;
            check_stack(&w, ORDINARY);
        }
        free(w.boxes.data);
    }
    print_message("at most %lld bytes of stack\n", (long long)most_used);
}

// Coordinates of all magnitudes at once: the longest integers.
static void integers_need_little_stack(void **state)
{
    (void)state;
    double points[2][30][3];
    int32_t faces[10][3];
    toi_random random = {17};
    for (int i = 0; i < 2 * 30 * 3; ++i) {
        uint64_t bits = toi_random_bits(&random);
        (&points[0][0][0])[i] = ldexp(bits >> 63 ? -1.5 : 1.25, (int)(bits % 2040) - 1040);
    }
    for (int i = 0; i < 30; ++i)
        faces[i / 3][i % 3] = i;
    toi_mesh mesh = toi_make_mesh(points[0][0], points[1][0], 30, faces[0], 10);
    work w = {.run = ask_all, .mesh = &mesh, .def = toi_default_ccd_def()};
    w.def.workers = 1;
    check_stack(&w, PROMISED);
    print_message("at most %lld bytes of stack\n", (long long)most_used);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(methods_need_little_stack),
                                       cmocka_unit_test(odd_boxes_need_little_stack),
                                       cmocka_unit_test(integers_need_little_stack)};
    return cmocka_run_group_tests_name("stack", tests, NULL, NULL);
}
