// The findings of toi check: what is wrong, where, and what to do about it.

#include "check.h"
#include "overlap_text.h"
#include "sides.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// The next finding. There is room: each kind comes at most once, or once for each end.
static finding *add_finding(check_result *r, const char *name, bool error, int64_t count,
                            const char *advice)
{
    finding *f = &r->findings[r->finding_count++];
    *f = (finding){.name = name, .error = error, .count = count, .advice = advice};
    r->errors += error;
    return f;
}

// "3 faces have", with the plural where it is due. `noun` and `verb` are for one.
static void say(finding *f, const char *one, const char *many, const char *when)
{
    snprintf(f->words, sizeof f->words, "%s %s%s", count_text(f->count).at,
             f->count == 1 ? one : many, when);
}

// " at the start" or " at the end", where there is an end.
static const char *when_text(const check_result *r, const moment *m)
{
    return r->moments < 2 ? "" : m == &r->at[0] ? " at the start" : " at the end";
}

// ---------------------------------------------------------------------------------------------
// Places

static finding_place *add_place(finding *f, const char *kind, int32_t a, int32_t b)
{
    finding_place *p = &f->places[f->place_count++];
    *p = (finding_place){.kind = kind, .ids = {a, b}, .id_count = b < 0 ? 1 : 2};
    return p;
}

static void add_vertex(finding *f, const moment *m, int32_t v)
{
    finding_place *p = add_place(f, "vertices", v, -1);
    memcpy(p->point, m->points[v], sizeof p->point);
    snprintf(p->words, sizeof p->words, "vertex %" PRId32, v);
}

static void add_edge(finding *f, const moment *m, int32_t a, int32_t b)
{
    finding_place *p = add_place(f, "vertices", a, b);
    for (int k = 0; k < 3; ++k)
        p->point[k] = 0.5 * m->points[a][k] + 0.5 * m->points[b][k];
    snprintf(p->words, sizeof p->words, "the edge from vertex %" PRId32 " to vertex %" PRId32, a,
             b);
}

static void add_face(finding *f, const moment *m, int32_t face)
{
    const int32_t *corners = m->mesh.faces.data + 3 * (int64_t)face;
    finding_place *p = add_place(f, "faces", face, -1);
    for (int k = 0; k < 3; ++k)
        for (int c = 0; c < 3; ++c)
            p->point[k] += m->points[corners[c]][k] / 3;
    snprintf(p->words, sizeof p->words,
             "face %" PRId32 " (vertices %" PRId32 ", %" PRId32 ", %" PRId32 ")", face, corners[0],
             corners[1], corners[2]);
}

// "part 0 and part 3, ", "part 2 with itself, "; "" where there is one part only.
static void write_parts(const check_result *r, const meeting *m, char *words, size_t size)
{
    if (m->parts[1] < 0)
        snprintf(words, size, "vertices of no part, ");
    else if (m->parts[0] < 0)
        snprintf(words, size, "a vertex of no part and part %" PRId32 ", ", m->parts[1]);
    else if (r->part_count < 2)
        words[0] = '\0';
    else if (m->parts[0] == m->parts[1])
        snprintf(words, size, "part %" PRId32 " with itself, ", m->parts[0]);
    else
        snprintf(words, size, "part %" PRId32 " and part %" PRId32 ", ", m->parts[0], m->parts[1]);
}

// ---------------------------------------------------------------------------------------------
// The surface

static toi_status add_flipped(check_result *r, int64_t count)
{
    const moment *m = &r->at[0];
    side_list sides;
    toi_status status =
        list_sides((const int32_t(*)[3])m->mesh.faces.data, m->mesh.faces.count, &sides);
    if (status != TOI_OK)
        return status;
    finding *f = add_finding(r, "flipped_edges", false, count,
                             "turn faces over until neighbours agree about what is outside");
    say(f, "edge has two faces that disagree about the outside",
        "edges have two faces that disagree about the outside", "");
    for (int64_t i = 0, same; i < sides.count && f->place_count == 0; i += same) {
        same = count_same_edge(&sides, i);
        if (same == 2 && sides.data[i].forward == sides.data[i + 1].forward)
            add_edge(f, m, sides.data[i].low, sides.data[i].high);
    }
    toi_release(sides.data);
    return TOI_OK;
}

static toi_status list_topology(const check_settings *s, check_result *r)
{
    const moment *m = &r->at[0];
    const toi_surface_report *q = &m->surface;
    if (q->crowded_edges > 0) {
        finding *f = add_finding(r, "crowded_edges", true, q->crowded_edges,
                                 "delete the extra faces, or give them vertices of their own: a "
                                 "surface has two faces at an edge");
        say(f, "edge has three or more faces", "edges have three or more faces", "");
        add_edge(f, m, q->first_crowded[0], q->first_crowded[1]);
    }
    if (q->crowded_vertices > 0) {
        finding *f = add_finding(r, "crowded_vertices", true, q->crowded_vertices,
                                 "give each fan of faces a vertex of its own");
        say(f, "vertex joins several fans of faces", "vertices join several fans of faces", "");
        add_vertex(f, m, q->first_crowded_vertex);
    }
    if (q->duplicate_faces > 0) {
        finding *f =
            add_finding(r, "duplicate_faces", true, q->duplicate_faces, "delete the copies");
        say(f, "face has the same vertices as an earlier one",
            "faces have the same vertices as an earlier one", "");
        add_face(f, m, q->first_duplicate_face);
    }
    if (q->border_edges > 0) {
        finding *f =
            add_finding(r, "border_edges", s->closed, q->border_edges,
                        "fill the hole if the surface is to be closed; cloth has a border");
        say(f, "edge has one face only: the surface is open",
            "edges have one face only: the surface is open", "");
        add_edge(f, m, q->first_border[0], q->first_border[1]);
    }
    if (q->unused_vertices > 0)
        say(add_finding(r, "unused_vertices", false, q->unused_vertices,
                        "delete them unless they are points or edges on purpose"),
            "vertex belongs to no face", "vertices belong to no face", "");
    return q->flipped_edges > 0 ? add_flipped(r, q->flipped_edges) : TOI_OK;
}

// What the positions decide.
static void list_geometry(check_result *r, const moment *m)
{
    const toi_surface_report *q = &m->surface;
    bool end = m == &r->at[1];
    if (q->degenerate_faces > 0) {
        finding *f =
            add_finding(r, end ? "end_degenerate_faces" : "degenerate_faces", true,
                        q->degenerate_faces, "delete them, or move a corner: they have no normal");
        say(f, "face has no area", "faces have no area", when_text(r, m));
        add_face(f, m, q->first_degenerate);
    }
    if (q->duplicate_vertices > 0) {
        finding *f = add_finding(r, end ? "end_duplicate_vertices" : "duplicate_vertices", true,
                                 q->duplicate_vertices,
                                 "join the vertices: faces around them touch there, but are not "
                                 "connected");
        say(f, "vertex is in the same place as an earlier one",
            "vertices are in the same place as an earlier one", when_text(r, m));
        add_vertex(f, m, q->first_duplicate_vertex);
    }
}

// ---------------------------------------------------------------------------------------------
// Intersections and impacts

static toi_status add_pair(const check_result *r, finding *f, const moment *m, const meeting *g)
{
    const toi_overlap *pair = &m->pairs.data[g->first];
    finding_place *p = add_place(f, "faces", pair->a, pair->b);
    char parts[64];
    write_parts(r, g, parts, sizeof parts);
    snprintf(p->words, sizeof p->words, "%s%s pair%s: face %" PRId32 " and face %" PRId32 ", %s",
             parts, count_text(g->count).at, g->count == 1 ? "" : "s, the first", pair->a, pair->b,
             overlap_class_choice(pair->overlap_class));
    return place_overlap(&m->mesh, pair->a, pair->b, p->point);
}

// Do faces only touch, and may that be because their vertices are not joined?
static bool may_be_unjoined(const moment *m)
{
    const int64_t *by_class = m->report.by_class;
    return m->surface.duplicate_vertices > 0 &&
           by_class[TOI_OVERLAP_POINT] + by_class[TOI_OVERLAP_SEGMENT] == m->pairs.count;
}

static const char *advise_overlaps(const moment *m, bool end)
{
    if (may_be_unjoined(m))
        return "join the vertices that are in one place: neighbours then share them, and no longer "
               "only touch";
    return end ? "shorten the step, unless it starts so: toi ccd says how far it is free"
               : "move or cut the faces apart: what intersects at the start of a step has no time "
                 "of impact";
}

static toi_status list_overlaps(check_result *r, const moment *m)
{
    toi_status status = TOI_OK;
    if (m->pairs.count == 0)
        return TOI_OK;
    bool end = m == &r->at[1];
    finding *f = add_finding(r, end ? "end_self_intersections" : "self_intersections", true,
                             m->pairs.count, advise_overlaps(m, end));
    say(f, "pair of faces intersects", "pairs of faces intersect", when_text(r, m));
    for (int64_t i = 0; i < m->meetings.count && i < MOST_PLACES && status == TOI_OK; ++i)
        status = add_pair(r, f, m, &m->meetings.data[i]);
    return status;
}

// Where the first of the two is at that time: the vertex, or the spot of the edge.
static void place_impact_at(const toi_mesh *step, const toi_impact *impact, double place[3])
{
    toi_query q = toi_gather_query(step, (toi_kind)impact->kind, (toi_pair){impact->a, impact->b});
    double along = impact->kind == TOI_EDGE_EDGE ? impact->u : 0, t = impact->time;
    for (int k = 0; k < 3; ++k) {
        double start = (1 - along) * q.start[0][k] + along * q.start[1][k];
        double end = (1 - along) * q.end[0][k] + along * q.end[1][k];
        place[k] = (1 - t) * start + t * end;
    }
}

static void add_impact(const check_result *r, finding *f, const toi_mesh *step, const meeting *g)
{
    static const char *const sides[TOI_KIND_COUNT][2] = {[TOI_VERTEX_FACE] = {"vertex", "face"},
                                                         [TOI_EDGE_EDGE] = {"edge", "edge"},
                                                         [TOI_POINT_EDGE] = {"vertex", "edge"},
                                                         [TOI_POINT_POINT] = {"vertex", "vertex"}};
    const toi_impact *impact = &r->impacts.data[g->first];
    finding_place *p = add_place(f, toi_kind_name((toi_kind)impact->kind), impact->a, impact->b);
    char parts[64];
    write_parts(r, g, parts, sizeof parts);
    snprintf(p->words, sizeof p->words,
             "%s%s impact%s at t = %.6g: %s %" PRId32 " against %s %" PRId32, parts,
             count_text(g->count).at, g->count == 1 ? "" : "s, the first", impact->time,
             sides[impact->kind][0], impact->a, sides[impact->kind][1], impact->b);
    place_impact_at(step, impact, p->point);
}

static void list_impacts(check_result *r)
{
    if (r->impacts.count == 0)
        return;
    toi_mesh step = r->at[0].mesh;
    finding *f = add_finding(r, "impacts", true, r->impacts.count,
                             "stop before the first, or answer it: toi ccd tells more");
    say(f, "impact on the way: something touches or goes through something",
        "impacts on the way: things touch or go through each other", "");
    for (int64_t i = 0; i < r->hits.count && i < MOST_PLACES; ++i)
        add_impact(r, f, &step, &r->hits.data[i]);
}

toi_status list_findings(const check_settings *s, check_result *r)
{
    toi_status status = list_topology(s, r);
    for (int i = 0; i < r->moments && status == TOI_OK; ++i) {
        list_geometry(r, &r->at[i]);
        status = list_overlaps(r, &r->at[i]);
    }
    if (status == TOI_OK && r->moments > 1)
        list_impacts(r);
    return status;
}
