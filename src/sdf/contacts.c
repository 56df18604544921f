// Contacts at an instant: every triangle that is near, with more than one point where it lies flat
// (adaptive subdivision, Pelletier-Guenette et al., section 1.5.5).

#include "base/fp_mode.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/status.h"
#include "sdf/lowest.h"
#include "sdf/search.h"

#include <stdlib.h>
#include <string.h>

static const uint32_t CONTACT_COOKIE = 0x5dfc0001u;

// Points nearer to each other than this share of the triangle's longest side count as one.
static const double SAME = 1.0 / 64;

enum
{
    PIECE = 16,   // triangles of a task
    LEVELS = 6,   // of parts of a triangle: the smallest have 1/729 of its area
    REGIONS = 32, // parts that are divided further, at most
    // What a search may take: to tell whether a triangle touches, and to find further contacts.
    PARTS = 1 << 14,
    FEW_PARTS = 1 << 8
};

toi_contact_def toi_default_contact_def(void)
{
    return (toi_contact_def){.distance = 1e-6, .per_triangle = 3, .cookie = CONTACT_COOKIE};
}

void toi_free_field_contacts(toi_field_contact_array *contacts)
{
    if (!contacts)
        return;
    toi_give_back(contacts->data);
    *contacts = (toi_field_contact_array){NULL, 0, 0};
}

// One call.
typedef struct contact_job
{
    const toi_contact_def *def;
    const toi_sdf_question *question;
    toi_frame frame;
    int32_t *near; // triangles that may touch
    int64_t count;
    int64_t capacity;
    toi_field_contact_array *lists; // one for each PIECE of them
} contact_job;

// A triangle being looked at. Its contacts are those of the list from `first` on.
typedef struct face
{
    const contact_job *job;
    toi_local local;
    toi_resting resting;
    int32_t number;
    toi_field_contact_array *list;
    int64_t first;
} face;

static double detail(const contact_job *job)
{
    return job->def->distance / 8;
}

static int64_t found(const face *f)
{
    return f->list->count - f->first;
}

static void place_of(const face *f, int64_t contact, double point[3])
{
    const toi_field_contact *c = &f->list->data[f->first + contact];
    double weights[3] = {1 - c->u - c->v, c->u, c->v};
    toi_resting_point(&f->resting, weights, point);
}

static toi_status add(face *f, const double weights[3])
{
    toi_field_contact_array *list = f->list;
    toi_status status = toi_reserve(NULL, (void **)&list->data, &list->capacity, list->count + 1,
                                    sizeof *list->data);
    if (status != TOI_OK)
        return status;
    toi_field_sample sample;
    double point[3];
    toi_resting_point(&f->resting, weights, point);
    toi_local_sample(&f->local, point, &sample);
    double length = toi_norm(sample.gradient);
    for (int k = 0; k < 3 && length > 0; ++k)
        sample.gradient[k] /= length;
    toi_field_contact *c = &list->data[list->count++];
    *c = (toi_field_contact){.triangle = f->number, .u = weights[1], .v = weights[2]};
    c->distance = sample.value;
    toi_track_to_world(f->local.track, f->job->frame.time, point, sample.gradient, c->point,
                       c->normal);
    return TOI_OK;
}

// How far a point is from all contacts of the triangle.
static double clearance(const face *f, const double point[3])
{
    double least = INFINITY;
    for (int64_t i = 0; i < found(f); ++i) {
        double other[3], way[3];
        place_of(f, i, other);
        toi_subtract(point, other, way);
        least = fmin(least, toi_norm(way));
    }
    return least;
}

// A third contact on the line through the first two keeps nothing from tilting.
static bool on_a_line(const face *f, const double point[3])
{
    double a[3], b[3], ab[3], ac[3], bc[3], cross[3];
    place_of(f, 0, a);
    place_of(f, 1, b);
    toi_subtract(b, a, ab);
    toi_subtract(point, a, ac);
    toi_subtract(point, b, bc);
    toi_cross(ab, ac, cross);
    double longest = fmax(toi_dot(ab, ab), fmax(toi_dot(ac, ac), toi_dot(bc, bc)));
    return !(toi_norm(cross) > longest / 32);
}

// How much a further contact adds: its distance from the first, from the line of the first two, or
// from all.
static double worth(const face *f, const double point[3])
{
    double a[3], b[3], ab[3], ac[3], cross[3];
    if (found(f) != 2)
        return clearance(f, point);
    place_of(f, 0, a);
    place_of(f, 1, b);
    toi_subtract(b, a, ab);
    toi_subtract(point, a, ac);
    toi_cross(ab, ac, cross);
    return toi_norm(cross) / toi_norm(ab);
}

static bool is_low(face *f, const double weights[3], double limit, double point[3])
{
    toi_field_sample sample;
    toi_resting_point(&f->resting, weights, point);
    toi_local_sample(&f->local, point, &sample);
    return sample.value <= limit;
}

// From a low point towards another as far as it stays as low, by halving.
static void reach(face *f, const double from[3], const double to[3], double limit,
                  double weights[3])
{
    enum
    {
        HALVINGS = 6
    };
    double low = 0, high = 1, point[3];
    for (int i = 0; i <= HALVINGS && low < high; ++i) {
        double share = i == 0 ? 1 : (low + high) / 2;
        for (int k = 0; k < 3; ++k)
            weights[k] = from[k] + share * (to[k] - from[k]);
        *(is_low(f, weights, limit, point) ? &low : &high) = share;
    }
    for (int k = 0; k < 3; ++k)
        weights[k] = from[k] + low * (to[k] - from[k]);
}

// Where a triangle lies flat, many points are as low as the lowest: from it towards the corners of
// the region, the one that adds most.
static void spread(face *f, double region[3][3], toi_lowest *lowest)
{
    double point[3], limit = fmin(lowest->value + detail(f->job), f->job->def->distance);
    double from[3] = {lowest->weights[0], lowest->weights[1], lowest->weights[2]};
    toi_resting_point(&f->resting, from, point);
    double best = worth(f, point);
    for (int i = 0; i < 3; ++i) {
        double weights[3];
        reach(f, from, region[i], limit, weights);
        toi_resting_point(&f->resting, weights, point);
        double more = worth(f, point);
        if (!(more > best))
            continue;
        best = more;
        memcpy(lowest->weights, weights, sizeof weights);
    }
}

// Is a contact inside the region? Its weights are solved for those of the region's corners. On a
// side it is not inside: a flat triangle's first contact may well be the corner that all regions
// share.
static bool holds(double r[3][3], const double w[3])
{
    double a[3], b[3], c[3];
    toi_cross(r[1], r[2], a);
    toi_cross(r[2], r[0], b);
    toi_cross(r[0], r[1], c);
    double whole = toi_dot(r[0], a), least = 1e-9 * fabs(whole), sign = whole < 0 ? -1 : 1;
    return sign * toi_dot(w, a) > least && sign * toi_dot(w, b) > least &&
           sign * toi_dot(w, c) > least;
}

static bool holds_any(const face *f, double region[3][3])
{
    for (int64_t i = 0; i < found(f); ++i) {
        const toi_field_contact *c = &f->list->data[f->first + i];
        double weights[3] = {1 - c->u - c->v, c->u, c->v};
        if (holds(region, weights))
            return true;
    }
    return false;
}

// Looks for a contact in a region; `apart` says that there is none.
static toi_status search_region(face *f, double region[3][3], bool *apart)
{
    toi_lowest lowest;
    double point[3];
    toi_find_lowest(&f->local, &f->resting, region, f->job->def->distance, detail(f->job),
                    FEW_PARTS, &lowest);
    *apart = lowest.apart || !(lowest.value <= f->job->def->distance);
    if (*apart)
        return TOI_OK;
    spread(f, region, &lowest);
    toi_resting_point(&f->resting, lowest.weights, point);
    if (!(clearance(f, point) > SAME * f->resting.longest) ||
        (found(f) == 2 && on_a_line(f, point)))
        return TOI_OK;
    return add(f, lowest.weights);
}

typedef struct region
{
    double weights[3][3];
    double area;
    int level;
} region;

static double area_of(const toi_resting *triangle)
{
    double a[3], b[3], cross[3];
    toi_subtract(triangle->corners[1], triangle->corners[0], a);
    toi_subtract(triangle->corners[2], triangle->corners[0], b);
    toi_cross(a, b, cross);
    return toi_norm(cross) / 2;
}

// One of the three regions about the middle of another, equation 1.21. Each has a third of the
// area.
static region third(const region *whole, int corner)
{
    region part = *whole;
    for (int k = 0; k < 3; ++k)
        part.weights[corner][k] =
            (whole->weights[0][k] + whole->weights[1][k] + whole->weights[2][k]) / 3;
    part.area = whole->area / 3;
    ++part.level;
    return part;
}

// Level by level, regions without a contact are searched; what has none is left out from then on.
static toi_status subdivide(face *f)
{
    const toi_contact_def *def = f->job->def;
    region queue[REGIONS] = {{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, area_of(&f->resting), 0}};
    int head = 0, tail = 1;
    toi_status status = TOI_OK;
    for (; head < tail && queue[head].area / 3 >= def->least_area; ++head)
        for (int i = 0; i < 3 && found(f) < def->per_triangle && status == TOI_OK; ++i) {
            region part = third(&queue[head], i);
            bool apart = false;
            if (!holds_any(f, part.weights))
                status = search_region(f, part.weights, &apart);
            if (!apart && part.level < LEVELS && tail < REGIONS)
                queue[tail++] = part;
        }
    return status;
}

static void sort_by_depth(face *f)
{
    if (found(f) < 2)
        return; // there may be no list at all
    toi_field_contact *c = f->list->data + f->first;
    for (int64_t i = 1; i < found(f); ++i) {
        toi_field_contact moved = c[i];
        int64_t k = i;
        for (; k > 0 && moved.distance < c[k - 1].distance; --k)
            c[k] = c[k - 1];
        c[k] = moved;
    }
}

static toi_status look_at(const contact_job *job, int32_t triangle, toi_field_contact_array *list)
{
    double whole[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const toi_sdf_question *q = job->question;
    face f = {.job = job,
              .local = {.field = q->field, .track = &q->track},
              .number = triangle,
              .list = list,
              .first = list->count};
    toi_corner corners[3];
    double points[3][3];
    toi_lowest lowest;
    toi_question_corners(q, triangle, corners);
    for (int i = 0; i < 3; ++i)
        toi_track_place(&job->frame, &corners[i], points[i]);
    toi_rest_triangle(points, q->track.position_error, &f.resting);
    toi_find_lowest(&f.local, &f.resting, whole, job->def->distance, detail(job), PARTS, &lowest);
    toi_status status = lowest.apart || f.local.failed ? TOI_OK : add(&f, lowest.weights);
    if (status == TOI_OK && !lowest.apart && !f.local.failed)
        status = subdivide(&f);
    if (f.local.failed)
        return toi_local_status(&f.local);
    sort_by_depth(&f);
    return status;
}

static toi_status look_at_piece(void *context, int64_t first, int64_t end)
{
    contact_job *job = context;
    toi_status status = TOI_OK;
    for (int64_t i = first; i < end && status == TOI_OK; ++i)
        status = look_at(job, job->near[i], &job->lists[first / PIECE]);
    return status;
}

// Is a node's sphere so far from the field that no triangle in it can touch?
static bool is_far(const contact_job *job, toi_local *local, int64_t node)
{
    toi_moving_box box;
    toi_field_sample sample;
    double centre[3], error = job->question->track.position_error;
    toi_question_box(job->question, node, &box);
    toi_track_place(&job->frame, &box.centre, centre);
    toi_local_sample(local, centre, &sample);
    double radius = box.radius + job->frame.time * box.radius_rate + 2 * error;
    double gap = sample.value - sample.error - job->def->distance;
    return toi_free_radius(local->field, gap) * (1 - 0x1p-40) > radius * (1 + 0x1p-40);
}

static toi_status keep_leaf(contact_job *job, const toi_box_node *node)
{
    toi_status status = toi_reserve(NULL, (void **)&job->near, &job->capacity,
                                    job->count + node->count, sizeof *job->near);
    if (status != TOI_OK)
        return status;
    const int32_t *order = job->question->surface->tree.order + node->first;
    memcpy(job->near + job->count, order, (size_t)node->count * sizeof *order);
    job->count += node->count;
    return TOI_OK;
}

static toi_status find_near(contact_job *job)
{
    const toi_box_tree *tree = &job->question->surface->tree;
    toi_local local = {.field = job->question->field, .track = &job->question->track};
    int32_t stack[TOI_TREE_DEPTH + 2] = {0};
    int height = tree->node_count > 0 ? 1 : 0;
    toi_status status = TOI_OK;
    while (height > 0 && status == TOI_OK && !local.failed) {
        int32_t index = stack[--height];
        const toi_box_node *node = &tree->nodes[index];
        if (is_far(job, &local, index))
            continue;
        if (node->child == 0) {
            status = keep_leaf(job, node);
        } else {
            stack[height++] = node->child + 1;
            stack[height++] = node->child;
        }
    }
    return local.failed ? toi_local_status(&local) : status;
}

static int by_number(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

static toi_status join(const contact_job *job, int64_t pieces, toi_field_contact_array *contacts)
{
    int64_t total = 0;
    for (int64_t i = 0; i < pieces; ++i)
        total += job->lists[i].count;
    toi_status status = toi_reserve(NULL, (void **)&contacts->data, &contacts->capacity, total,
                                    sizeof *contacts->data);
    for (int64_t i = 0; i < pieces && status == TOI_OK; ++i) {
        const toi_field_contact_array *list = &job->lists[i];
        if (list->count > 0)
            memcpy(contacts->data + contacts->count, list->data,
                   (size_t)list->count * sizeof *list->data);
        contacts->count += list->count;
    }
    return status;
}

static toi_status look_at_all(contact_job *job, int workers, toi_field_contact_array *contacts)
{
    int64_t pieces = (job->count + PIECE - 1) / PIECE;
    if (pieces == 0)
        return TOI_OK;
    qsort(job->near, (size_t)job->count, sizeof *job->near, by_number);
    job->lists = toi_take(NULL, pieces, sizeof *job->lists);
    if (!job->lists)
        return TOI_ERROR_MEMORY;
    memset(job->lists, 0, (size_t)pieces * sizeof *job->lists);
    toi_status status = toi_parallel_ranges(workers, job->count, PIECE, look_at_piece, job);
    if (status == TOI_OK)
        status = join(job, pieces, contacts);
    for (int64_t i = 0; i < pieces; ++i)
        toi_free_field_contacts(&job->lists[i]);
    toi_give_back(job->lists);
    return status;
}

static toi_status check_def(const toi_contact_def *def, const toi_motion *motion, double time)
{
    TOI_CHECK_DEF(def, CONTACT_COOKIE, "contact");
    if (!(def->distance >= 0 && def->distance < INFINITY))
        return toi_fail(TOI_ERROR_ARGUMENT,
                        "the contact distance is %g; it must be finite and not negative",
                        def->distance);
    if (!(def->least_area >= 0))
        return toi_fail(TOI_ERROR_ARGUMENT, "the least area is %g; use 0 or more, or infinity",
                        def->least_area);
    if (def->per_triangle < 1)
        return toi_fail(TOI_ERROR_ARGUMENT, "%d contacts a triangle; use 1 or more",
                        def->per_triangle);
    if (!(time >= 0 && time <= motion->duration))
        return toi_fail(TOI_ERROR_ARGUMENT, "the time %g is not in the motion, which takes %g",
                        time, motion->duration);
    return TOI_OK;
}

static toi_status find_contacts(const toi_contact_def *def, const toi_sdf_question *question,
                                double time, toi_field_contact_array *contacts)
{
    if (question->surface->tree.face_count == 0)
        return TOI_OK;
    contact_job job = {.def = def, .question = question};
    toi_track_frame(&question->track, time, &job.frame);
    toi_status status = find_near(&job);
    if (status == TOI_OK)
        status = look_at_all(&job, question->workers, contacts);
    toi_give_back(job.near);
    return status;
}

static TOI_APART toi_status answer(const toi_contact_def *def, const toi_surface *surface,
                                   const toi_motion *motion, const double *time,
                                   const toi_field *field, toi_field_contact_array *contacts)
{
    toi_sdf_question question;
    contacts->count = 0;
    if (!surface || !motion || !field)
        return toi_fail(TOI_ERROR_ARGUMENT, "the %s is missing",
                        !motion  ? "motion"
                        : !field ? "field"
                                 : "mesh");
    toi_status status = check_def(def, motion, *time);
    if (status == TOI_OK)
        status = toi_open_question(surface, motion, field, def->workers, &question);
    if (status != TOI_OK)
        return status;
    status = find_contacts(def, &question, *time, contacts);
    if (status != TOI_OK)
        contacts->count = 0;
    toi_close_question(&question);
    return status;
}

toi_status toi_find_field_contacts(const toi_contact_def *def, const toi_surface *surface,
                                   const toi_motion *motion, double time, const toi_field *field,
                                   toi_field_contact_array *contacts)
{
    TOI_GUARD_FP;
    return answer(def, surface, motion, &time, field, contacts);
}

toi_status toi_local_status(const toi_local *local)
{
    const double *x = local->failed_at;
    return toi_fail(
        TOI_ERROR_DATA,
        "the field's value or bounds at (%.17g, %.17g, %.17g) of its own coordinates are "
        "not numbers that a field may have",
        x[0], x[1], x[2]);
}
