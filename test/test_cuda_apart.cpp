// A card's whole ladder with a separation, absolute or relative, on the host: boxes of 15 bits,
// directions, searches, times and places, of every query, against the processor's. No verdict may
// be wrong; what the card would leave to the host is counted.

#include "cuda/apart_ladder.cuh"

extern "C"
{
#include "apart_batch.h"
#include "exact/apart_queries.h"
#include "exact/hard_queries.h"
#include "real_frames.h"
#include "support.h"
}
#include "cuda_apart.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

enum rung
{
    BOXES,
    DIRECTIONS,
    SEARCH,
    NOT_ASKED,
    TIMES,
    KNOTS,
    HANDED_OVER,
    RUNGS
};

static const char *const rung_names[RUNGS] = {"boxes", "directions", "search",     "not asked",
                                              "times", "knots",      "handed over"};

struct verdict
{
    rung by;
    bool hit, inside;
    toi_impact impact;
    double close; // they have come to their separation by then
    double clear; // they have not by then
};

// ---- One query

// The corners of both primitives as the card has them.
struct rounded_query
{
    float x[2][4][3], off[2]; // how far the primitives' coordinates are off
};

static rounded_query round_query(const toi_frame *f, bool edge_edge, double points[2][4][3])
{
    rounded_query r = {};
    for (int i = 0; i < 24; ++i) {
        int end = i / 12, c = i / 3 % 4, k = i % 3;
        r.x[end][c][k] =
            toi_round_into_frame(f, points[end][c][k], k, &r.off[c >= (edge_edge ? 2 : 1)]);
    }
    return r;
}

// A box of 15 bits a side at both ends.
struct stepped_box
{
    int low[2][3], high[2][3];
};

static stepped_box step_box(const toi_frame *f, float reach, const rounded_query *r, int first,
                            int last)
{
    stepped_box box;
    for (int i = 0; i < 6; ++i) {
        int end = i / 3, k = i % 3;
        float low = INFINITY, high = -INFINITY;
        for (int c = first; c < last; ++c) {
            low = std::min(low, r->x[end][c][k]);
            high = std::max(high, r->x[end][c][k]);
        }
        float by = toi_reach_for(reach, r->off[last == 4]);
        box.low[end][k] = (int)toi_box_step(f, toi_reach_down(low, by), k);
        box.high[end][k] = (int)toi_box_step(f, toi_reach_up(high, by), k);
    }
    return box;
}

// A box that holds other primitives, too.
static stepped_box widen_box(const stepped_box &box, int most)
{
    static toi_random random = {5};
    stepped_box wide = box;
    for (int i = 0; i < 6; ++i) {
        int end = i / 3, k = i % 3;
        wide.low[end][k] = std::max(1, box.low[end][k] - (int)toi_random_below(&random, most));
        wide.high[end][k] =
            std::min(32766, box.high[end][k] + (int)toi_random_below(&random, most));
    }
    return wide;
}

static float radius_of(const toi_box_margin *m, const stepped_box &b)
{
    float extent[3];
    for (int k = 0; k < 3; ++k)
        extent[k] = (float)(b.high[0][k] - b.low[0][k]);
    return toi_box_radius(m, extent);
}

// As toi_boxes_part_by() of src/cuda/box_margin.cuh.
static bool boxes_part(const toi_box_margin *m, const stepped_box &a, const stepped_box &b,
                       float radii)
{
    bool part = false, swept = false;
    float gaps[3], twice[3];
    for (int k = 0; k < 3; ++k) {
        int above = std::min(a.low[0][k] - b.high[0][k], a.low[1][k] - b.high[1][k]);
        int below = std::min(b.low[0][k] - a.high[0][k], b.low[1][k] - a.high[1][k]);
        swept = swept ||
                std::min(a.low[0][k], a.low[1][k]) > std::max(b.high[0][k], b.high[1][k]) ||
                std::min(b.low[0][k], b.low[1][k]) > std::max(a.high[0][k], a.high[1][k]);
        part = part || above > 0 || below > 0;
        gaps[k] = (float)std::max(above, below);
        twice[k] = (float)(a.low[0][k] + a.high[0][k] - b.low[0][k] - b.high[0][k]);
    }
    return m->share > 0 && part ? swept || toi_gap_suffices(m, gaps, twice, radii) : part;
}

// The boxes of the two, or boxes around these, as eights, blocks and groups have.
static bool some_boxes_part(const toi_frame *f, const toi_apart_policy *policy, bool edge_edge,
                            const rounded_query *r)
{
    toi_box_margin m = toi_take_box_margin(f, policy);
    float reach = toi_box_reach(f, &policy->asked);
    int first = edge_edge ? 2 : 1;
    stepped_box a = step_box(f, reach, r, 0, first), b = step_box(f, reach, r, first, 4);
    float radius = edge_edge ? 0 : TOI_FACE_RADIUS * radius_of(&m, b);
    if (boxes_part(&m, a, b, radius))
        return true;
    for (int most = 2; most < 20000; most *= 8) {
        stepped_box wide = widen_box(a, most), other = widen_box(b, most);
        if (boxes_part(&m, wide, other, radius_of(&m, wide) + radius_of(&m, other)))
            return true;
    }
    return false;
}

// Boxes of the start that reach as far as corners come up to a time, if it is short: as shorten()
// of src/cuda/search.cu.
static bool short_boxes_part(const toi_frame *f, const toi_apart_policy *policy, bool edge_edge,
                             const rounded_query *r, double until)
{
    float off = std::max(r->off[0], r->off[1]), squares[2] = {0, 0};
    float reach = toi_box_reach(f, &policy->asked);
    toi_short_reach more = toi_take_short_reach(f, policy, until, off);
    int first = edge_edge ? 2 : 1;
    stepped_box boxes[2] = {step_box(f, reach, r, 0, first), step_box(f, reach, r, first, 4)};
    if (!toi_is_short(until, policy->share))
        return false;
    for (int c = 0; c < 4; ++c) {
        float square = 0, &longest = squares[c >= first];
        for (int k = 0; k < 3; ++k)
            square += (r->x[1][c][k] - r->x[0][c][k]) * (r->x[1][c][k] - r->x[0][c][k]);
        longest = square > longest || square != square ? square : longest;
    }
    bool part = false;
    for (int k = 0; k < 3; ++k) {
        int low[2], high[2];
        for (int i = 0; i < 2; ++i) {
            int by = (int)toi_short_steps(&more, toi_way_of(squares[i], r->off[i]), k);
            low[i] = std::max(boxes[i].low[0][k] - by, 1);
            high[i] = std::min(boxes[i].high[0][k] + by, 32766);
        }
        part = part || low[0] > high[1] || low[1] > high[0];
    }
    return part;
}

// As settle_found() of src/cuda/apart.cu.
static bool settle(const toi_apart_policy *policy, bool edge_edge, double points[2][4][3],
                   const toi_apart_found *found, toi_apart_state *state, double *time)
{
    double renamed[2][4][3], floor;
    if (found->verdict != TOI_APART_FOUND)
        return false;
    if (!state->known) {
        toi_rename_points(edge_edge, found->start_feature, points, renamed);
        if (!toi_floor_start(edge_edge, found->start_feature, renamed, &floor))
            return false;
        toi_set_state(policy, found, floor, state);
    }
    return state->known && toi_climb_apart_time(edge_edge, points, found, state->separation,
                                                time) == TOI_APART_ENDS_HIT;
}

static verdict climb(const toi_frame *f, const toi_apart_policy *policy, bool edge_edge,
                     const toi_query *query, double t_max)
{
    verdict v = {BOXES, false, false, {}, INFINITY, -1};
    double points[2][4][3], time = 0;
    for (int i = 0; i < 12; ++i) {
        points[0][i / 3][i % 3] = query->start[i / 3][i % 3];
        points[1][i / 3][i % 3] = query->end[i / 3][i % 3];
    }
    rounded_query rounded = round_query(f, edge_edge, points);
    if (some_boxes_part(f, policy, edge_edge, &rounded))
        return v;
    v.by = DIRECTIONS;
    float off = std::max(rounded.off[0], rounded.off[1]);
    toi_margin_bound bound = toi_take_margin_bound(f, policy, off);
    static toi_random random = {17}; // for a time that others have come to, early ones too
    double limit = t_max * ldexp(toi_random_unit(&random), -(int)toi_random_below(&random, 12));
    if (card_keeps_margin(edge_edge, rounded.x, &bound, limit) ||
        short_boxes_part(f, policy, edge_edge, &rounded, limit))
        v.clear = limit;
    if (card_keeps_margin(edge_edge, rounded.x, &bound, 1))
        return v;
    toi_apart_found found;
    v.close = card_searches(edge_edge, points, policy, t_max, &found);
    if (policy->share > 0 && !toi_motions_overlap(edge_edge, points))
        v.close = INFINITY;
    v.by = SEARCH;
    v.inside = found.began_inside;
    v.hit = found.verdict == TOI_APART_INSIDE;
    if (found.verdict > TOI_APART_INSIDE) {
        v.by = NOT_ASKED;
        if (policy->share > 0 && !v.inside &&
            !toi_swept_boxes_overlap(edge_edge, points, policy->radius))
            return v;
        v.by = TIMES;
        toi_apart_state state = toi_first_state(policy);
        v.hit = settle(policy, edge_edge, points, &found, &state, &time);
        v.inside = state.inside;
        if (!v.hit) {
            int end = toi_climb_apart_knot(edge_edge, points, policy, t_max, &v.inside, &time);
            v.by = end == TOI_APART_ENDS_OPEN ? HANDED_OVER : KNOTS;
            v.hit = end == TOI_APART_ENDS_HIT;
        }
    }
    v.hit = v.hit && time <= t_max;
    v.impact.time = time;
    if (v.hit)
        toi_place_apart(edge_edge, points, &v.impact);
    return v;
}

// ---- Many

static long long counts[RUNGS], hits, wrong, proved, stopped;

static bool is_right(const verdict *v, const toi_query_result *r)
{
    if (v->by == HANDED_OVER)
        return true;
    if (v->hit != (r->state == TOI_HIT) || v->inside != r->starts_inside)
        return false;
    return !v->hit || (memcmp(&v->impact.time, &r->time, sizeof r->time) == 0 &&
                       memcmp(&v->impact.u, &r->u, sizeof r->u) == 0 &&
                       memcmp(&v->impact.v, &r->v, sizeof r->v) == 0 &&
                       memcmp(v->impact.normal, r->normal, sizeof r->normal) == 0);
}

static void show(const apart_batch *batch, const toi_query *query, const verdict *v,
                 const toi_query_result *r)
{
    printf("WRONG: %s, separation %a, share %a, t_max %a, by %s:\n    %d %d %a (%a %a) (%a %a %a), "
           "not\n    %d %d %a (%a %a) (%a %a %a)\n",
           toi_kind_name(batch->kind), batch->separation, batch->share, batch->t_max,
           rung_names[v->by], v->hit, v->inside, v->impact.time, v->impact.u, v->impact.v,
           v->impact.normal[0], v->impact.normal[1], v->impact.normal[2], r->state,
           r->starts_inside, r->time, r->u, r->v, r->normal[0], r->normal[1], r->normal[2]);
    for (int i = 0; i < 8; ++i) {
        const double *x = i < 4 ? query->start[i] : query->end[i - 4];
        printf("    %a, %a, %a\n", x[0], x[1], x[2]);
    }
}

static toi_frame frame_of(const toi_query *queries, size_t count)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t q = 0; q < count; ++q)
        for (int i = 0; i < 12; ++i) {
            double x = queries[q].start[i / 3][i % 3], y = queries[q].end[i / 3][i % 3];
            low[i % 3] = fmin(low[i % 3], fmin(x, y));
            high[i % 3] = fmax(high[i % 3], fmax(x, y));
        }
    return toi_take_frame(low, high);
}

// Queries of one scene: their frame is common.
static void check(const apart_batch *batch, const toi_query *queries, size_t count)
{
    bool edge_edge = batch->kind == TOI_EDGE_EDGE;
    toi_frame frame = frame_of(queries, count);
    toi_card_policy asked = {batch->separation, batch->share, -1, false};
    toi_apart_policy policy = toi_take_policy(&asked);
    std::vector<toi_query_result> results(count);
    solve_apart_batch(batch, queries, (int64_t)count, results.data());
    for (size_t i = 0; i < count; ++i) {
        verdict v = climb(&frame, &policy, edge_edge, &queries[i], batch->t_max);
        toi_query_result *r = &results[i];
        bool near = are_boxes_near(batch->kind, &queries[i], batch->separation);
        if (!near) { // then it is not asked about
            r->state = TOI_SEPARATED;
            v.hit = v.hit && batch->share == 0;
        }
        bool early = v.close <= batch->t_max;
        proved += early;
        stopped += v.clear >= 0;
        bool missed = r->state == TOI_HIT && r->time <= v.clear;
        if ((missed || (early && !(r->state == TOI_HIT && r->time <= v.close))) && ++wrong <= 5)
            show(batch, &queries[i], &v, r);
        ++counts[v.by];
        hits += r->state == TOI_HIT;
        if (!is_right(&v, r) && ++wrong <= 5)
            show(batch, &queries[i], &v, r);
    }
}

static int finish(const char *what)
{
    long long all = 0;
    for (long long n : counts)
        all += n;
    printf("  %s: %lld queries, %lld hits;", what, all, hits);
    for (int i = 0; i < RUNGS; ++i)
        printf(" %s %lld", rung_names[i], counts[i]);
    printf("; %lld close by a time, %lld not; %lld wrong\n", proved, stopped, wrong);
    bool failed = wrong > 0 || hits == 0;
    std::fill(counts, counts + RUNGS, 0);
    hits = wrong = proved = stopped = 0;
    return failed;
}

// Points and edges for themselves are faces whose last corners coincide.
static void raise_group(apart_group *g)
{
    int points = g->kind == TOI_POINT_POINT ? 2 : g->kind == TOI_POINT_EDGE ? 3 : 4;
    for (toi_query &q : g->queries)
        for (int c = points; c < 4; ++c)
            for (int k = 0; k < 3; ++k) {
                q.start[c][k] = q.start[points - 1][k];
                q.end[c][k] = q.end[points - 1][k];
            }
    g->kind = g->kind == TOI_EDGE_EDGE ? TOI_EDGE_EDGE : TOI_VERTEX_FACE;
}

static int check_family(const char *what, int family, int64_t count)
{
    toi_random random = {7};
    for (int64_t done = 0; done < count; done += APART_GROUP) {
        apart_group g = family < APART_FAMILIES ? make_apart_group((apart_family)family, &random)
                                                : make_relative_group(&random);
        raise_group(&g);
        apart_batch batch = {g.kind, g.separation, g.share, g.t_max};
        if (batch.separation == 0 && batch.share == 0)
            continue;
        check(&batch, g.queries, APART_GROUP);
    }
    return finish(what);
}

// Exponents from one end to the other, with separations of the size of the query.
static int check_mixed(int64_t count)
{
    toi_random random = {9};
    for (int64_t done = 0; done < count; done += 8) {
        std::vector<toi_query> queries;
        for (int i = 0; i < 8; ++i)
            queries.push_back(make_mixed_query(&random));
        apart_batch batch = {toi_random_below(&random, 2) ? TOI_EDGE_EDGE : TOI_VERTEX_FACE,
                             fabs(queries[0].start[0][0]) * toi_random_unit(&random),
                             toi_random_below(&random, 2) ? 0.5 * toi_random_unit(&random) : 0, 1};
        if (batch.separation > 0 || batch.share > 0)
            check(&batch, queries.data(), queries.size());
    }
    return finish("any exponents");
}

static double between(toi_random *random, double low, double high)
{
    return low + (high - low) * toi_random_unit(random);
}

// Two small primitives across an axis, which move together, and toward each other until about their
// share of the distance is left: what boxes must not drop, and only just.
static toi_query make_close_call(toi_random *random, bool edge_edge, double width, double share,
                                 double far)
{
    toi_query q = {};
    int axis = (int)toi_random_below(random, 3), x = (axis + 1) % 3, y = (axis + 2) % 3;
    double height = width * between(random, 0.1, 4);
    double rest =
        height * share * (1 + ldexp(between(random, -1, 1), -(int)toi_random_below(random, 12)));
    const double spans[2][4][2] = {{{0, 0}, {-1, -1}, {1, -0.5}, {-0.5, 1}},
                                   {{-1, 0}, {1, 0}, {0, -1}, {0, 1}}};
    for (int c = 0; c < 4; ++c) {
        bool first = c < (edge_edge ? 2 : 1);
        q.start[c][axis] = first ? height : 0;
        q.end[c][axis] = first ? rest : 0;
        q.start[c][x] = q.end[c][x] = width * spans[edge_edge][c][0];
        q.start[c][y] = q.end[c][y] = width * spans[edge_edge][c][1];
    }
    for (int k = 0; k < 3; ++k) {
        double at = between(random, -0.5, 0.5) * far, way = between(random, 2, 9) * height;
        for (int c = 0; c < 4; ++c) {
            q.start[c][k] += at;
            q.end[c][k] += at + way;
        }
    }
    return q;
}

static int check_close_calls(int64_t count)
{
    toi_random random = {13};
    for (int64_t done = 0; done < count; done += 8) {
        bool edge_edge = toi_random_below(&random, 2);
        double share = between(&random, 0.02, 0.5),
               far = ldexp(1, 2 + (int)toi_random_below(&random, 9));
        std::vector<toi_query> queries;
        for (int i = 0; i < 8; ++i)
            queries.push_back(make_close_call(&random, edge_edge, 0.1, share, far));
        apart_batch batch = {edge_edge ? TOI_EDGE_EDGE : TOI_VERTEX_FACE, 0, share, 1};
        check(&batch, queries.data(), queries.size());
    }
    return finish("close calls");
}

// The candidates of a mesh, or one in `pick` of them.
static void check_mesh(const toi_mesh *mesh, int64_t pick, double separation, double share)
{
    toi_ccd_def def = toi_default_ccd_def();
    def.narrow.min_separation = separation;
    for (int kind = 0; kind < TOI_PAIR_KINDS; ++kind) {
        toi_pair_array pairs = {};
        std::vector<toi_query> queries;
        if (toi_find_candidates(&def, mesh, (toi_kind)kind, &pairs, NULL) != TOI_OK)
            exit(1);
        for (int64_t i = 0; i < pairs.count; i += pick)
            queries.push_back(toi_gather_query(mesh, (toi_kind)kind, pairs.data[i]));
        toi_free_pairs(&pairs);
        apart_batch batch = {(toi_kind)kind, separation, share, 1};
        if (!queries.empty())
            check(&batch, queries.data(), queries.size());
    }
}

// Thin ones, far from the origin: what boxes in double are rounded by is many of a box's steps.
static int check_far_soups(void)
{
    const double widths[3][3] = {{1, 1, 0x1p-12}, {0x1p-20, 1, 0x1p-9}, {1, 0, 1}};
    for (int i = 0; i < 9; ++i) {
        soup s = make_soup(60, 0.1, 0.3, (uint64_t)i);
        for (int64_t v = 0; v < 3 * s.vertex_count; ++v) {
            double width = widths[i % 3][v % 3];
            s.start[v / 3][v % 3] = s.start[v / 3][v % 3] * width + 0x1p30;
            s.end[v / 3][v % 3] = s.end[v / 3][v % 3] * width + 0x1p30;
        }
        check_mesh(&s.mesh, 1, i % 2 * 1e-4, 0.05 + 0.15 * (i % 4));
        free_soup(&s);
    }
    return finish("far and thin");
}

static int check_scene(const char *name, int64_t pick, double separation, double share)
{
    real_frames f;
    if (!load_real_scene(name, &f))
        return 0;
    check_mesh(&f.mesh, pick, separation, share);
    free_real_frames(&f);
    return finish(name);
}

int main(int argc, char **argv)
{
    int64_t count = argc > 1 ? atoll(argv[1]) : slow_cases(100000);
    int failed = 0;
    for (int family = 0; family <= APART_FAMILIES; ++family)
        failed += check_family(family < APART_FAMILIES ? apart_family_name((apart_family)family)
                                                       : "relative",
                               family, count);
    failed += check_mixed(count / 10);
    failed += check_close_calls(count);
    failed += check_far_soups();
    failed += check_scene("cloth-funnel", 1, 0, 0.2);
    failed += check_scene("cloth-funnel", 1, 1e-3, 0);
    failed += check_scene("cloth-funnel", 1, 1e-3, 0.5);
    failed += check_scene("cloth-ball", 51, 0, 0.2);
    failed += check_scene("n-body", 201, 0, 0.2);
    printf("%d passed, %d failed\n", APART_FAMILIES + 9 - failed, failed);
    return failed != 0;
}
