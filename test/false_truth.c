// Writes truth files that are well formed and wrong, for the test of 'toi truth --check'. Damaged
// bytes are found when a file is opened; these lies are found only by computing anew.
// Usage: false_truth TRUE.truth FALSE.truth LIE

#include "toi/truth.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A truth file in memory, to be changed. Hits come first in canonical order, vertex-face first.
typedef struct story
{
    toi_mesh mesh;
    double *start; // the mesh's, to be changed
    toi_truth_def def;
    toi_truth_entry *entries[TOI_PAIR_KINDS];
    toi_exact_time **times[TOI_PAIR_KINDS]; // NULL where an entry does not collide
} story;

static void require(bool good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "false_truth: %s: %s\n", what, toi_last_message());
    exit(1);
}

static story read_story(const toi_truth *truth)
{
    story s = {.mesh = toi_truth_mesh(truth), .def.listed = toi_truth_listed(truth)};
    size_t bytes = (size_t)s.mesh.start.count * 3 * sizeof(double);
    s.start = malloc(bytes);
    memcpy(s.start, s.mesh.start.data, bytes);
    s.mesh.start.data = s.start;
    for (int kind = 0; kind < TOI_PAIR_KINDS; ++kind) {
        int64_t count = toi_truth_count(truth, (toi_kind)kind);
        s.def.counts[kind] = count;
        s.def.candidates[kind] = toi_truth_candidates(truth, (toi_kind)kind);
        s.entries[kind] = malloc((size_t)count * sizeof *s.entries[kind]);
        s.times[kind] = malloc((size_t)count * sizeof *s.times[kind]);
        for (int64_t i = 0; i < count; ++i) {
            s.entries[kind][i] = toi_truth_at(truth, (toi_kind)kind, i);
            require(toi_truth_time(truth, (toi_kind)kind, i, &s.times[kind][i]) == TOI_OK, "time");
        }
    }
    return s;
}

static void write_story(story *s, const char *path)
{
    toi_truth_writer *writer;
    int64_t done;
    s->def.mesh = &s->mesh;
    for (int kind = 0; kind < TOI_PAIR_KINDS; ++kind)
        s->def.entries[kind] = s->entries[kind];
    require(toi_begin_truth(path, &s->def, &writer, &done) == TOI_OK, "begin");
    for (int kind = 0; kind < TOI_PAIR_KINDS; ++kind)
        for (int64_t i = 0; i < s->def.counts[kind]; ++i)
            if (s->entries[kind][i].hit)
                require(toi_append_times(writer, &s->times[kind][i], 1) == TOI_OK, "append");
    require(toi_end_truth(writer) == TOI_OK, "end");
}

// The first entry from `from` on that collides, or that does not.
static int64_t find_entry(const story *s, int kind, int64_t from, bool hit)
{
    while (from < s->def.counts[kind] && s->entries[kind][from].hit != hit)
        ++from;
    require(from < s->def.counts[kind], "there is no such entry");
    return from;
}

static void drop_entry(story *s, int kind, int64_t at)
{
    int64_t after = --s->def.counts[kind] - at;
    memmove(&s->entries[kind][at], &s->entries[kind][at + 1],
            (size_t)after * sizeof *s->entries[kind]);
    memmove(&s->times[kind][at], &s->times[kind][at + 1], (size_t)after * sizeof *s->times[kind]);
}

static void set_time(story *s, int kind, int64_t at, toi_exact_time *time)
{
    toi_truth_entry *entry = &s->entries[kind][at];
    entry->hit = time != NULL;
    entry->time = time ? toi_exact_time_floor(time) : INFINITY;
    entry->time_is_exact = time && toi_exact_time_is_double(time);
    s->times[kind][at] = time;
}

// ---------------------------------------------------------------------------------------------
// Lies

static void lie_missing(story *s)
{
    drop_entry(s, TOI_EDGE_EDGE, find_entry(s, TOI_EDGE_EDGE, 3, true));
}

static void lie_no_candidate(story *s)
{
    drop_entry(s, TOI_VERTEX_FACE, find_entry(s, TOI_VERTEX_FACE, 2, false));
    --s->def.candidates[TOI_VERTEX_FACE];
}

static void lie_separated(story *s)
{
    set_time(s, TOI_EDGE_EDGE, find_entry(s, TOI_EDGE_EDGE, 1, true), NULL);
}

static void lie_collides(story *s)
{
    int64_t hit = find_entry(s, TOI_VERTEX_FACE, 0, true);
    set_time(s, TOI_VERTEX_FACE, find_entry(s, TOI_VERTEX_FACE, 0, false),
             s->times[TOI_VERTEX_FACE][hit]);
}

static void lie_swapped(story *s)
{
    int64_t one = find_entry(s, TOI_VERTEX_FACE, 0, true), other = one;
    while (s->entries[TOI_VERTEX_FACE][other].time == s->entries[TOI_VERTEX_FACE][one].time)
        other = find_entry(s, TOI_VERTEX_FACE, other + 1, true);
    toi_exact_time *time = s->times[TOI_VERTEX_FACE][one];
    set_time(s, TOI_VERTEX_FACE, one, s->times[TOI_VERTEX_FACE][other]);
    set_time(s, TOI_VERTEX_FACE, other, time);
}

// The time a / b, when a point falls from a to a - b through a triangle; both below 2^53.
static toi_exact_time *rational_time(int64_t a, int64_t b)
{
    toi_query query = {.start = {{0, 0, (double)a}, {-1, -1, 0}, {2, -1, 0}, {-1, 2, 0}},
                       .end = {{0, 0, (double)(a - b)}, {-1, -1, 0}, {2, -1, 0}, {-1, 2, 0}}};
    toi_exact_time *time = NULL;
    require(toi_find_exact_times(TOI_VERTEX_FACE, &query, 1, 1, &time) == TOI_OK, "times");
    return time;
}

// Another number with the same floor: only the certificates tell them apart.
static void lie_same_floor(story *s)
{
    int kind = TOI_EDGE_EDGE;
    int64_t at = find_entry(s, kind, 0, true);
    while (s->entries[kind][at].time < 0.25 || s->entries[kind][at].time_is_exact)
        at = find_entry(s, kind, at + 1, true);
    double floor = s->entries[kind][at].time;
    for (int64_t b = (INT64_C(1) << 53) - 1;; --b)
        for (int64_t a = (int64_t)(floor * (double)b) - 1, end = a + 4; a < end; ++a) {
            toi_exact_time *time = rational_time(a, b);
            int order = 0;
            if (time && toi_exact_time_floor(time) == floor && !toi_exact_time_is_double(time))
                require(toi_exact_time_compare(time, s->times[kind][at], &order) == TOI_OK,
                        "compare");
            if (order != 0) {
                s->times[kind][at] = time;
                return;
            }
        }
}

static void lie_count(story *s)
{
    ++s->def.candidates[TOI_EDGE_EDGE];
}

static void lie_mesh(story *s)
{
    s->start[4] = nextafter(s->start[4], INFINITY);
}

// A vertex and a face that it is a corner of.
static void lie_neighbours(story *s)
{
    toi_truth_entry *first = &s->entries[TOI_VERTEX_FACE][0];
    const int32_t *face = s->mesh.faces.data;
    for (int corner = 0; corner < 3; ++corner)
        if (face[corner] < first->pair.a) {
            first->pair = (toi_pair){face[corner], 0};
            return;
        }
    require(false, "no corner comes before the first pair");
}

static const struct
{
    const char *name;
    void (*tell)(story *s);
} lies[] = {{"missing", lie_missing},      {"no-candidate", lie_no_candidate},
            {"separated", lie_separated},  {"collides", lie_collides},
            {"swapped", lie_swapped},      {"same-floor", lie_same_floor},
            {"count", lie_count},          {"mesh", lie_mesh},
            {"neighbours", lie_neighbours}};

// A short life: the memory goes with the process.
int main(int argc, char **argv)
{
    toi_truth *truth;
    require(argc == 4, "usage: false_truth TRUE.truth FALSE.truth LIE");
    require(toi_open_truth(argv[1], &truth) == TOI_OK, "open");
    story s = read_story(truth);
    for (size_t i = 0; i < sizeof lies / sizeof *lies; ++i)
        if (strcmp(lies[i].name, argv[3]) == 0) {
            lies[i].tell(&s);
            write_story(&s, argv[2]);
            return 0;
        }
    require(false, "there is no such lie");
}
