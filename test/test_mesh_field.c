// Meshes as fields: distances, signs, bounds, reports, bad input.

#include "mesh_twin.h"
#include "support.h"

#include "sdf/field.h"
#include "sdf/mesh_distance.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
    BALL,
    SMOOTH_BALL,
    CUBE,
    TOUCHING, // cubes that share a face, an edge and a corner
    CROSSING, // cubes that overlap: a winding number of 2
    SLIVERS,
    UNWELDED,
    INSIDE_OUT,
    HOLED,
    KINDS
};

static twin_mesh make_kind(int kind, uint64_t seed)
{
    static const double cube[1][2][3] = {{{-1, -1, -1}, {1, 1, 1}}};
    static const double touching[4][2][3] = {{{-1, -1, -1}, {0, 0, 0}},
                                             {{0, -1, -1}, {1, 0, 0}},
                                             {{-1, 0, 0}, {0, 1, 1}},
                                             {{0.25, 0.25, 0.25}, {1, 1, 1}}};
    static const double crossing[2][2][3] = {{{-1, -1, -1}, {0.5, 0.5, 0.5}},
                                             {{-0.5, -0.5, -0.5}, {1, 1, 1}}};
    twin_mesh m;
    switch (kind) {
    case CUBE:
        return make_box_mesh(cube, 1);
    case TOUCHING:
        return make_box_mesh(touching, 4);
    case CROSSING:
        return make_box_mesh(crossing, 2);
    case SMOOTH_BALL:
        return make_ball(8, 0, seed);
    case SLIVERS:
        m = make_ball(7, 0.05, seed);
        for (int64_t i = 0; i < m.point_count; ++i)
            m.points[i][1] *= 1e-4;
        return m;
    case UNWELDED:
        m = make_ball(6, 0.05, seed);
        twin_mesh loose = unweld(&m);
        free_twin_mesh(&m);
        return loose;
    default:
        m = make_ball(7, 0.1, seed);
        if (kind == INSIDE_OUT)
            turn_inside_out(&m);
        if (kind == HOLED)
            m.face_count -= 9;
        return m;
    }
}

static toi_field *make_field(const twin_mesh *m)
{
    toi_field *field;
    assert_ok(toi_make_mesh_field(twin_points(m), twin_faces(m), 1, NULL, &field));
    return field;
}

// Anywhere around, near the surface by some power of ten, or on it.
static void random_point(const twin_mesh *m, double scale, double shift, toi_random *random,
                         double p[3])
{
    if (toi_random_below(random, 3) == 0) {
        for (int k = 0; k < 3; ++k)
            p[k] = toi_random_range(random, -1.5, 1.5) * scale + shift;
        return;
    }
    point_of_face(m, random, p);
    double off = toi_random_below(random, 8) == 0 ? 0 : pow(10, toi_random_range(random, -15, -1));
    for (int k = 0; k < 3; ++k)
        p[k] += off * scale * toi_random_range(random, -1, 1);
}

static void widen_point(const double p[3], long double x[3])
{
    for (int k = 0; k < 3; ++k)
        x[k] = p[k];
}

// The value is that of all triangles within the error it states, at every scale; the sign is that
// of the winding number unless the point is as near to the surface as the error.
static void check_point(const toi_field *field, const twin_mesh *m, const double p[3],
                        double *worst)
{
    long double x[3];
    widen_point(p, x);
    toi_field_sample sample;
    toi_sample_field(field, p, &sample);
    assert_true(field->class->value(field, p) == sample.value);
    long double distance = twin_mesh_distance(m, x), winding = twin_winding(m, x);
    long double off = fabsl(fabsl((long double)sample.value) - distance);
    assert_true(off <= (long double)sample.error);
    *worst = fmax(*worst, (double)(off / (long double)sample.error));
    if (distance > sample.error && fabsl(winding - 0.5L) > 1e-6L)
        assert_int_equal(sample.value<0, winding> 0.5L);
}

static void values_are_those_of_every_triangle(void **state)
{
    (void)state;
    double worst = 0;
    for (int kind = 0; kind < KINDS; ++kind)
        for (double scale = 1e-6; scale < 2e6; scale *= 1e3) {
            twin_mesh m = make_kind(kind, 3);
            double shift = kind % 2 ? 5 * scale : 0;
            move_mesh(&m, scale, shift);
            toi_field *field = make_field(&m);
            toi_random random = {(uint64_t)kind + 11};
            for (int64_t i = cases(250); i > 0; --i) {
                double p[3];
                random_point(&m, scale, shift, &random, p);
                check_point(field, &m, p, &worst);
            }
            toi_free_field(field);
            free_twin_mesh(&m);
        }
    printf("the worst error is %.2g of its bound\n", worst);
    assert_true(worst > 1e-5); // else nothing was near
}

// Points on planes, edges and diagonals of boxes, where every ray along an axis meets an edge.
static void signs_on_a_lattice(void **state)
{
    (void)state;
    for (int kind = CUBE; kind <= CROSSING; ++kind) {
        twin_mesh m = make_kind(kind, 1);
        toi_field *field = make_field(&m);
        double worst = 0;
        int inside = 0;
        for (int i = 0; i < 9 * 9 * 9; ++i) {
            double p[3] = {(i % 9 - 4) * 0.25, (i / 9 % 9 - 4) * 0.25, (i / 81 - 4) * 0.25};
            check_point(field, &m, p, &worst);
            inside += field->class->value(field, p) < 0;
        }
        assert_true(inside > 50);
        toi_free_field(field);
        free_twin_mesh(&m);
    }
}

// The least of the minorants at c + y, in long double.
static long double least_minorant(const toi_minorant *m, int count, const long double y[3])
{
    long double least = INFINITY, length = sqrtl(y[0] * y[0] + y[1] * y[1] + y[2] * y[2]);
    for (int i = 0; i < count; ++i) {
        long double value = m[i].distance - (m[i].slope + m[i].curvature / 2 * length) * length;
        for (int k = 0; k < 3; ++k)
            value += m[i].normal[k] * y[k];
        least = fminl(least, value);
    }
    return least;
}

typedef struct bound_case
{
    const twin_mesh *mesh;
    const toi_field *field;
    double centre[3];
    double radius;
    double sign;
    toi_minorant minorants[TOI_MINORANTS];
    int count;
} bound_case;

// At a point of the ball no bound is above max(sign phi, 0). The twin's own rounding is 2^-58 or
// so.
static void check_bound(const bound_case *b, const long double y[3], double size)
{
    long double x[3];
    if (y[0] * y[0] + y[1] * y[1] + y[2] * y[2] > (long double)b->radius * b->radius)
        return;
    for (int k = 0; k < 3; ++k)
        x[k] = b->centre[k] + y[k];
    long double bound = least_minorant(b->minorants, b->count, y),
                phi = twin_mesh_distance(b->mesh, x);
    if (bound <= 0)
        return;
    if ((twin_winding(b->mesh, x) >= 0.5L) == (b->sign > 0))
        phi = 0;
    assert_true(bound <= phi + 0x1p-56L * size);
}

// The least of normal.(centre - corner) over a face, less the distance: not negative where the
// half-space of a minorant holds the face.
static long double room_of_face(const bound_case *b, const toi_minorant *m, int64_t f)
{
    long double least = INFINITY;
    for (int v = 0; v < 3; ++v) {
        const double *corner = b->mesh->points[b->mesh->faces[f][v]];
        long double sum = -(long double)m->distance;
        for (int k = 0; k < 3; ++k)
            sum += m->normal[k] * ((long double)b->centre[k] - corner[k]);
        least = fminl(least, sum);
    }
    return least;
}

// Every face that is near enough to matter is held by one of the half-spaces, rounding included:
// the twin's own is 2^-62 or so of the size.
static void check_faces_are_held(const bound_case *b, double size)
{
    long double centre[3];
    widen_point(b->centre, centre);
    long double reach = twin_mesh_distance(b->mesh, centre) + 2 * (long double)b->radius;
    for (int64_t f = 0; f < b->mesh->face_count; ++f) {
        twin_mesh one = {b->mesh->points, &b->mesh->faces[f], b->mesh->point_count, 1};
        if (twin_mesh_distance(&one, centre) > reach)
            continue;
        long double best = -INFINITY;
        for (int i = 0; i < b->count; ++i)
            best = fmaxl(best, room_of_face(b, &b->minorants[i], f));
        assert_true(best >= -0x1p-61L * size);
    }
}

static void check_normals(const bound_case *b)
{
    for (int i = 0; i < b->count; ++i) {
        long double square = 0;
        for (int k = 0; k < 3; ++k)
            square += (long double)b->minorants[i].normal[k] * b->minorants[i].normal[k];
        assert_true(square <= 1 && b->minorants[i].curvature == 0 && b->minorants[i].slope == 0);
        assert_true(b->minorants[i].distance > 0); // the theorem asks for that
    }
}

// On the surface and beyond it, where no bound may be positive, and anywhere.
static void check_ball(const bound_case *b, const toi_field_sample *sample, toi_random *random,
                       double size)
{
    for (int i = 0; i < 14; ++i) {
        long double y[3], way = 1 + (i % 2) * (long double)toi_random_unit(random);
        double p[3];
        point_of_face(b->mesh, random, p);
        for (int k = 0; k < 3; ++k)
            y[k] = i < 2   ? -way * sample->value * sample->gradient[k]
                   : i < 6 ? (long double)p[k] - b->centre[k]
                           : b->radius * (long double)toi_random_range(random, -0.7, 0.7);
        check_bound(b, y, size);
    }
}

static void bounds_hold_in_the_ball(void **state)
{
    (void)state;
    int64_t bounded = 0, several = 0, within = 0;
    for (int kind = 0; kind < HOLED; ++kind)
        for (double scale = 1e-6; scale < 2e6; scale *= 1e6) {
            twin_mesh m = make_kind(kind, 17);
            move_mesh(&m, scale, kind % 2 ? scale : 0);
            toi_field *field = make_field(&m);
            toi_random random = {(uint64_t)kind + 29};
            for (int64_t i = cases(300); i > 0; --i) {
                bound_case b = {.mesh = &m, .field = field};
                toi_field_sample sample;
                random_point(&m, scale, kind % 2 ? scale : 0, &random, b.centre);
                b.radius = scale * pow(10, toi_random_range(&random, -12, 0.3));
                toi_sample_field(field, b.centre, &sample);
                b.sign = sample.value < 0 ? -1 : 1;
                int room = 1 + (int)toi_random_below(&random, TOI_MINORANTS);
                b.count = field->class->bound(field, &sample, b.centre, b.radius, b.sign,
                                              b.minorants, room);
                assert_in_range(b.count, 0, room);
                bounded += b.count > 0;
                several += b.count > 1;
                within += b.count > 0 && b.sign < 0;
                if (b.count > 0) {
                    check_ball(&b, &sample, &random, 8 * scale);
                    check_faces_are_held(&b, 8 * scale);
                    check_normals(&b);
                }
                // On the wrong side nothing is known.
                assert_int_equal(field->class->bound(field, &sample, b.centre, b.radius, -b.sign,
                                                     b.minorants, room),
                                 0);
            }
            toi_free_field(field);
            free_twin_mesh(&m);
        }
    assert_true(bounded > cases(2000) && several > cases(500) && within > cases(100));
}

// As near as 1e-9 to a face, a side or a corner the bound at the centre is the distance, but for a
// few roundings of the size of the mesh: without that, searches would not end.
static void bounds_are_tight_near_the_surface(void **state)
{
    (void)state;
    double worst = 0;
    for (int kind = 0; kind < HOLED; ++kind) {
        twin_mesh m = make_kind(kind, 23);
        toi_field *field = make_field(&m);
        toi_random random = {(uint64_t)kind + 41};
        for (int64_t i = cases(2000); i > 0; --i) {
            double p[3], away = pow(10, toi_random_range(&random, -10, -3));
            point_of_face(&m, &random, p);
            for (int k = 0; k < 3; ++k)
                p[k] += away * toi_random_range(&random, -1, 1);
            toi_field_sample sample;
            toi_minorant minorants[TOI_MINORANTS];
            toi_sample_field(field, p, &sample);
            double distance = fabs(sample.value), radius = distance * 1e-3;
            int count = field->class->bound(field, &sample, p, radius, sample.value < 0 ? -1 : 1,
                                            minorants, TOI_MINORANTS);
            if (distance < 1e-12)
                continue;
            assert_true(count > 0);
            const long double centre[3] = {0};
            double lost =
                distance - (double)least_minorant(minorants, count, centre) - radius / 512;
            worst = fmax(worst, lost);
        }
        toi_free_field(field);
        free_twin_mesh(&m);
    }
    printf("bounds at the centre lose %.2g at most\n", worst);
    assert_true(worst < 1e-13);
}

// Bounds of fields made of mesh fields are below max(phi, floor), and go into the solid with no
// more.
static void check_composed(const toi_field *field, toi_random *random)
{
    int64_t bounded = 0;
    for (int64_t i = cases(1000); i > 0; --i) {
        double c[3], x[3], radius = pow(10, toi_random_range(random, -3, 0));
        long double y[3];
        for (int k = 0; k < 3; ++k)
            c[k] = toi_random_range(random, -2, 2);
        toi_field_sample sample;
        toi_minorant minorants[TOI_MINORANTS];
        toi_sample_field(field, c, &sample);
        for (int side = 0; side < 2; ++side) {
            double sign = side ? -1 : 1;
            int count =
                field->class->bound(field, &sample, c, radius, sign, minorants, TOI_MINORANTS);
            bounded += count > 0;
            for (int j = 0; j < 10 && count > 0; ++j) {
                for (int k = 0; k < 3; ++k) {
                    y[k] = radius * toi_random_range(random, -0.57, 0.57);
                    x[k] = (double)(c[k] + y[k]);
                }
                double phi = sign * field->class->value(field, x);
                assert_true(least_minorant(minorants, count, y) <=
                            fmax(phi, field->floor[side]) + 1e-12);
            }
        }
    }
    assert_true(bounded > cases(300));
}

static void composed_fields_keep_floors(void **state)
{
    (void)state;
    twin_mesh m = make_kind(BALL, 13);
    double radius = 1.2;
    toi_field *mesh = make_field(&m), *sphere, *composed, *placed;
    toi_random random = {3};
    assert_ok(toi_make_shape(TOI_SHAPE_SPHERE, &radius, 1, &sphere));
    toi_placement placement = toi_default_placement();
    placement.position[0] = 0.7;
    placement.offset = -0.2;
    placement.scale = 1.5;
    assert_ok(toi_place_field(mesh, &placement, &placed));
    assert_true(placed->floor[0] == 0.2 && placed->floor[1] == -0.2);
    check_composed(placed, &random);
    for (int order = 0; order < 2; ++order)
        for (int combination = 0; combination < TOI_COMBINE_COUNT; ++combination) {
            toi_field *fields[2] = {order ? placed : sphere, order ? sphere : placed};
            assert_ok(toi_combine_fields((toi_combination)combination, fields, 2, &composed));
            bool negated = combination == TOI_COMBINE_DIFFERENCE && !order;
            assert_true(composed->floor[0] == (negated ? -0.2 : 0.2));
            assert_true(composed->floor[1] == (negated ? 0.2 : -0.2));
            check_composed(composed, &random);
            toi_free_field(composed);
        }
    assert_true(sphere->floor[0] == -INFINITY && sphere->floor[1] == -INFINITY);
    toi_free_field(placed);
    toi_free_field(sphere);
    toi_free_field(mesh);
    free_twin_mesh(&m);
}

static toi_mesh_field_report report_of(const twin_mesh *m)
{
    toi_mesh_field_report report;
    toi_field *field;
    assert_ok(toi_make_mesh_field(twin_points(m), twin_faces(m), 1, &report, &field));
    toi_free_field(field);
    return report;
}

static void reports_say_what_is_open(void **state)
{
    (void)state;
    for (int kind = 0; kind < KINDS; ++kind) {
        twin_mesh m = make_kind(kind, 5);
        toi_mesh_field_report report = report_of(&m);
        assert_int_equal(report.open_edges > 0, kind == HOLED);
        assert_int_equal(report.open_edge[0] >= 0, kind == HOLED);
        assert_int_equal(report.volume < 0, kind == INSIDE_OUT);
        assert_int_equal(report.degenerate, 0);
        free_twin_mesh(&m);
    }
    // One face less opens its three sides; one turned over unbalances them; a doubled one too.
    twin_mesh m = make_kind(CUBE, 0);
    --m.face_count;
    toi_mesh_field_report report = report_of(&m);
    assert_int_equal(report.open_edges, 3);
    ++m.face_count;
    int32_t swap = m.faces[0][0];
    m.faces[0][0] = m.faces[0][1];
    m.faces[0][1] = swap;
    assert_int_equal(report_of(&m).open_edges, 3);
    // A face without area is a segment, and opens nothing that is not closed again.
    m.faces[0][1] = m.faces[0][0];
    report = report_of(&m);
    assert_int_equal(report.degenerate, 1);
    assert_true(fabs(report_of(&m).volume - 8) < 3);
    free_twin_mesh(&m);
}

static void bad_meshes_are_refused(void **state)
{
    (void)state;
    twin_mesh m = make_kind(CUBE, 0);
    toi_field *field = (toi_field *)&m;
    toi_index_view none = {0};
    assert_fails(toi_make_mesh_field(twin_points(&m), none, 1, NULL, &field), TOI_ERROR_DATA,
                 "the mesh has no faces");
    assert_null(field);
    assert_fails(toi_make_mesh_field(twin_points(&m), twin_faces(&m), -1, NULL, &field),
                 TOI_ERROR_ARGUMENT, "workers");
    assert_fails(toi_make_mesh_field(twin_points(&m), twin_faces(&m), 1, NULL, NULL),
                 TOI_ERROR_ARGUMENT, "no place for the field");
    m.faces[5][2] = 8;
    assert_fails(toi_make_mesh_field(twin_points(&m), twin_faces(&m), 1, NULL, &field),
                 TOI_ERROR_DATA, "face 5: vertex index 8 is not in [0, 8)");
    m.faces[5][2] = 3;
    m.points[3][2] = -INFINITY;
    assert_fails(toi_make_mesh_field(twin_points(&m), twin_faces(&m), 1, NULL, &field),
                 TOI_ERROR_DATA, "vertex 3: coordinate z is -inf");
    m.points[3][2] = 1e200;
    assert_fails(toi_make_mesh_field(twin_points(&m), twin_faces(&m), 1, NULL, &field),
                 TOI_ERROR_DATA, "vertex 3: coordinate z is 1e+200; scale the mesh");
    assert_null(field);
    free_twin_mesh(&m);
}

// Memory that runs out at any point is a status, and all of it comes back.
typedef struct purse
{
    int64_t left;
    int64_t held;
} purse;

static void *allocate_some(void *user, size_t size, size_t alignment)
{
    purse *p = user;
    if (p->left-- <= 0)
        return NULL;
    ++p->held;
    return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static void release_some(void *user, void *memory, size_t size)
{
    (void)size;
    --((purse *)user)->held;
    free(memory);
}

static void memory_may_run_out(void **state)
{
    (void)state;
    twin_mesh m = make_kind(HOLED, 3);
    purse p = {0, 0};
    toi_hooks hooks = {.user = &p, .allocate = allocate_some, .release = release_some};
    toi_set_hooks(&hooks);
    int64_t needed = 0;
    toi_status status = TOI_ERROR_MEMORY;
    for (; status == TOI_ERROR_MEMORY && needed < 100; ++needed) {
        toi_field *field;
        p.left = needed;
        status = toi_make_mesh_field(twin_points(&m), twin_faces(&m), 1, NULL, &field);
        assert_int_equal(field != NULL, status == TOI_OK);
        toi_free_field(field);
        assert_int_equal(p.held, 0);
    }
    toi_set_hooks(NULL);
    assert_int_equal(status, TOI_OK);
    assert_true(needed > 8);
    free_twin_mesh(&m);
}

// Samples and bounds as bytes.
static uint64_t hash_field(const toi_field *field, const twin_mesh *m)
{
    toi_random random = {77};
    uint64_t hash = 0;
    for (int i = 0; i < 500; ++i) {
        struct
        {
            uint64_t before;
            toi_field_sample sample;
            toi_minorant minorants[TOI_MINORANTS];
        } all;
        double p[3];
        memset(&all, 0, sizeof all);
        random_point(m, 1, 0, &random, p);
        all.before = hash;
        toi_sample_field(field, p, &all.sample);
        field->class->bound(field, &all.sample, p, 0.1 * toi_random_unit(&random), 1, all.minorants,
                            TOI_MINORANTS);
        hash = toi_hash(&all, sizeof all);
    }
    return hash;
}

static void workers_and_instruction_sets_do_not_matter(void **state)
{
    (void)state;
    static const char *const sets[] = {"baseline", "avx2", "avx512"};
    for (int kind = 0; kind < KINDS; kind += 3) {
        twin_mesh m = make_kind(kind, 9);
        toi_field *field = make_field(&m);
        uint64_t expected = hash_field(field, &m);
        for (size_t s = 0; s < sizeof sets / sizeof *sets; ++s)
            if (toi_set_simd(sets[s]) == TOI_OK)
                assert_int_equal(hash_field(field, &m), expected);
        assert_ok(toi_set_simd(NULL));
        toi_free_field(field);
        for (int workers = 2; workers <= 4; ++workers) {
            assert_ok(toi_make_mesh_field(twin_points(&m), twin_faces(&m), workers, NULL, &field));
            assert_int_equal(hash_field(field, &m), expected);
            toi_free_field(field);
        }
        free_twin_mesh(&m);
    }
}

// What baking uses.
static void walks_find_what_is_near(void **state)
{
    (void)state;
    twin_mesh m = make_kind(BALL, 31);
    toi_mesh_tree tree;
    toi_mesh_field_report report;
    assert_ok(toi_make_mesh_tree(twin_points(&m), twin_faces(&m), 1, &tree, &report));
    toi_random random = {5};
    toi_nearest seed = {.block = 0};
    int32_t *faces = malloc((size_t)m.face_count * sizeof *faces);
    for (int i = 0; i < 300; ++i) {
        double p[3], high[3], distance = 0.5 * toi_random_unit(&random);
        toi_nearest nearest;
        random_point(&m, 1, 0, &random, p);
        toi_find_nearest(&tree, p, INFINITY, &nearest);
        toi_find_nearest_from(&tree, p, &seed);
        assert_true(fabs(sqrt(seed.square) - sqrt(nearest.square)) <= 1e-14);
        toi_find_nearest(&tree, p, nearest.square, &seed); // nothing is nearer
        assert_true(seed.square == INFINITY);
        seed = nearest;
        for (int k = 0; k < 3; ++k)
            high[k] = p[k] + 0.1;
        int64_t count = toi_list_faces_near(&tree, p, high, distance, faces, m.face_count);
        assert_in_range(count, 0, m.face_count);
        assert_int_equal(toi_list_faces_near(&tree, p, high, distance, faces, 0), count);
        for (int64_t f = 0; f < m.face_count; ++f) {
            bool listed = false;
            long double x[3];
            widen_point(p, x);
            for (int64_t j = 0; j < count; ++j)
                listed = listed || faces[j] == f;
            twin_mesh one = {m.points, &m.faces[f], m.point_count, 1};
            if (!listed) // its distance from a corner of the box is more than that from the box
                assert_true(twin_mesh_distance(&one, x) > distance);
        }
    }
    free(faces);
    toi_free_mesh_tree(&tree);
    free_twin_mesh(&m);
}

static void far_points_are_outside(void **state)
{
    (void)state;
    twin_mesh m = make_kind(CUBE, 0);
    toi_field *field = make_field(&m);
    double worst = 0;
    for (double far = 1e3; far < 1e80; far *= 1e19) {
        double p[3] = {far, -far / 3, 0.1};
        check_point(field, &m, p, &worst);
    }
    double p[3] = {-1.7e308, 0, 1e300};
    toi_field_sample sample;
    toi_minorant minorants[TOI_MINORANTS];
    toi_sample_field(field, p, &sample);
    assert_true(sample.value > 0 && sample.error == INFINITY && sample.gradient[0] == -1);
    assert_int_equal(field->class->bound(field, &sample, p, 1, 1, minorants, TOI_MINORANTS), 0);
    toi_free_field(field);
    free_twin_mesh(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_those_of_every_triangle),
        cmocka_unit_test(signs_on_a_lattice),
        cmocka_unit_test(bounds_hold_in_the_ball),
        cmocka_unit_test(bounds_are_tight_near_the_surface),
        cmocka_unit_test(composed_fields_keep_floors),
        cmocka_unit_test(reports_say_what_is_open),
        cmocka_unit_test(bad_meshes_are_refused),
        cmocka_unit_test(memory_may_run_out),
        cmocka_unit_test(workers_and_instruction_sets_do_not_matter),
        cmocka_unit_test(walks_find_what_is_near),
        cmocka_unit_test(far_points_are_outside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
