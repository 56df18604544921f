// Looks a mesh over: its surface, its intersections at both ends of a step, and what moves through
// what.

#include "check.h"
#include "progress.h"
#include "sides.h"

#include <stdlib.h>

// ---------------------------------------------------------------------------------------------
// Which parts meet

// One pair of faces or one impact, and the parts it is between.
typedef struct encounter
{
    int32_t parts[2]; // the lower first
    int64_t index;
    double time;
} encounter;

static int compare_encounters(const void *a, const void *b)
{
    const encounter *x = a, *y = b;
    for (int k = 0; k < 2; ++k)
        if (x->parts[k] != y->parts[k])
            return x->parts[k] < y->parts[k] ? -1 : 1;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

// The earliest first, then by parts.
static int compare_meetings(const void *a, const void *b)
{
    const meeting *x = a, *y = b;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    if (x->parts[0] != y->parts[0])
        return x->parts[0] < y->parts[0] ? -1 : 1;
    return (x->parts[1] > y->parts[1]) - (x->parts[1] < y->parts[1]);
}

// Uses up the order of the encounters.
static toi_status gather_meetings(encounter *list, int64_t count, meeting_list *meetings)
{
    meetings->data = toi_allocate((size_t)(count + 1) * sizeof *meetings->data);
    if (!meetings->data)
        return TOI_ERROR_MEMORY;
    qsort(list, (size_t)count, sizeof *list, compare_encounters);
    meetings->count = 0;
    for (int64_t i = 0; i < count; ++i) {
        const encounter *e = &list[i];
        bool same = i > 0 && e->parts[0] == e[-1].parts[0] && e->parts[1] == e[-1].parts[1];
        if (!same)
            meetings->data[meetings->count++] =
                (meeting){{e->parts[0], e->parts[1]}, 0, e->index, e->time};
        ++meetings->data[meetings->count - 1].count;
    }
    qsort(meetings->data, (size_t)meetings->count, sizeof *meetings->data, compare_meetings);
    return TOI_OK;
}

static encounter make_encounter(int32_t a, int32_t b, int64_t index, double time)
{
    return (encounter){{a < b ? a : b, a < b ? b : a}, index, time};
}

static toi_status gather_pairs(const check_result *r, moment *m)
{
    encounter *list = toi_allocate((size_t)(m->pairs.count + 1) * sizeof *list);
    if (!list)
        return TOI_ERROR_MEMORY;
    const int32_t *faces = m->mesh.faces.data;
    for (int64_t i = 0; i < m->pairs.count; ++i)
        list[i] = make_encounter(r->parts[faces[3 * m->pairs.data[i].a]],
                                 r->parts[faces[3 * m->pairs.data[i].b]], i, 0);
    toi_status status = gather_meetings(list, m->pairs.count, &m->meetings);
    toi_release(list);
    return status;
}

// The first vertex of each of the two that hit each other.
static int32_t first_vertex(const toi_mesh *mesh, const toi_impact *impact, int which)
{
    int32_t id = which ? impact->b : impact->a;
    if (impact->kind == TOI_EDGE_EDGE || (impact->kind == TOI_POINT_EDGE && which))
        return mesh->edges.data[2 * id];
    return impact->kind == TOI_VERTEX_FACE && which ? mesh->faces.data[3 * id] : id;
}

static toi_status gather_impacts(check_result *r)
{
    const toi_mesh *mesh = &r->at[0].mesh;
    encounter *list = toi_allocate((size_t)(r->impacts.count + 1) * sizeof *list);
    if (!list)
        return TOI_ERROR_MEMORY;
    for (int64_t i = 0; i < r->impacts.count; ++i) {
        const toi_impact *impact = &r->impacts.data[i];
        list[i] = make_encounter(r->parts[first_vertex(mesh, impact, 0)],
                                 r->parts[first_vertex(mesh, impact, 1)], i, impact->time);
    }
    toi_status status = gather_meetings(list, r->impacts.count, &r->hits);
    toi_release(list);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Looking

static toi_status find_all_parts(check_result *r)
{
    const toi_mesh *mesh = &r->at[0].mesh;
    r->parts = toi_allocate((size_t)(mesh->start.count + 1) * sizeof *r->parts);
    if (!r->parts)
        return TOI_ERROR_MEMORY;
    r->part_count = find_parts(mesh, r->parts);
    r->part_list = toi_allocate((size_t)(r->part_count + 1) * sizeof *r->part_list);
    if (!r->part_list)
        return TOI_ERROR_MEMORY;
    for (int32_t v = (int32_t)mesh->start.count - 1; v >= 0; --v)
        if (r->parts[v] >= 0)
            r->part_list[r->parts[v]] = (mesh_part){.first_vertex = v};
    for (int64_t i = 0; i < mesh->faces.count; ++i)
        ++r->part_list[r->parts[mesh->faces.data[3 * i]]].faces;
    return TOI_OK;
}

static toi_status look_at(const check_settings *s, progress *bar, const check_result *r, moment *m)
{
    toi_overlap_def def = toi_default_overlap_def();
    def.workers = s->workers;
    def.progress = progress_function();
    def.progress_context = bar;
    toi_status status = toi_check_surface(&m->mesh, s->workers, &m->surface);
    if (status == TOI_OK)
        status = toi_find_overlaps(&def, &m->mesh, &m->pairs, &m->report);
    return status == TOI_OK ? gather_pairs(r, m) : status;
}

static toi_status find_hits(const check_settings *s, progress *bar, const toi_mesh *mesh,
                            check_result *r)
{
    toi_ccd_def def = toi_default_ccd_def();
    def.workers = s->workers;
    def.progress = progress_function();
    def.progress_context = bar;
    toi_status status = toi_find_impacts(&def, mesh, &r->impacts, NULL);
    return status == TOI_OK ? gather_impacts(r) : status;
}

toi_status look_over(const check_settings *s, const frames *f, bool step, check_result *r)
{
    progress bar = start_progress(step ? 3 : 1);
    *r = (check_result){.moments = step ? 2 : 1};
    for (int i = 0; i < r->moments; ++i) {
        r->at[i].mesh = f->mesh;
        r->at[i].mesh.start = i > 0 ? f->mesh.end : f->mesh.start;
        r->at[i].points = i > 0 ? f->end : f->start;
    }
    toi_status status = find_all_parts(r);
    for (; bar.run < r->moments && status == TOI_OK; ++bar.run)
        status = look_at(s, &bar, r, &r->at[bar.run]);
    if (status == TOI_OK && step)
        status = find_hits(s, &bar, &f->mesh, r);
    end_progress(&bar);
    r->seconds = seconds_now() - bar.started;
    return status == TOI_OK ? list_findings(s, r) : status;
}

void free_check(check_result *r)
{
    for (int i = 0; i < 2; ++i) {
        toi_free_overlaps(&r->at[i].pairs);
        toi_release(r->at[i].meetings.data);
    }
    toi_free_impacts(&r->impacts);
    toi_release(r->hits.data);
    toi_release(r->parts);
    toi_release(r->part_list);
    *r = (check_result){0};
}
