// Any bytes as fields, motions and triangles: refused with a message, or answered as promised. The
// certificate is looked at with the library's own positions and values, within their rounding.

#include "fuzz.h"

#include "sdf/field.h"

#include <math.h>

enum
{
    DEPTH = 3,
    CHILDREN = 3,
    LATTICE = 6
};

// Mostly ordinary numbers, now and then any.
static double take_number(fuzz_bytes *bytes)
{
    uint8_t kind = take_byte(bytes);
    if (kind == 255)
        return take_double(bytes);
    double small = (int8_t)take_byte(bytes) / 16.0;
    return kind > 240 ? ldexp(small, (int8_t)take_byte(bytes)) : small;
}

static void take_numbers(fuzz_bytes *bytes, double *numbers, int count)
{
    for (int i = 0; i < count; ++i)
        numbers[i] = take_number(bytes);
}

static toi_field *take_shape(fuzz_bytes *bytes)
{
    toi_shape shape = (toi_shape)(take_byte(bytes) % TOI_SHAPE_COUNT);
    double numbers[4];
    toi_field *field;
    take_numbers(bytes, numbers, 4);
    for (int i = 0; i < 4 && shape != TOI_SHAPE_PLANE; ++i)
        numbers[i] = fabs(numbers[i]);
    toi_make_shape(shape, numbers, toi_shape_numbers(shape), &field);
    return field;
}

static toi_field *take_field(fuzz_bytes *bytes, int depth);

static toi_field *take_placed(fuzz_bytes *bytes, int depth)
{
    toi_placement at = toi_default_placement();
    take_numbers(bytes, at.position, 3);
    take_numbers(bytes, at.rotation, 4);
    at.offset = take_number(bytes);
    at.scale = fabs(take_number(bytes));
    toi_field *inner = take_field(bytes, depth - 1), *placed = NULL;
    if (inner)
        toi_place_field(inner, &at, &placed);
    toi_free_field(inner);
    return placed;
}

static toi_field *take_combined(fuzz_bytes *bytes, int depth)
{
    toi_field *fields[CHILDREN], *combined = NULL;
    toi_combination how = (toi_combination)(take_byte(bytes) % TOI_COMBINE_COUNT);
    int count = 1 + take_byte(bytes) % CHILDREN;
    for (int i = 0; i < count; ++i)
        fields[i] = take_field(bytes, depth - 1);
    toi_combine_fields(how, fields, count, &combined);
    for (int i = 0; i < count; ++i)
        toi_free_field(fields[i]);
    return combined;
}

// NULL: the numbers were refused.
static toi_field *take_field(fuzz_bytes *bytes, int depth)
{
    uint8_t kind = depth > 0 ? take_byte(bytes) : 0;
    return kind < 128   ? take_shape(bytes)
           : kind < 192 ? take_placed(bytes, depth)
                        : take_combined(bytes, depth);
}

static toi_rigid take_rigid(fuzz_bytes *bytes)
{
    toi_rigid r = toi_rest();
    uint8_t what = take_byte(bytes);
    if (what & 1)
        take_numbers(bytes, r.centre, 3);
    if (what & 2)
        take_numbers(bytes, r.rotation, 4);
    if (what & 4)
        take_numbers(bytes, r.position, 3);
    if (what & 8)
        take_numbers(bytes, r.velocity, 3);
    if (what & 16)
        take_numbers(bytes, r.spin, 3);
    return r;
}

typedef struct question
{
    double start[3][3];
    double end[3][3];
    toi_motion motion;
    toi_sdf_def def;
} question;

static void take_question(fuzz_bytes *bytes, question *q)
{
    uint8_t what = take_byte(bytes);
    take_numbers(bytes, q->start[0], 9);
    q->motion = toi_default_motion();
    q->motion.mesh = take_rigid(bytes);
    q->motion.field = take_rigid(bytes);
    if (what & 1) {
        take_numbers(bytes, q->end[0], 9);
        q->motion.start = toi_view_points(q->start[0], 3);
        q->motion.end = toi_view_points(q->end[0], 3);
    }
    if (what & 2)
        q->motion.duration = fabs(take_number(bytes));
    q->def = toi_default_sdf_def();
    q->def.budget = 200;
    q->def.workers = 1;
    if (what & 4)
        q->def.tolerance = fabs(take_number(bytes));
    if (what & 8)
        q->def.margin = take_number(bytes);
    if (what & 16)
        q->def.touch = fabs(take_number(bytes));
}

// Where a corner is at a time, in the field's frame; *size is that of all numbers on the way.
static void place(const question *q, int corner, double time, double x[3], double *size)
{
    double matrix[9], position[3], world[3];
    const toi_motion *m = &q->motion;
    const double *a = q->start[corner], *b = q->end[corner];
    toi_rigid_pose(&m->mesh, time, matrix, position);
    for (int k = 0; k < 3; ++k) {
        double turned = matrix[3 * k] * a[0] + matrix[3 * k + 1] * a[1] + matrix[3 * k + 2] * a[2];
        world[k] =
            m->end.count > 0 ? a[k] + time / m->duration * (b[k] - a[k]) : position[k] + turned;
        *size += fabs(a[k]) + fabs(b[k]) + fabs(m->mesh.position[k]) + fabs(m->mesh.centre[k]) +
                 time * fabs(m->mesh.velocity[k]);
    }
    toi_rigid_pose(&m->field, time, matrix, position);
    for (int k = 0; k < 3; ++k) {
        x[k] = 0;
        for (int i = 0; i < 3; ++i)
            x[k] += matrix[3 * i + k] * (world[i] - position[i]);
        *size += fabs(world[k]) + fabs(m->field.position[k]) + fabs(m->field.centre[k]) +
                 time * fabs(m->field.velocity[k]);
    }
}

// No point of the triangle is in contact at the time, but for rounding.
static void check_free(const question *q, const toi_field *field, double time, double touch)
{
    double x[3][3], size = 0, turns = 1;
    for (int i = 0; i < 3; ++i)
        place(q, i, time, x[i], &size);
    for (int k = 0; k < 3; ++k)
        turns += time * (fabs(q->motion.mesh.spin[k]) + fabs(q->motion.field.spin[k]));
    for (int i = 0; i <= LATTICE; ++i)
        for (int j = 0; i + j <= LATTICE; ++j) {
            double p[3], u = i / (double)LATTICE, v = j / (double)LATTICE;
            for (int k = 0; k < 3; ++k)
                p[k] = (1 - u - v) * x[0][k] + u * x[1][k] + v * x[2][k];
            toi_field_sample sample;
            toi_sample_field(field, p, &sample);
            double slack = touch + sample.error + 0x1p-44 * size * turns;
            CHECK(!(sample.value < q->def.margin - slack - 0x1p-44 * fabs(q->def.margin)));
        }
}

static void check_answer(const question *q, const toi_field *field, const toi_sdf_result *r)
{
    CHECK(r->t_low >= 0 && r->t_low <= q->motion.duration && r->touch >= q->def.touch);
    if (r->state == TOI_SDF_FREE)
        CHECK(r->t_low == q->motion.duration && r->triangle == -1 && r->t_high == INFINITY);
    if (r->state == TOI_SDF_HIT) {
        CHECK(r->triangle == 0 && r->t_low <= r->t_high && r->t_high <= q->motion.duration);
        CHECK(r->distance <= q->def.margin + r->touch);
    }
    // Numbers whose products overflow are the library's to handle, not this check's.
    static const double share[] = {0, 0.3, 0.7, 0.99, 1 - 1e-9};
    double rounding = r->state == TOI_SDF_HIT && q->def.touch == 0 ? r->touch : 0;
    for (int i = 0; i < 5 && r->t_low > 0; ++i)
        check_free(q, field, share[i] * r->t_low, rounding);
}

// As a mesh of one face it is answered as well, and no later.
static void check_mesh(const question *q, const toi_field *field)
{
    const int32_t face[3] = {0, 1, 2};
    toi_surface *surface;
    toi_sdf_result r;
    toi_index_view faces = {face, 1, 0};
    if (toi_make_surface(toi_view_points(q->start[0], 3), faces, 1, &surface) != TOI_OK)
        return;
    if (toi_find_field_impact(&q->def, surface, &q->motion, field, &r) == TOI_OK)
        check_answer(q, field, &r);
    toi_contact_def def = toi_default_contact_def();
    toi_field_contact_array contacts = {0};
    def.workers = 1;
    toi_find_field_contacts(&def, surface, &q->motion, 0, field, &contacts);
    toi_free_field_contacts(&contacts);
    toi_free_surface(surface);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_bytes bytes = {data, size};
    question q = {0};
    take_question(&bytes, &q);
    toi_field *field = take_field(&bytes, DEPTH);
    if (!field) {
        CHECK(strlen(toi_last_message()) > 0);
        return 0;
    }
    toi_sdf_result r;
    if (toi_find_triangle_impact(&q.def, (const double(*)[3])q.start, &q.motion, field, &r) ==
        TOI_OK) {
        check_answer(&q, field, &r);
        check_mesh(&q, field);
    } else {
        CHECK(strlen(toi_last_message()) > 0);
    }
    toi_free_field(field);
    return 0;
}
