// A card's whole ladder on the host: boxes of 15 bits, filter, contacts, times, whole numbers and
// places, of every query, against the narrow phase. No verdict may be wrong; what the card would
// leave to the host is counted.

#include "toi/ccd.h"
#include "toi/random.h"

#include "cuda/ladder.cuh"

#include "cuda/apart.cuh"
#include "cuda/frame.cuh"

extern "C"
{
#include "exact/hard_queries.h"
#include "real_frames.h"
#include "support.h"
}
#include "cuda_host.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

enum rung
{
    BOXES,
    FILTER,
    CONTACTS,
    KNOTS,
    HANDED_OVER,
    RUNGS
};

static const char *const rung_names[RUNGS] = {"boxes", "filter", "contacts", "knots",
                                              "handed over"};

struct verdict
{
    rung by;
    bool hit;
    toi_impact impact;
};

// ---- One query

static bool boxes_part(const toi_frame *f, bool edge_edge, const float x[2][4][3])
{
    int first = edge_edge ? 2 : 1;
    bool part = false;
    for (int k = 0; k < 3; ++k) {
        bool above = true, below = true;
        for (int end = 0; end < 2; ++end) {
            uint32_t low[2] = {32767, 32767}, high[2] = {0, 0};
            for (int c = 0; c < 4; ++c) {
                uint32_t step = toi_box_step(f, x[end][c][k], k);
                low[c >= first] = std::min(low[c >= first], step);
                high[c >= first] = std::max(high[c >= first], step);
            }
            above = above && low[0] > high[1];
            below = below && low[1] > high[0];
        }
        part = part || above || below;
    }
    return part;
}

// Boxes of the start that reach as far as corners come up to a time: as shorten() of
// src/cuda/search.cu.
static bool short_boxes_part(const toi_frame *f, bool edge_edge, const float x[2][4][3], float off,
                             double until)
{
    toi_card_policy asked = {0, 0, -1, false};
    toi_apart_policy policy = toi_take_policy(&asked);
    toi_short_reach reach = toi_take_short_reach(f, &policy, until, off);
    int first = edge_edge ? 2 : 1;
    float squares[2] = {0, 0};
    bool part = false;
    for (int c = 0; c < 4; ++c) {
        float square = 0;
        for (int k = 0; k < 3; ++k)
            square += (x[1][c][k] - x[0][c][k]) * (x[1][c][k] - x[0][c][k]);
        squares[c >= first] =
            square > squares[c >= first] || square != square ? square : squares[c >= first];
    }
    for (int k = 0; k < 3; ++k) {
        int low[2] = {32767, 32767}, high[2] = {0, 0};
        for (int c = 0; c < 4; ++c) {
            int step = (int)toi_box_step(f, x[0][c][k], k);
            low[c >= first] = std::min(low[c >= first], step);
            high[c >= first] = std::max(high[c >= first], step);
        }
        for (int i = 0; i < 2; ++i) {
            int by = (int)toi_short_steps(&reach, toi_way_of(squares[i], off), k);
            low[i] = std::max(low[i] - by, 1);
            high[i] = std::min(high[i] + by, 32766);
        }
        part = part || low[0] > high[1] || low[1] > high[0];
    }
    return part;
}

// As lists have it: the hit is noted with its root, whose radius is rounded, and its time is found
// when the list is written.
static int climb_late(int edge_edge, toi_climber *c, const toi_root_found *found, double t_max,
                      double *time)
{
    float radius = (float)found->radius;
    if (!(found->root + found->radius <= t_max))
        return TOI_VERDICT_KNOT;
    toi_root_found noted = {found->root, radius < found->radius ? nextafterf(radius, 1) : radius};
    return toi_climb_time(edge_edge, c, &noted, time);
}

static verdict climb(const toi_frame *f, bool edge_edge, const toi_query *query, double t_max)
{
    verdict v = {CONTACTS, false, {}};
    float rounded[2][4][3], off = 0;
    toi_climber c;
    for (int i = 0; i < 12; ++i) {
        c.points[0][i / 3][i % 3] = query->start[i / 3][i % 3];
        c.points[1][i / 3][i % 3] = query->end[i / 3][i % 3];
        for (int end = 0; end < 2; ++end)
            rounded[end][i / 3][i % 3] =
                toi_round_into_frame(f, c.points[end][i / 3][i % 3], i % 3, &off);
    }
    v.by = BOXES;
    bool is_short = toi_is_short(t_max, 0);
    if (is_short ? short_boxes_part(f, edge_edge, rounded, off, t_max)
                 : boxes_part(f, edge_edge, rounded))
        return v;
    v.by = FILTER;
    if (card_drops(edge_edge, rounded, off, is_short ? t_max : 1))
        return v;
    v.by = CONTACTS;
    toi_root_found found;
    double time = 0;
    toi_take_climber(edge_edge, &c);
    int said = toi_climb_first(edge_edge, &c, t_max, &found);
    if (said == TOI_VERDICT_FOLDED)
        said = toi_climb_folded(edge_edge, &c, t_max, &found);
    if (said == TOI_VERDICT_CONTACT) {
        double late = 0;
        int later = climb_late(edge_edge, &c, &found, t_max, &late);
        said = toi_climb_time(edge_edge, &c, &found, &time);
        if (later == TOI_VERDICT_CONTACT && (said != later || late != time))
            time = NAN; // seen to be wrong
    }
    if (said == TOI_VERDICT_KNOT) {
        int fixed = toi_climb_knot(edge_edge, c.points, t_max, &time);
        v.by = fixed == TOI_FIXED_DECLINED ? HANDED_OVER : KNOTS;
        said = fixed == TOI_FIXED_HIT ? TOI_VERDICT_CONTACT : TOI_VERDICT_APART;
    }
    v.hit = v.by != HANDED_OVER && said == TOI_VERDICT_CONTACT && time <= t_max;
    v.impact.time = time;
    if (v.hit)
        toi_place_impact(edge_edge, c.points, &v.impact);
    return v;
}

// ---- Many

static long long counts[RUNGS], hits, wrong;

static bool is_right(const verdict *v, const toi_query_result *r)
{
    if (v->by == HANDED_OVER)
        return true;
    if (v->hit != (r->state == TOI_HIT))
        return false;
    if (v->hit && memcmp(&v->impact.time, &r->time, sizeof r->time) != 0)
        return false;
#ifdef TOI_FUSED // as the card decides; places it computes without
    return true;
#endif
    return !v->hit || (memcmp(&v->impact.u, &r->u, sizeof r->u) == 0 &&
                       memcmp(&v->impact.v, &r->v, sizeof r->v) == 0 &&
                       memcmp(v->impact.normal, r->normal, sizeof r->normal) == 0);
}

static void show(toi_kind kind, const toi_query *query, const verdict *v, const toi_query_result *r)
{
    printf("WRONG: %s, by %s: %d %a (%a %a) (%a %a %a), not %d %a (%a %a) (%a %a %a)\n",
           toi_kind_name(kind), rung_names[v->by], v->hit, v->impact.time, v->impact.u, v->impact.v,
           v->impact.normal[0], v->impact.normal[1], v->impact.normal[2], r->state, r->time, r->u,
           r->v, r->normal[0], r->normal[1], r->normal[2]);
    for (int i = 0; i < 8; ++i) {
        const double *x = i < 4 ? query->start[i] : query->end[i - 4];
        printf("    %a, %a, %a\n", x[0], x[1], x[2]);
    }
}

// Queries of one scene: their frame is common.
static void check(toi_kind kind, const std::vector<toi_query> &queries, double t_max)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (const toi_query &q : queries)
        for (int i = 0; i < 12; ++i) {
            double x = q.start[i / 3][i % 3], y = q.end[i / 3][i % 3];
            low[i % 3] = fmin(low[i % 3], fmin(x, y));
            high[i % 3] = fmax(high[i % 3], fmax(x, y));
        }
    toi_frame frame = toi_take_frame(low, high);
    std::vector<toi_query_result> results(queries.size());
    toi_narrow_def def = toi_default_narrow_def();
    def.t_max = t_max;
    if (toi_solve_queries(&def, kind, queries.data(), (int64_t)queries.size(), results.data()) !=
        TOI_OK) {
        printf("FAIL: %s\n", toi_last_message());
        exit(1);
    }
    for (size_t i = 0; i < queries.size(); ++i) {
        verdict v = climb(&frame, kind == TOI_EDGE_EDGE, &queries[i], t_max);
        ++counts[v.by];
        hits += results[i].state == TOI_HIT;
        if (!is_right(&v, &results[i]) && ++wrong <= 5)
            show(kind, &queries[i], &v, &results[i]);
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
    printf("; %lld wrong\n", wrong);
    bool failed = wrong > 0 || hits == 0;
    std::fill(counts, counts + RUNGS, 0);
    hits = wrong = 0;
    return failed;
}

// Scenes of 1 to 64 queries, so that frames are tight and wide.
template <class Make>
static int check_random(const char *what, int64_t count, Make make)
{
    toi_random random = {11};
    for (int64_t done = 0; done < count;) {
        toi_kind kind = toi_random_below(&random, 2) ? TOI_EDGE_EDGE : TOI_VERTEX_FACE;
        size_t many = (size_t)1 << toi_random_below(&random, 7);
        double t_max = toi_random_below(&random, 4)   ? 1
                       : toi_random_below(&random, 8) ? toi_random_unit(&random)
                                                      : 0;
        if (toi_random_below(&random, 2)) // as scouts find it: early
            t_max = ldexp(t_max, -4 - (int)toi_random_below(&random, 12));
        std::vector<toi_query> queries;
        for (size_t i = 0; i < many; ++i)
            queries.push_back(make(kind, &random));
        check(kind, queries, t_max);
        done += (int64_t)many;
    }
    return finish(what);
}

// The candidates of a real scene, or one in `share` of them; coordinates divided by 3 have all
// their digits.
static int check_scene(const char *name, int64_t share, double divisor, double t_max)
{
    real_frames f;
    toi_ccd_def def = toi_default_ccd_def();
    if (!load_real_scene(name, &f))
        return 0;
    for (int64_t i = 0; i < 3 * f.start.point_count; ++i) {
        f.start.points[i / 3][i % 3] /= divisor;
        f.end.points[i / 3][i % 3] /= divisor;
    }
    for (int kind = 0; kind < TOI_PAIR_KINDS; ++kind) {
        toi_pair_array pairs = {};
        std::vector<toi_query> queries;
        if (toi_find_candidates(&def, &f.mesh, (toi_kind)kind, &pairs, NULL) != TOI_OK)
            exit(1);
        for (int64_t i = 0; i < pairs.count; i += share)
            queries.push_back(toi_gather_query(&f.mesh, (toi_kind)kind, pairs.data[i]));
        toi_free_pairs(&pairs);
        check((toi_kind)kind, queries, t_max);
    }
    free_real_frames(&f);
    return finish(name);
}

static toi_query scaled(toi_query q, int exponent)
{
    for (int i = 0; i < 12; ++i) {
        q.start[i / 3][i % 3] = ldexp(q.start[i / 3][i % 3], exponent);
        q.end[i / 3][i % 3] = ldexp(q.end[i / 3][i % 3], exponent);
    }
    return q;
}

int main(int argc, char **argv)
{
    int64_t count = argc > 1 ? atoll(argv[1]) : slow_cases(200000);
    int failed = 0;
    for (int family = 0; family < HARD_FAMILIES; ++family)
        failed += check_random(hard_family_name((hard_family)family), count,
                               [&](toi_kind kind, toi_random *random) {
                                   return make_hard_query((hard_family)family, kind, random);
                               });
    failed += check_random("any exponents", count / 10,
                           [](toi_kind, toi_random *random) { return make_mixed_query(random); });
    static const int exponents[] = {-1070, -1022, -200, 200, 1018};
    for (int exponent : exponents)
        failed += check_random("scaled", count / 10, [&](toi_kind kind, toi_random *random) {
            return scaled(make_hard_query(HARD_CUBE, kind, random), exponent);
        });
    for (double divisor : {1.0, 3.0}) {
        failed += check_scene("cloth-funnel", 1, divisor, 1);
        failed += check_scene("cloth-ball", 11, divisor, 1);
        failed += check_scene("n-body", 51, divisor, 1);
    }
    failed += check_scene("cloth-funnel", 1, 3, 0x1.8p-5);
    failed += check_scene("cloth-ball", 7, 3, 0x1p-8);
    printf("%d passed, %d failed\n", HARD_FAMILIES + 14 - failed, failed);
    return failed != 0;
}
