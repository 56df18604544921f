// The first contact of a mesh by a local search of its triangles, those first whose spheres may
// touch first (Pelletier-Guenette et al., section 1.5.6, with a padding that is proved).

#include "base/memory.h"
#include "base/parallel.h"
#include "base/status.h"
#include "sdf/local.h"

// A node of the hierarchy, or a triangle (~triangle), that cannot touch before `time`.
typedef struct later
{
    double time;
    int64_t what;
} later;

// All that is still to be looked at, as a heap by time.
typedef struct sphere_walk
{
    const toi_sdf_question *question;
    toi_local *local;
    toi_local_fn *search;
    toi_sdf_result *result;
    double end;   // nothing later is of interest
    double depth; // the value at the contact there, if there is one
    later *heap;
    int64_t count;
    int64_t capacity;
} sphere_walk;

// Equal times are ordered too, so that the answer does not hang on the heap's ways.
static bool sooner(const later *a, const later *b)
{
    return a->time < b->time || (a->time == b->time && a->what < b->what);
}

static toi_status push(sphere_walk *walk, double time, int64_t what)
{
    if (!(time <= walk->end))
        return TOI_OK;
    toi_status status = toi_reserve(NULL, (void **)&walk->heap, &walk->capacity, walk->count + 1,
                                    sizeof *walk->heap);
    if (status != TOI_OK)
        return status;
    later item = {time, what};
    int64_t i = walk->count++;
    for (; i > 0 && sooner(&item, &walk->heap[(i - 1) / 2]); i = (i - 1) / 2)
        walk->heap[i] = walk->heap[(i - 1) / 2];
    walk->heap[i] = item;
    return TOI_OK;
}

static later pop(sphere_walk *walk)
{
    later first = walk->heap[0], item = walk->heap[--walk->count];
    int64_t i = 0;
    for (int64_t child = 1; child < walk->count; child = 2 * i + 1) {
        if (child + 1 < walk->count && sooner(&walk->heap[child + 1], &walk->heap[child]))
            ++child;
        if (!sooner(&walk->heap[child], &item))
            break;
        walk->heap[i] = walk->heap[child];
        i = child;
    }
    walk->heap[i] = item;
    return first;
}

// A way that is never bent more than `bend` is within bend T^2 / 8 of the chord between the ends of
// a span T. As long as a quarter turn of a circle at this speed, or until the padding is as large
// as the sphere, but not so short that it takes more than a thousand spans.
static double span_of(const toi_local *local, double speed, double bend, double radius, double left)
{
    if (!(bend > 0))
        return left;
    double span = fmax(1.6 * speed / bend, sqrt(8 * radius / bend));
    return fmin(left, fmax(span, 0x1p-10 * local->track->duration));
}

// Follows the chord from `a` to `b` with a sphere; the share of it that is free, 1: all.
static double trace_chord(toi_local *local, const double a[3], const double b[3], double radius)
{
    enum
    {
        STEPS = 64
    };
    toi_field_sample sample;
    double way[3], point[3], share = 0;
    toi_subtract(b, a, way);
    double length = toi_norm(way);
    for (int i = 0; i < STEPS; ++i) {
        for (int k = 0; k < 3; ++k)
            point[k] = a[k] + share * way[k];
        toi_local_sample(local, point, &sample);
        double room = toi_free_radius(local->field, sample.value - sample.error - local->contact);
        double step = (room - radius) * (1 - 0x1p-30);
        if (!(step > 0x1p-10 * radius))
            return share;
        share += step / length; // infinite for a chord without length
        if (share >= 1)
            return 1;
    }
    return share;
}

double toi_trace_sphere(toi_local *local, const toi_moving_box *box, double start, double end)
{
    double a[3], b[3], velocity[3], bend;
    toi_frame frame;
    for (double time = start;;) {
        toi_track_frame(local->track, time, &frame);
        toi_track_point(local->track, &frame, &box->centre, a, velocity, &bend);
        double radius = box->radius + time * box->radius_rate;
        double span = span_of(local, toi_norm(velocity), bend, radius, end - time);
        double next = time + span < end ? time + span : end;
        toi_track_frame(local->track, next, &frame);
        toi_track_place(&frame, &box->centre, b);
        radius += span * box->radius_rate + bend * span * span / 8;
        radius += local->track->position_error + 0x1p-48 * (toi_norm(a) + toi_norm(b));
        double share = trace_chord(local, a, b, radius * (1 + 0x1p-40));
        if (share < 1)
            return time + share * (next - time);
        if (!(next < end))
            return INFINITY;
        time = next;
    }
}

// The sphere about a triangle's centre.
static void enclose(const toi_corner corners[3], toi_moving_box *box)
{
    for (int k = 0; k < 3; ++k) {
        box->centre.p[k] = (corners[0].p[k] + corners[1].p[k] + corners[2].p[k]) / 3;
        box->centre.v[k] = (corners[0].v[k] + corners[1].v[k] + corners[2].v[k]) / 3;
    }
    box->radius = box->radius_rate = 0;
    for (int i = 0; i < 3; ++i) {
        double p[3], v[3];
        toi_subtract(corners[i].p, box->centre.p, p);
        toi_subtract(corners[i].v, box->centre.v, v);
        box->radius = fmax(box->radius, toi_norm(p) * (1 + 0x1p-50));
        box->radius_rate = fmax(box->radius_rate, toi_norm(v) * (1 + 0x1p-50));
    }
}

static void measure(toi_sdf_probe *probe, double seconds)
{
    probe->least = probe->triangles ? fmin(probe->least, seconds) : seconds;
    probe->most = probe->triangles ? fmax(probe->most, seconds) : seconds;
    probe->sum += seconds;
    probe->squares += seconds * seconds;
    ++probe->triangles;
}

// Searches a triangle. Of contacts at the same time, the deepest is kept.
static void search_triangle(sphere_walk *walk, const toi_corner corners[3], int32_t triangle,
                            double start)
{
    toi_local_hit hit;
    toi_sdf_probe *probe = walk->question->def->probe;
    double before = probe ? toi_clock() : 0;
    walk->search(walk->local, corners, start, walk->end, &hit);
    if (probe)
        measure(probe, toi_clock() - before);
    if (!hit.hit || (hit.time == walk->end && !(hit.value < walk->depth)))
        return;
    walk->end = hit.time;
    walk->depth = hit.value;
    walk->result->state = TOI_SDF_HIT;
    walk->result->triangle = triangle;
    walk->result->u = hit.weights[1];
    walk->result->v = hit.weights[2];
}

static toi_status open_leaf(sphere_walk *walk, const toi_box_node *node, double time)
{
    toi_corner corners[3];
    toi_moving_box box;
    toi_status status = TOI_OK;
    for (int32_t i = 0; i < node->count && status == TOI_OK; ++i) {
        int32_t triangle = walk->question->surface->tree.order[node->first + i];
        toi_question_corners(walk->question, triangle, corners);
        enclose(corners, &box);
        ++walk->result->nodes;
        status =
            push(walk, toi_trace_sphere(walk->local, &box, time, walk->end), ~(int64_t)triangle);
    }
    return status;
}

static toi_status open_node(sphere_walk *walk, int64_t index, double time)
{
    const toi_box_node *node = &walk->question->surface->tree.nodes[index];
    if (node->child == 0)
        return open_leaf(walk, node, time);
    toi_status status = TOI_OK;
    for (int64_t child = node->child; child <= node->child + 1 && status == TOI_OK; ++child) {
        toi_moving_box box;
        toi_question_box(walk->question, child, &box);
        ++walk->result->nodes;
        status = push(walk, toi_trace_sphere(walk->local, &box, time, walk->end), child);
    }
    return status;
}

static toi_status walk_tree(sphere_walk *walk, double start)
{
    toi_corner corners[3];
    toi_status status = push(walk, start, 0);
    while (walk->count > 0 && status == TOI_OK && !walk->local->failed) {
        later item = pop(walk);
        if (item.time > walk->end)
            break;
        if (item.what >= 0) {
            status = open_node(walk, item.what, item.time);
            continue;
        }
        toi_question_corners(walk->question, (int32_t)~item.what, corners);
        search_triangle(walk, corners, (int32_t)~item.what, item.time);
    }
    toi_give_back(walk->heap);
    return status;
}

static toi_status finish(const sphere_walk *walk)
{
    toi_sdf_result *result = walk->result;
    result->evaluations = walk->local->evaluations;
    if (walk->local->failed)
        return toi_local_status(walk->local);
    if (result->state != TOI_SDF_HIT)
        return TOI_OK;
    result->t_low = result->t_high = walk->end;
    return toi_finish_hit(walk->question, result);
}

// `start` is where the search begins: 0, or the duration for a search of one instant.
static toi_status answer(const toi_sdf_question *question, toi_local_fn *search, double start,
                         toi_sdf_result *result)
{
    const toi_sdf_def *def = question->def;
    toi_local local = {.field = question->field,
                       .track = &question->track,
                       .contact = def->margin + def->touch,
                       .near = def->search_tolerance * question->track.duration *
                               question->track.speed * question->field->lipschitz,
                       .iterations = def->iterations,
                       .tolerance = def->search_tolerance};
    sphere_walk walk = {.question = question,
                        .local = &local,
                        .search = search,
                        .result = result,
                        .end = question->track.duration,
                        .depth = INFINITY};
    toi_status status = TOI_OK;
    result->touch = def->touch + (start < question->track.duration ? local.near : 0);
    if (!question->surface)
        search_triangle(&walk, question->single, 0, start);
    else if (question->surface->tree.node_count > 0)
        status = walk_tree(&walk, start);
    return status == TOI_OK ? finish(&walk) : status;
}

toi_status toi_search_fwgss(const toi_sdf_question *question, toi_sdf_result *result)
{
    return answer(question, toi_local_fwgss, 0, result);
}

toi_status toi_search_fw(const toi_sdf_question *question, toi_sdf_result *result)
{
    return answer(question, toi_local_fw, 0, result);
}

toi_status toi_search_discrete(const toi_sdf_question *question, toi_sdf_result *result)
{
    return answer(question, toi_local_discrete, question->track.duration, result);
}

toi_status toi_search_projected(const toi_sdf_question *question, toi_sdf_result *result)
{
    return answer(question, toi_local_projected, question->track.duration, result);
}
