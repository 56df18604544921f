// What toi_find_overlaps() must find in a soup, for any options.

#include "overlap_truth.h"

#include "overlap_lattice.h"
#include "overlap_twin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- All pairs

static bool boxes_meet(const overlap_soup *s, int a, int b)
{
    for (int k = 0; k < 3; ++k) {
        double low[2], high[2];
        for (int f = 0; f < 2; ++f) {
            const int32_t *v = s->face[f ? b : a];
            double x = s->points[v[0]][k], y = s->points[v[1]][k], z = s->points[v[2]][k];
            low[f] = x < y ? x < z ? x : z : y < z ? y : z;
            high[f] = x > y ? x > z ? x : z : y > z ? y : z;
        }
        if (low[0] > high[1] || low[1] > high[0])
            return false;
    }
    return true;
}

static void lattice_view(const overlap_soup *s, int f, unsigned diagonals, lattice_face *out)
{
    out->diagonals = diagonals;
    for (int i = 0; i < 3; ++i) {
        out->vertex[i] = s->face[f][i];
        for (int k = 0; k < 3; ++k)
            out->corner[i][k] = s->lattice[s->face[f][i]][k];
    }
}

static toi_corner_view corner_view(const overlap_soup *s, int f, unsigned diagonals)
{
    const int32_t *v = s->face[f];
    return (toi_corner_view){{s->points[v[0]], s->points[v[1]], s->points[v[2]]}, v, diagonals};
}

static toi_overlap_class true_class(const overlap_soup *s, int a, int b, const uint8_t *diagonals)
{
    unsigned da = diagonals ? diagonals[a] : 0, db = diagonals ? diagonals[b] : 0;
    if (!boxes_meet(s, a, b)) // a shared vertex is in both boxes
        return TOI_OVERLAP_CLASS_COUNT;
    if (s->place < PLACE_EXACT_COUNT) {
        lattice_face p, q;
        lattice_view(s, a, da, &p);
        lattice_view(s, b, db, &q);
        return lattice_classify(&p, &q).overlap_class;
    }
    toi_corner_view p = corner_view(s, a, da), q = corner_view(s, b, db);
    return find_twin_class(&p, &q);
}

static bool may_collide(const toi_filter *filter, int32_t v, int32_t w)
{
    if (filter->groups && filter->groups[v] >= 0 && filter->groups[v] == filter->groups[w])
        return false;
    return !filter->may_collide || filter->may_collide(filter->context, v, w);
}

// May a vertex of one collide with another vertex of the other?
static bool is_tested(const overlap_soup *s, const toi_filter *filter, int a, int b)
{
    if (!filter->groups && !filter->may_collide)
        return true;
    for (int i = 0; i < 9; ++i) {
        int32_t v = s->face[a][i / 3], w = s->face[b][i % 3];
        if (v != w && may_collide(filter, v, w))
            return true;
    }
    return false;
}

// ---- Rules

static const truth_rules NO_RULES = {0};

static overlap_truth empty_truth(const overlap_soup *s, const truth_rules *rules)
{
    overlap_truth truth = {.count = rules->polygons ? 0 : s->faces};
    for (int f = 0; f < s->faces && rules->polygons; ++f)
        if (rules->polygons[f] >= truth.count)
            truth.count = rules->polygons[f] + 1;
    size_t pairs = (size_t)truth.count * (size_t)truth.count;
    truth.classes = malloc(pairs + 1);
    memset(truth.classes, TOI_OVERLAP_CLASS_COUNT, pairs);
    return truth;
}

static uint8_t *entry(const overlap_truth *truth, int a, int b)
{
    return &truth
                ->classes[(size_t)(a < b ? a : b) * (size_t)truth->count + (size_t)(a < b ? b : a)];
}

static overlap_truth make_truth(const overlap_soup *s, const truth_rules *rules,
                                const overlap_truth *known)
{
    overlap_truth truth = empty_truth(s, rules);
    for (int a = 0; a < s->faces; ++a)
        for (int b = a + 1; b < s->faces; ++b) {
            int p = rules->polygons ? rules->polygons[a] : a;
            int q = rules->polygons ? rules->polygons[b] : b;
            if (p == q || !is_tested(s, &rules->filter, a, b))
                continue;
            uint8_t least =
                known ? *entry(known, a, b) : (uint8_t)true_class(s, a, b, rules->diagonals);
            if (least < *entry(&truth, p, q))
                *entry(&truth, p, q) = least;
        }
    return truth;
}

overlap_truth find_truth(const overlap_soup *s, const truth_rules *rules)
{
    return make_truth(s, rules ? rules : &NO_RULES, NULL);
}

overlap_truth restrict_truth(const overlap_truth *truth, const overlap_soup *s,
                             const truth_rules *rules)
{
    return make_truth(s, rules, truth);
}

void free_truth(overlap_truth *truth)
{
    free(truth->classes);
    *truth = (overlap_truth){0};
}

// ---- Lists

toi_overlap_array list_truth(const overlap_truth *truth, uint32_t classes, int64_t limit,
                             bool *complete)
{
    toi_overlap_array list = {0};
    *complete = true;
    for (int a = 0; a < truth->count; ++a)
        for (int b = a + 1; b < truth->count; ++b) {
            uint8_t found = *entry(truth, a, b);
            if (found == TOI_OVERLAP_CLASS_COUNT || !(classes >> found & 1))
                continue;
            if (limit > 0 && list.count == limit) {
                *complete = false;
                return list;
            }
            if (list.count == list.capacity) {
                list.capacity = 2 * list.capacity + 64;
                list.data = realloc(list.data, (size_t)list.capacity * sizeof *list.data);
            }
            list.data[list.count++] = (toi_overlap){a, b, found};
        }
    return list;
}

static const char *class_text(int32_t overlap_class)
{
    const char *name = toi_overlap_class_name((toi_overlap_class)overlap_class);
    return name ? name : "nothing";
}

static void fail_at(const char *what, const toi_overlap *expected, const toi_overlap *found)
{
    char text[2][96] = {"the end", "the end"};
    for (int i = 0; i < 2; ++i) {
        const toi_overlap *o = i ? found : expected;
        if (o)
            snprintf(text[i], sizeof text[i], "%d %d %s", o->a, o->b, class_text(o->overlap_class));
    }
    fail_msg("%s: found %s instead of %s", what, text[1], text[0]);
}

static void expect_counts(const char *what, const toi_overlap_array *expected,
                          const toi_overlap_report *report)
{
    int64_t by_class[TOI_OVERLAP_CLASS_COUNT] = {0};
    for (int64_t i = 0; i < expected->count; ++i)
        ++by_class[expected->data[i].overlap_class];
    if (report->pairs != expected->count)
        fail_msg("%s: %lld pairs reported, not %lld", what, (long long)report->pairs,
                 (long long)expected->count);
    for (int i = 0; i < TOI_OVERLAP_CLASS_COUNT; ++i)
        if (report->by_class[i] != by_class[i])
            fail_msg("%s: %lld of class %s reported, not %lld", what,
                     (long long)report->by_class[i], class_text(i), (long long)by_class[i]);
}

void expect_overlaps(const char *what, const toi_overlap_array *expected,
                     const toi_overlap_array *found, const toi_overlap_report *report)
{
    for (int64_t i = 0; i < expected->count || i < found->count; ++i) {
        const toi_overlap *e = i < expected->count ? &expected->data[i] : NULL;
        const toi_overlap *f = i < found->count ? &found->data[i] : NULL;
        if (!e || !f || e->a != f->a || e->b != f->b || e->overlap_class != f->overlap_class)
            fail_at(what, e, f);
    }
    if (report)
        expect_counts(what, expected, report);
}

static void check_flags(const char *what, const toi_overlap_def *def, const toi_mesh *mesh,
                        const overlap_truth *truth, const toi_overlap_array *all)
{
    uint8_t expected[SOUP_FACES + 1] = {0}, found[SOUP_FACES + 1];
    toi_overlap_report report;
    memset(found, 7, sizeof found);
    for (int64_t i = 0; i < all->count; ++i)
        expected[all->data[i].a] = expected[all->data[i].b] = 1;
    assert_ok(toi_flag_overlaps(def, mesh, found, &report));
    for (int i = 0; i < truth->count; ++i)
        if (found[i] != expected[i])
            fail_msg("%s: flag %d is %d", what, i, found[i]);
    assert_int_equal(found[truth->count], 7);
    assert_int_equal(report.faces, mesh->faces.count);
}

overlap_work overlap_work_done;

static void note_work(const toi_overlap_report *report)
{
    overlap_work *done = &overlap_work_done;
    ++done->calls;
    done->candidates += report->candidates;
    done->exact += report->exact;
    done->stars += report->stars;
}

void check_overlaps(const char *what, const toi_overlap_def *def, const toi_mesh *mesh,
                    const overlap_truth *truth, bool all)
{
    bool complete;
    toi_overlap_array found = {0}, expected;
    toi_overlap_report report;
    expected = list_truth(truth, def->classes, def->limit, &complete);
    toi_status status = toi_find_overlaps(def, mesh, &found, &report);
    if (status == TOI_ERROR_UNSUPPORTED && def->method == TOI_OVERLAP_KDET) {
        free(expected.data); // a build without the methods of the literature
        return;
    }
    assert_ok(status);
    expect_overlaps(what, &expected, &found, &report);
    note_work(&report);
    assert_int_equal(report.complete, complete);
    assert_int_equal(report.faces, mesh->faces.count);
    toi_free_overlaps(&found);
    free(expected.data);
    if (!all)
        return;
    expected = list_truth(truth, def->classes, 0, &complete);
    assert_ok(toi_count_overlaps(def, mesh, &report));
    expect_counts(what, &expected, &report);
    assert_true(report.complete);
    check_flags(what, def, mesh, truth, &expected);
    free(expected.data);
}
