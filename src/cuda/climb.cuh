// The ladder of `exact` for one query of a list, rung by rung as the processor climbs it
// (narrow/exact.c): the same verdict at each rung, so the whole result has the same bits. Compiles
// for the host too, where a test climbs it.

#ifndef TOI_CUDA_CLIMB_CUH
#define TOI_CUDA_CLIMB_CUH

#include "cuda/ladder.cuh"

TOI_INLINE void toi_copy_points(const toi_query *query, double points[2][4][3])
{
    for (int i = 0; i < 12; ++i) {
        points[0][i / 3][i % 3] = query->start[i / 3][i % 3];
        points[1][i / 3][i % 3] = query->end[i / 3][i % 3];
    }
}

// The pieces of the step in which D has one root, as bits; -1 where that is not known.
TOI_INLINE int toi_find_pieces(const toi_cubic *q, double cuts[4])
{
    toi_root_count roots = toi_count_roots(q->c, &q->end_error, &q->error);
    int rooted = 0;
    cuts[0] = 0;
    cuts[1] = cuts[2] = cuts[3] = 1;
    if (roots.none)
        return 0;
    if (roots.one)
        return 1;
    if (!roots.known)
        return -1;
    toi_cut_step(q, &cuts[1], &cuts[2]);
    for (int i = 0; i < 3; ++i) {
        roots = toi_count_piece_roots(q, &cuts[i], &cuts[i + 1]);
        if (!roots.none && !roots.one)
            return -1;
        rooted |= roots.none ? 0 : 1 << i;
    }
    return rooted;
}

// Counts the contacts at the roots of the pieces, up to the first that matters unless `all` are
// wanted; returns a toi_verdict.
TOI_INLINE int toi_cross_pieces(int edge_edge, const toi_climber *c, const double cuts[4],
                                int rooted, double t_max, int all, toi_root_found *found,
                                int32_t *contacts)
{
    int verdict = TOI_VERDICT_APART;
    for (; rooted && (all || verdict == TOI_VERDICT_APART); rooted &= rooted - 1) {
        double from = rooted & 1 ? cuts[0] : rooted & 2 ? cuts[1] : cuts[2];
        double to = rooted & 1 ? cuts[1] : rooted & 2 ? cuts[2] : cuts[3], root, radius;
        toi_inside inside =
            toi_judge_root(edge_edge, &c->motion, &c->reach, &c->cubic, &from, &to, &root, &radius);
        if (!inside.in && !inside.out)
            return TOI_VERDICT_KNOT;
        *contacts += inside.in ? 1 : 0;
        if (!inside.in || verdict == TOI_VERDICT_CONTACT || root - radius > t_max)
            continue;
        found->root = root;
        found->radius = radius;
        verdict = TOI_VERDICT_CONTACT;
    }
    return verdict;
}

// The rungs in double precision, after the filter; returns a toi_verdict, with the result complete
// but for the place of a contact.
TOI_INLINE int toi_climb_query(int edge_edge, toi_climber *c, double t_max, int all,
                               toi_query_result *result)
{
    double cuts[4];
    toi_root_found found = {0, 0};
    int32_t contacts = 0;
    toi_take_climber(edge_edge, c);
    result->rung = TOI_RUNG_PLANE;
    int rooted = toi_find_pieces(&c->cubic, cuts);
    if (rooted <= 0)
        return rooted < 0 ? TOI_VERDICT_KNOT : TOI_VERDICT_APART;
    result->rung = TOI_RUNG_ROOT;
    int verdict = toi_cross_pieces(edge_edge, c, cuts, rooted, t_max, all, &found, &contacts);
    if (verdict == TOI_VERDICT_CONTACT) {
        double time;
        verdict = toi_climb_time(edge_edge, c, &found, &time);
        if (verdict == TOI_VERDICT_CONTACT && time <= t_max) {
            result->state = TOI_HIT;
            result->time = time;
        }
    }
    result->contacts = all && verdict != TOI_VERDICT_KNOT ? contacts : 0;
    return verdict == TOI_VERDICT_KNOT ? verdict
           : result->state == TOI_HIT  ? TOI_VERDICT_CONTACT
                                       : TOI_VERDICT_APART;
}

// A knot: directions first, then whole numbers. TOI_STATE_COUNT where they do not fit: the host's.
TOI_INLINE int toi_untie_query(int edge_edge, double points[2][4][3], double t_max,
                               toi_query_result *result)
{
    toi_fixed_first first;
    toi_pair_motion m;
    double shrink;
    result->rung = TOI_RUNG_INTEGER;
    toi_take_scaled_motion(edge_edge, points, &shrink, &m);
    if (toi_climb_directions(edge_edge, &m, TOI_MOST_DIRECTIONS))
        return TOI_SEPARATED;
    int verdict = toi_find_fixed_contact(edge_edge, points[0][0], points[1][0], t_max, &first);
    if (verdict != TOI_FIXED_HIT)
        return verdict == TOI_FIXED_SEPARATED ? TOI_SEPARATED : TOI_STATE_COUNT;
    result->time = first.time;
    result->time_is_exact = first.is_double != 0;
    return TOI_HIT;
}

TOI_INLINE void toi_place_query(int edge_edge, double points[2][4][3], toi_query_result *result)
{
    toi_impact impact;
    impact.time = result->time;
    toi_place_impact(edge_edge, points, &impact);
    result->u = impact.u;
    result->v = impact.v;
    for (int k = 0; k < 3; ++k)
        result->normal[k] = impact.normal[k];
}

#endif
