// What toi check found, in words and as JSON.

#include "check.h"
#include "json.h"
#include "overlap_text.h"

#include <inttypes.h>
#include <stdio.h>

static const char *yes_no(bool yes)
{
    return yes ? "yes" : "no";
}

static void print_finding(const finding *f)
{
    printf("\n%-12s%s\n", f->error ? "error" : "note", f->words);
    for (int i = 0; i < f->place_count; ++i) {
        const finding_place *p = &f->places[i];
        printf("            %s\n            at (%.9g, %.9g, %.9g)\n", p->words, p->point[0],
               p->point[1], p->point[2]);
    }
    printf("            %s\n", f->advice);
}

static void print_pairs(const char *name, const moment *m)
{
    if (m->pairs.count == 0) {
        printf("%-12sno face intersects another\n", name);
        return;
    }
    printf("%-12s%s pair%s of faces intersect%s: ", name, count_text(m->pairs.count).at,
           m->pairs.count == 1 ? "" : "s", m->pairs.count == 1 ? "s" : "");
    print_classes(m->report.by_class);
    printf("\n");
}

// The first parts, where there are several.
static void print_parts(const check_result *r)
{
    static const int32_t SHOWN = 8;
    for (int32_t i = 0; i < r->part_count && i < SHOWN && r->part_count > 1; ++i)
        printf("%-12spart %" PRId32 ": %s face%s, from vertex %" PRId32 " on\n", i ? "" : "parts",
               i, count_text(r->part_list[i].faces).at, r->part_list[i].faces == 1 ? "" : "s",
               r->part_list[i].first_vertex);
    if (r->part_count > SHOWN)
        printf("            and %s more\n", count_text(r->part_count - SHOWN).at);
}

void describe_check(const char *name, const check_result *r)
{
    const toi_surface_report *q = &r->at[0].surface;
    printf("%s\n", name);
    printf("mesh        %s vertices, %s edges, %s faces, %s part%s\n", count_text(q->vertices).at,
           count_text(q->edges).at, count_text(q->faces).at, count_text(r->part_count).at,
           r->part_count == 1 ? "" : "s");
    print_parts(r);
    printf("closed      %s\n", yes_no(q->closed));
    printf("manifold    %s\n", yes_no(q->manifold));
    printf("oriented    %s\n", yes_no(q->oriented));
    print_pairs(r->moments > 1 ? "start" : "pairs", &r->at[0]);
    if (r->moments > 1) {
        print_pairs("end", &r->at[1]);
        if (r->impacts.count == 0)
            printf("step        free: nothing touches anything on the way\n");
        else
            printf("step        %s impact%s\n", count_text(r->impacts.count).at,
                   r->impacts.count == 1 ? "" : "s");
    }
    if (r->errors == 0)
        printf("clean       yes\n");
    else
        printf("clean       no: %d error%s\n", r->errors, r->errors == 1 ? "" : "s");
    printf("time        %s\n", seconds_text(r->seconds).at);
    for (int errors = 1; errors >= 0; --errors)
        for (int i = 0; i < r->finding_count; ++i)
            if (r->findings[i].error == (errors == 1))
                print_finding(&r->findings[i]);
}

// ---------------------------------------------------------------------------------------------
// JSON

static json_t *json_place(const finding_place *p)
{
    json_t *ids = json_array();
    for (int i = 0; i < p->id_count; ++i)
        json_array_append_new(ids, json_integer(p->ids[i]));
    return json_pack("{s:s, s:o, s:o, s:s}", "kind", p->kind, "ids", ids, "point",
                     json_point(p->point), "words", p->words);
}

static json_t *json_finding(const finding *f)
{
    json_t *places = json_array();
    for (int i = 0; i < f->place_count; ++i)
        json_array_append_new(places, json_place(&f->places[i]));
    return json_pack("{s:s, s:b, s:I, s:s, s:o, s:s}", "name", f->name, "error", (int)f->error,
                     "count", (json_int_t)f->count, "words", f->words, "places", places, "advice",
                     f->advice);
}

// Which parts intersect or hit each other: the first hundred, here and below.
static json_t *json_meetings(const meeting_list *list, bool times)
{
    json_t *array = json_array();
    for (int64_t i = 0; i < list->count && i < 100; ++i) {
        const meeting *m = &list->data[i];
        json_t *object = json_pack("{s:[i, i], s:I}", "parts", (int)m->parts[0], (int)m->parts[1],
                                   "count", (json_int_t)m->count);
        if (object && times)
            json_object_set_new(object, "earliest", json_real(m->time));
        json_array_append_new(array, object);
    }
    return array;
}

static json_t *json_parts(const check_result *r)
{
    json_t *array = json_array();
    for (int32_t i = 0; i < r->part_count && i < 100; ++i)
        json_array_append_new(array,
                              json_pack("{s:I, s:i}", "faces", (json_int_t)r->part_list[i].faces,
                                        "first_vertex", (int)r->part_list[i].first_vertex));
    return array;
}

static void add_surface(json_t *object, const toi_surface_report *q)
{
    const struct
    {
        const char *name;
        int64_t count;
    } counts[] = {{"border_edges", q->border_edges},
                  {"crowded_edges", q->crowded_edges},
                  {"flipped_edges", q->flipped_edges},
                  {"crowded_vertices", q->crowded_vertices},
                  {"degenerate_faces", q->degenerate_faces},
                  {"duplicate_faces", q->duplicate_faces},
                  {"duplicate_vertices", q->duplicate_vertices},
                  {"unused_vertices", q->unused_vertices}};
    for (int i = 0; i < (int)(sizeof counts / sizeof *counts); ++i)
        json_object_set_new(object, counts[i].name, json_integer(counts[i].count));
}

static void add_step(json_t *object, const check_result *r)
{
    const moment *end = &r->at[1];
    json_object_set_new(object, "end_degenerate_faces",
                        json_integer(end->surface.degenerate_faces));
    json_object_set_new(object, "end_duplicate_vertices",
                        json_integer(end->surface.duplicate_vertices));
    json_object_set_new(object, "end_self_intersections", json_integer(end->pairs.count));
    json_object_set_new(object, "end_intersecting_parts", json_meetings(&end->meetings, false));
    json_object_set_new(object, "impacts", json_integer(r->impacts.count));
    json_object_set_new(object, "impact_parts", json_meetings(&r->hits, true));
}

toi_status print_check_object(const char *name, const check_result *r)
{
    const moment *start = &r->at[0];
    const toi_surface_report *q = &start->surface;
    json_t *object = json_pack("{s:o, s:I, s:I, s:I, s:I, s:b, s:b, s:b, s:I, s:o, s:b, s:i, s:f}",
                               "mesh", json_text(name), "vertices", (json_int_t)q->vertices,
                               "edges", (json_int_t)q->edges, "faces", (json_int_t)q->faces,
                               "parts", (json_int_t)r->part_count, "closed", (int)q->closed,
                               "manifold", (int)q->manifold, "oriented", (int)q->oriented,
                               "self_intersections", (json_int_t)start->pairs.count,
                               "intersecting_parts", json_meetings(&start->meetings, false),
                               "clean", r->errors == 0, "errors", r->errors, "seconds", r->seconds);
    if (!object)
        return print_json(NULL);
    json_object_set_new(object, "part_list", json_parts(r));
    add_surface(object, q);
    if (r->moments > 1)
        add_step(object, r);
    json_t *findings = json_array();
    for (int i = 0; i < r->finding_count; ++i)
        json_array_append_new(findings, json_finding(&r->findings[i]));
    json_object_set_new(object, "findings", findings);
    return print_json(object);
}
