// The memory limit is a promise: what the allocator sees never exceeds it, the report says what the
// allocator saw, and a limit that is refused comes with one that is enough.

#include "steps.h"
#include "tangles.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------
// What the allocator sees

static struct
{
    _Atomic int64_t bytes, peak; // held now, and most after any allocation
    int64_t base;                // held by what is the caller's, or an object itself
} ledger;

static void *counting_allocate(void *user, size_t size, size_t alignment)
{
    (void)user;
    int64_t bytes = atomic_fetch_add(&ledger.bytes, (int64_t)size) + (int64_t)size;
    int64_t peak = ledger.peak;
    while (bytes > peak && !atomic_compare_exchange_weak(&ledger.peak, &peak, bytes)) {}
    return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static void counting_release(void *user, void *memory, size_t size)
{
    (void)user;
    ledger.bytes -= (int64_t)size;
    free(memory);
}

static int count_bytes(void **state)
{
    (void)state;
    ledger.bytes = ledger.base = 0;
    toi_set_hooks(&(toi_hooks){.allocate = counting_allocate, .release = counting_release});
    return 0;
}

static int stop_counting(void **state)
{
    (void)state;
    int64_t left = ledger.bytes;
    toi_set_hooks(NULL);
    return left == 0 ? 0 : -1;
}

// ---------------------------------------------------------------------------------------------
// Calls of every kind

// What is asked, of boxes or of a mesh.
typedef enum question
{
    PAIRS,
    PAIRS_OWN,
    PAIRS_BETWEEN,
    PAIRS_STREAM,
    EARLIEST,
    IMPACTS,
    STEPS,
    CANDIDATES,
    ALL_CANDIDATES,
    ALL_CANDIDATES_OWN,
    CANDIDATE_STREAM,
    CLOSE,
    CLOSE_STREAM,
    CLOSEST,
    RADII,
    QUESTIONS
} question;

static const char *const question_names[QUESTIONS] = {"pairs",
                                                      "pairs in own order",
                                                      "pairs between",
                                                      "stream of pairs",
                                                      "earliest",
                                                      "impacts",
                                                      "steps",
                                                      "candidates",
                                                      "candidates",
                                                      "candidates, own",
                                                      "candidate stream",
                                                      "close pairs",
                                                      "stream of close pairs",
                                                      "closest pair",
                                                      "radii"};

typedef struct call
{
    question question;
    toi_ccd_def def; // the broad definition inside serves boxes too
    box_list a, b;
    const toi_mesh *mesh;
    toi_scene *scene; // or NULL
    double *steps;
    // What came back, reused by the next call.
    toi_pair_array lists[TOI_KIND_COUNT];
    toi_impact_array impacts;
    toi_close_array close;
    uint64_t answer;
    int64_t peak_bytes; // -1: not reported
} call;

static _Atomic uint64_t stream_sum;

static toi_status add_up(void *context, const toi_pair *pairs, int64_t count, int worker)
{
    (void)context;
    (void)worker;
    for (int64_t i = 0; i < count; ++i)
        stream_sum += ((uint64_t)(uint32_t)pairs[i].a << 32 | (uint32_t)pairs[i].b) *
                      UINT64_C(0x9e3779b97f4a7c15);
    return TOI_OK;
}

// Own order may be another one from call to call where there is a memory: then it does not count.
static uint64_t hash_lists(const call *c, int count)
{
    uint64_t hash = 0;
    bool sum = (c->def.broad.memory || c->scene) &&
               (c->question == PAIRS_OWN || c->question == ALL_CANDIDATES_OWN);
    for (int i = 0; i < count; ++i) {
        const toi_pair_array *list = &c->lists[i];
        if (sum)
            add_up(NULL, list->data, list->count, 0);
        else
            hash = 31 * hash + toi_hash(list->data, (size_t)list->count * sizeof *list->data);
    }
    return sum ? stream_sum : hash;
}

static toi_status ask_of_boxes(call *c)
{
    toi_broad_def def = c->def.broad;
    def.workers = c->def.workers;
    def.memory_limit = c->def.memory_limit;
    def.order = c->question == PAIRS_OWN ? TOI_ORDER_OWN : TOI_ORDER_CANONICAL;
    toi_status status = c->question == PAIRS_STREAM
                            ? toi_stream_pairs(&def, view(c->a), NULL, add_up, NULL)
                        : c->question == PAIRS_BETWEEN
                            ? toi_find_pairs_between(&def, view(c->a), view(c->b), &c->lists[0])
                            : toi_find_pairs(&def, view(c->a), &c->lists[0]);
    c->answer = c->question == PAIRS_STREAM ? stream_sum : hash_lists(c, 1);
    return status;
}

static toi_status add_up_close(void *context, const toi_close_pair *close, int64_t count,
                               int worker)
{
    (void)context;
    (void)worker;
    for (int64_t i = 0; i < count; ++i)
        stream_sum += toi_hash(&close[i], sizeof close[i]);
    return TOI_OK;
}

// Of one instant.
static toi_status ask_about_distances(call *c, toi_ccd_report *report)
{
    const double radius = 0.1;
    toi_status status;
    if (c->question == CLOSE) {
        status = ask_close(c->scene, &c->def, c->mesh, radius, &c->close, report);
        c->answer = toi_hash(c->close.data, (size_t)c->close.count * sizeof *c->close.data);
    } else if (c->question == CLOSE_STREAM) {
        status = ask_close_stream(c->scene, &c->def, c->mesh, radius, add_up_close, NULL, report);
        c->answer = stream_sum;
    } else if (c->question == CLOSEST) {
        toi_close_pair closest;
        status = ask_distance(c->scene, &c->def, c->mesh, &closest, report);
        c->answer = toi_hash(&closest, sizeof closest);
    } else {
        status = ask_safe_radii(c->scene, &c->def, c->mesh, radius, c->steps, report);
        c->answer = toi_hash(c->steps, (size_t)c->mesh->start.count * sizeof *c->steps);
    }
    return status;
}

static toi_status ask_of_mesh(call *c)
{
    toi_ccd_report report = {0};
    toi_status status = TOI_OK;
    c->def.broad.order = c->question == ALL_CANDIDATES_OWN ? TOI_ORDER_OWN : TOI_ORDER_CANONICAL;
    if (c->question == EARLIEST) {
        status = ask_earliest(c->scene, &c->def, c->mesh, &report);
        c->answer = toi_hash(&report.earliest, sizeof report.earliest);
    } else if (c->question == IMPACTS) {
        status = ask_impacts(c->scene, &c->def, c->mesh, &c->impacts, &report);
        c->answer = toi_hash(c->impacts.data, (size_t)c->impacts.count * sizeof *c->impacts.data);
    } else if (c->question == STEPS) {
        status = ask_safe_steps(c->scene, &c->def, c->mesh, c->steps, &report);
        c->answer = toi_hash(c->steps, (size_t)c->mesh->start.count * sizeof *c->steps);
    } else if (c->question == CANDIDATES) {
        status = ask_candidates(c->scene, &c->def, c->mesh, TOI_EDGE_EDGE, &c->lists[0], &report);
        c->answer = hash_lists(c, 1);
    } else if (c->question == CANDIDATE_STREAM) {
        for (int kind = 0; kind < TOI_KIND_COUNT && status == TOI_OK; ++kind)
            status = ask_candidate_stream(c->scene, &c->def, c->mesh, (toi_kind)kind, add_up, NULL,
                                          &report);
        c->answer = stream_sum;
    } else if (c->question >= CLOSE) {
        status = ask_about_distances(c, &report);
    } else {
        status = ask_all_candidates(c->scene, &c->def, c->mesh, c->lists, &report);
        c->answer = hash_lists(c, TOI_KIND_COUNT);
    }
    // Of two calls the report is that of the second.
    c->peak_bytes = c->question == CANDIDATE_STREAM ? -1 : report.peak_bytes;
    return status;
}

static toi_status ask(call *c)
{
    ledger.peak = 0;
    stream_sum = 0;
    c->peak_bytes = -1;
    return c->mesh ? ask_of_mesh(c) : ask_of_boxes(c);
}

static void forget_lists(call *c)
{
    for (int kind = 0; kind < TOI_KIND_COUNT; ++kind)
        toi_free_pairs(&c->lists[kind]);
    toi_free_impacts(&c->impacts);
    toi_free_close(&c->close);
}

static const char *describe(const call *c)
{
    static char text[200];
    snprintf(text, sizeof text, "%s by %s and %s, %d workers%s, limit %lld",
             question_names[c->question], toi_broad_name(c->def.broad.method),
             toi_narrow_name(c->def.narrow.method), c->def.workers,
             c->scene              ? ", of a scene"
             : c->def.broad.memory ? ", with memory"
                                   : "",
             (long long)c->def.memory_limit);
    return text;
}

// The allocator must not have seen more than the limit, and the report must say what it saw. With
// several workers the report may be a little above: a block counts until it is given back. A scene
// may have held more when the call began.
static void check_peak(const call *c, toi_status status)
{
    int64_t peak = (ledger.peak > 0 ? ledger.peak : ledger.bytes) - ledger.base;
    bool took = ledger.peak > 0 || status == TOI_OK; // faces and edges of a scene are there anyway
    if (c->def.memory_limit > 0 && took && peak > c->def.memory_limit)
        fail_msg("%s: %lld bytes taken", describe(c), (long long)peak);
    if (status != TOI_OK || c->peak_bytes < 0)
        return;
    bool right = c->scene              ? c->peak_bytes >= peak
                 : c->def.workers == 1 ? c->peak_bytes == peak
                                       : c->peak_bytes >= peak && c->peak_bytes <= 2 * peak;
    if (!right)
        fail_msg("%s: %lld bytes taken, %lld reported", describe(c), (long long)peak,
                 (long long)c->peak_bytes);
}

// The number of bytes that the message names as enough: "... needs 79.7 MiB (83,571,712 bytes)".
static int64_t named_bytes(const call *c)
{
    const char *at = strstr(toi_last_message(), "needs");
    at = at ? strchr(at, '(') : NULL;
    int64_t bytes = 0;
    for (; at && *at && *at != ' '; ++at)
        if (*at >= '0' && *at <= '9')
            bytes = 10 * bytes + *at - '0';
    if (bytes <= c->def.memory_limit)
        fail_msg("%s: \"%s\" names no larger limit", describe(c), toi_last_message());
    return bytes;
}

// From a limit far too small, the numbers named must lead to success at once: a call without a list
// names all that it needs, one with a list may have to be told its length by a second refusal.
// Returns the limit that was enough.
static int64_t follow_the_messages(call *c)
{
    bool lists = c->question != PAIRS_STREAM && c->question != EARLIEST && c->question != STEPS &&
                 c->question != CANDIDATE_STREAM && c->question <= CLOSE;
    toi_status status;
    c->def.memory_limit = 1;
    for (int retries = 0; (status = ask(c)) == TOI_ERROR_LIMIT; ++retries) {
        check_peak(c, status);
        if (retries == (lists ? 2 : 1))
            fail_msg("%s: still \"%s\"", describe(c), toi_last_message());
        c->def.memory_limit = named_bytes(c);
    }
    assert_ok(status);
    check_peak(c, status);
    return c->def.memory_limit;
}

// All that is promised of one call, for limits from nothing to plenty, with a memory or a scene, or
// without.
static void check_limits(call *c, bool memory)
{
    c->def.broad.memory = NULL;
    c->scene = NULL;
    if (memory && c->mesh)
        assert_ok(make_scene_of(c->mesh, NULL, &c->scene));
    else if (memory)
        assert_ok(toi_make_broad_memory(&c->def.broad.memory));
    ledger.base = ledger.bytes - toi_scene_bytes(c->scene);
    c->def.memory_limit = 0;
    assert_ok(ask(c));
    check_peak(c, TOI_OK);
    uint64_t expected = c->answer;
    int64_t refused = 0, held = 0;
    forget_lists(c);
    int64_t enough = follow_the_messages(c);
    assert_true(c->answer == expected);
    for (int64_t limit = 1 << 14; limit < 3 * enough; limit += 2 * limit / 3) {
        c->def.memory_limit = limit;
        if (held % 2 == 1) // now with lists from the last call, now without
            forget_lists(c);
        toi_status status = ask(c);
        check_peak(c, status);
        assert_true(status == TOI_OK || status == TOI_ERROR_LIMIT);
        if (status == TOI_OK && c->answer != expected)
            fail_msg("%s: another answer", describe(c));
        if (limit >= enough)
            assert_int_equal(status, TOI_OK);
        refused += status != TOI_OK;
        held += status == TOI_OK;
    }
    assert_true(refused > 0 && held > 0);
    forget_lists(c);
    toi_free_broad_memory(c->def.broad.memory);
    c->def.broad.memory = NULL;
    toi_free_scene(c->scene);
    c->scene = NULL;
}

// ---------------------------------------------------------------------------------------------
// Boxes

// The list that a trial broke the promise with: 2,000 identical boxes, a list from an earlier call.
static void identical_boxes_hold_their_limit(void **state)
{
    (void)state;
    call c = {.question = PAIRS, .def = toi_default_ccd_def()};
    int64_t count = getenv("TOI_SANITIZED") ? 1000 : 2000, pairs = count * (count - 1) / 2;
    c.a = make_boxes(IDENTICAL, count, 1);
    for (int method = 0; method < TOI_BROAD_COUNT; ++method) {
        c.def.broad.method = (toi_broad_method)method;
        c.def.workers = 1 + method % 2;
        c.def.memory_limit = 0;
        assert_ok(ask(&c));
        assert_int_equal(c.lists[0].count, pairs);
        uint64_t expected = c.answer;
        c.def.memory_limit = 202726;
        assert_int_equal(ask(&c), TOI_ERROR_LIMIT);
        check_peak(&c, TOI_ERROR_LIMIT);
        assert_non_null(strstr(toi_last_message(), "the memory limit of 198.0 KiB is too small"));
        // The list is 15.3 MiB: a fifth more is enough for all methods.
        c.def.memory_limit = pairs * 8 * 6 / 5;
        assert_ok(ask(&c));
        check_peak(&c, TOI_OK);
        assert_true(c.answer == expected);
    }
    forget_lists(&c);
    free(c.a.data);
}

// Every kind of boxes and method; questions, workers and memory in turn.
static void boxes_hold_every_limit(void **state)
{
    (void)state;
    bool small = getenv("TOI_SANITIZED") != NULL;
    for (int kind = 0; kind < BOX_KINDS; ++kind) {
        int64_t count = kind_is_dense(kind) ? 120 : small ? 250 : 500;
        call c = {.def = toi_default_ccd_def()};
        c.a = make_boxes(kind, count, 7);
        c.b = make_boxes(kind, count / 2, 8);
        for (int method = 0; method < TOI_BROAD_COUNT; ++method) {
            c.question = (question)(PAIRS + (method + kind) % 4);
            c.def.broad.method = (toi_broad_method)method;
            c.def.workers = 1 + (method + kind / 4) % 4;
            check_limits(&c, (method + kind) % 5 < 2);
        }
        free(c.a.data);
        free(c.b.data);
    }
}

// Larger sets, where what a method takes for a box shows, by the messages alone.
static void messages_name_enough_for_many_boxes(void **state)
{
    (void)state;
    bool small = getenv("TOI_SANITIZED") != NULL;
    for (int kind = 0; kind < BOX_KINDS; ++kind) {
        if (kind_is_dense(kind) || kind_defeats_floats(kind))
            continue;
        call c = {.def = toi_default_ccd_def()};
        c.a = make_boxes(kind, small ? 1000 : 6000, 3);
        for (int method = 0; method < TOI_BROAD_COUNT; ++method) {
            c.question = (question)(PAIRS_OWN + method % 2 * (PAIRS_STREAM - PAIRS_OWN));
            c.def.broad.method = (toi_broad_method)method;
            c.def.workers = 1 + (kind + method) % 4;
            follow_the_messages(&c);
            forget_lists(&c);
        }
        free(c.a.data);
    }
}

// ---------------------------------------------------------------------------------------------
// Meshes

static void try_mesh(const tangle *t, int narrow, int broad, int workers, bool memory)
{
    call c = {.def = toi_default_ccd_def(), .mesh = &t->mesh};
    c.steps = malloc((size_t)t->mesh.start.count * sizeof *c.steps);
    c.def.narrow.method = (toi_narrow_method)narrow;
    c.def.broad.method = (toi_broad_method)broad;
    c.def.workers = workers;
    for (int q = EARLIEST; q < QUESTIONS; ++q) {
        c.question = (question)q;
        if (narrow > 0 && q > STEPS)
            break; // candidates and distances have no narrow phase
        check_limits(&c, memory);
    }
    free(c.steps);
}

static void meshes_hold_every_limit(void **state)
{
    (void)state;
    int64_t faces = getenv("TOI_SANITIZED") ? 60 : 250;
    tangle tangles[] = {make_tangle(SOUP, ANYWHERE, EDGES_NOT_GIVEN, faces, 5),
                        make_tangle(SOUP, ANYWHERE, PACKED, faces, 6)};
    for (int i = 0; i < TOI_BROAD_COUNT; ++i)
        try_mesh(&tangles[i % 2], 0, i, 1 + i % 4, i % 3 == 0);
    for (int i = 1; i < TOI_NARROW_COUNT; ++i)
        try_mesh(&tangles[i % 2], i, TOI_BROAD_AUTO, 1 + i % 2, false);
    free_tangle(&tangles[0]);
    free_tangle(&tangles[1]);
}

// Coordinates of all magnitudes at once: the integers of `exact` outgrow their scratch. What they
// take counts, and the answer does not depend on whether there is more.
static void integers_count_too(void **state)
{
    (void)state;
    enum
    {
        FACES = 12
    };
    double points[2][3 * FACES][3];
    int32_t faces[FACES][3];
    toi_random random = {17};
    for (int i = 0; i < 2 * 3 * FACES * 3; ++i) {
        uint64_t bits = toi_random_bits(&random);
        int exponent = (int)(bits % 2040) - 1040;
        (&points[0][0][0])[i] = ldexp(bits >> 63 ? -1.5 : 1.25, exponent);
    }
    for (int i = 0; i < 3 * FACES; ++i)
        faces[i / 3][i % 3] = i;
    toi_mesh mesh = toi_make_mesh(points[0][0], points[1][0], 3 * FACES, faces[0], FACES);
    call c = {.question = IMPACTS, .def = toi_default_ccd_def(), .mesh = &mesh};
    for (c.def.workers = 1; c.def.workers <= 2; ++c.def.workers)
        check_limits(&c, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(identical_boxes_hold_their_limit, count_bytes,
                                        stop_counting),
        cmocka_unit_test_setup_teardown(boxes_hold_every_limit, count_bytes, stop_counting),
        cmocka_unit_test_setup_teardown(messages_name_enough_for_many_boxes, count_bytes,
                                        stop_counting),
        cmocka_unit_test_setup_teardown(meshes_hold_every_limit, count_bytes, stop_counting),
        cmocka_unit_test_setup_teardown(integers_count_too, count_bytes, stop_counting),
    };
    return cmocka_run_group_tests_name("limits", tests, NULL, NULL);
}
