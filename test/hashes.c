// Prints a line of fingerprints for every scene and narrow phase: the points, the candidates, the
// impacts, the earliest impact, the safe steps, the distances at the start. Every one is computed
// for several workers and for each instruction set (with the default narrow phase 1 to 8 workers
// and each broad phase), and must come out the same. Likewise what scenes find and count by each
// method of tracking; and for fields: values, gradients and bounds, first contacts of a mesh with
// them by every solver, and contacts; and for the k-free analysis. test_hashes.sh compares the
// lines of two builds.

#include "scenes.h"
#include "toi/random.h"
#include "toi/sdf.h"
#include "toi/toi.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

static void require(toi_status status, const char *what)
{
    if (status == TOI_OK)
        return;
    fprintf(stderr, "%s: %s: %s\n", what, toi_status_name(status), toi_last_message());
    exit(1);
}

typedef struct fingerprint
{
    uint64_t candidates;
    uint64_t impacts;
    uint64_t earliest;
    uint64_t steps;
    uint64_t close;
} fingerprint;

static uint64_t hash_candidates(const toi_ccd_def *def, const toi_mesh *mesh)
{
    uint64_t hashes[TOI_PAIR_KINDS];
    for (int kind = 0; kind < TOI_PAIR_KINDS; ++kind) {
        toi_pair_array pairs = {0};
        require(toi_find_candidates(def, mesh, (toi_kind)kind, &pairs, NULL), "candidates");
        hashes[kind] = toi_hash(pairs.data, (size_t)pairs.count * sizeof *pairs.data);
        toi_free_pairs(&pairs);
    }
    return toi_hash(hashes, sizeof hashes);
}

// Close pairs, the closest, and radii: the narrow phase has no say.
static uint64_t hash_distances(toi_ccd_def def, const toi_mesh *mesh)
{
    uint64_t hashes[3];
    toi_close_array close = {0};
    toi_close_pair closest;
    double *radii = malloc((size_t)mesh->start.count * sizeof *radii), radius = 0.03;
    def.narrow = toi_default_narrow_def();
    require(toi_find_close(&def, mesh, radius, &close, NULL), "close pairs");
    hashes[0] = toi_hash(close.data, (size_t)close.count * sizeof *close.data);
    require(toi_find_distance(&def, mesh, &closest, NULL), "closest pair");
    hashes[1] = toi_hash(&closest, sizeof closest);
    require(toi_find_safe_radii(&def, mesh, radius, radii, NULL), "safe radii");
    hashes[2] = toi_hash(radii, (size_t)mesh->start.count * sizeof *radii);
    toi_free_close(&close);
    free(radii);
    return toi_hash(hashes, sizeof hashes);
}

static fingerprint take(const toi_ccd_def *def, const toi_mesh *mesh, int64_t *hits)
{
    fingerprint f = {.candidates = hash_candidates(def, mesh), .close = hash_distances(*def, mesh)};
    toi_impact_array impacts = {0};
    toi_ccd_report report;
    require(toi_find_impacts(def, mesh, &impacts, NULL), "impacts");
    f.impacts = toi_hash(impacts.data, (size_t)impacts.count * sizeof *impacts.data);
    *hits = impacts.count;
    toi_free_impacts(&impacts);
    require(toi_find_earliest(def, mesh, &report), "earliest");
    f.earliest = toi_hash(&report.earliest, sizeof report.earliest);
    double *steps = malloc((size_t)mesh->start.count * sizeof *steps);
    require(toi_find_safe_steps(def, mesh, steps, NULL), "safe steps");
    f.steps = toi_hash(steps, (size_t)mesh->start.count * sizeof *steps);
    free(steps);
    return f;
}

// That workers make no difference is left to another build.
static bool brief;

// Every pair of choices occurs, without the whole product.
static bool is_wanted(toi_narrow_method narrow, toi_broad_method broad, int workers)
{
    if (brief && workers > 1)
        return false;
    if (narrow != toi_default_narrow_def().method)
        return broad == TOI_BROAD_AUTO && workers % 3 == 1;
    return broad == TOI_BROAD_AUTO || workers <= 2;
}

static int compare_all(const toi_mesh *mesh, const char *name, toi_narrow_method narrow,
                       fingerprint *first, int64_t *hits)
{
    static const char *const levels[] = {"baseline", "avx2", "avx512"};
    int differences = 0, taken = 0;
    for (int level = 0; level < 3; ++level) {
        if (toi_set_simd(levels[level]) != TOI_OK)
            continue;
        for (int method = 0; method < TOI_BROAD_COUNT; ++method)
            for (int workers = 1; workers <= 8; ++workers) {
                if (!is_wanted(narrow, (toi_broad_method)method, workers))
                    continue;
                toi_ccd_def def = toi_default_ccd_def();
                def.narrow.method = narrow;
                def.narrow.max_iterations = 200; // `additive` creeps where they touch at first
                def.narrow = toi_fit_narrow_def(&def.narrow);
                def.broad.method = (toi_broad_method)method;
                def.workers = workers;
                fingerprint f = take(&def, mesh, hits);
                if (taken++ == 0)
                    *first = f;
                if (f.candidates != first->candidates || f.impacts != first->impacts ||
                    f.earliest != first->earliest || f.steps != first->steps ||
                    f.close != first->close) {
                    fprintf(stderr, "%s: %s, %s, %s, %d workers: another answer\n", name,
                            levels[level], toi_broad_name((toi_broad_method)method),
                            toi_narrow_name(narrow), workers);
                    ++differences;
                }
            }
    }
    return differences;
}

enum
{
    FIELD_POINTS = 2000
};

// Values and gradients by some workers, and bounds in a ball about every point.
static uint64_t hash_field(const toi_field *field, int workers)
{
    static double points[FIELD_POINTS][3], values[FIELD_POINTS], gradients[FIELD_POINTS][3];
    toi_random random = {1};
    for (int i = 0; i < FIELD_POINTS; ++i)
        for (int k = 0; k < 3; ++k)
            points[i][k] = toi_random_range(&random, -3, 3);
    require(toi_evaluate_field(field, toi_view_points(points[0], FIELD_POINTS), workers, values,
                               gradients[0]),
            "values of a field");
    uint64_t hashes[3] = {toi_hash(values, sizeof values), toi_hash(gradients, sizeof gradients)};
    for (int i = 0; i < FIELD_POINTS; ++i) {
        toi_minorant minorants[TOI_MINORANTS];
        int count;
        require(toi_bound_field(field, points[i], 0.2, minorants, &count), "bounds of a field");
        hashes[2] = 31 * hashes[2] + toi_hash(minorants, (size_t)count * sizeof *minorants);
    }
    return toi_hash(hashes, sizeof hashes);
}

static int compare_field(const toi_field *field)
{
    int differences = 0;
    uint64_t first = hash_field(field, 1);
    for (int workers = 2; workers <= 4; ++workers)
        differences += hash_field(field, workers) != first;
    printf("field %s %016" PRIx64 "\n", toi_describe_field(field).kind, first);
    return differences;
}

// Every shape, then all of them combined and turned.
static int compare_fields(void)
{
    const double numbers[4] = {1.1, 1.3, 0.5, 0.3};
    toi_field *shapes[TOI_SHAPE_COUNT], *turned;
    toi_placement placement = toi_default_placement();
    placement.rotation[1] = 0.3;
    placement.position[0] = 0.1;
    int differences = 0;
    for (int i = 0; i < TOI_SHAPE_COUNT; ++i) {
        require(toi_make_shape((toi_shape)i, numbers, toi_shape_numbers((toi_shape)i), &shapes[i]),
                "shape");
        differences += compare_field(shapes[i]);
    }
    require(toi_place_field(shapes[TOI_SHAPE_SPIKES], &placement, &turned), "placement");
    toi_free_field(shapes[TOI_SHAPE_SPIKES]);
    shapes[TOI_SHAPE_SPIKES] = turned;
    for (int i = 0; i < TOI_COMBINE_COUNT; ++i) {
        toi_field *all;
        require(toi_combine_fields((toi_combination)i, shapes, TOI_SHAPE_COUNT, &all), "fields");
        differences += compare_field(all);
        toi_free_field(all);
    }
    for (int i = 0; i < TOI_SHAPE_COUNT; ++i)
        toi_free_field(shapes[i]);
    return differences;
}

enum
{
    SHEET = 20
};

// A wavy sheet, for questions about a mesh and a field.
static toi_surface *make_sheet(void)
{
    static double points[(SHEET + 1) * (SHEET + 1)][3];
    static int32_t faces[2 * SHEET * SHEET][3];
    for (int i = 0; i < (SHEET + 1) * (SHEET + 1); ++i) {
        double x = i % (SHEET + 1) * 0.1 - 1, y = i / (SHEET + 1) * 0.1 - 1;
        points[i][0] = x;
        points[i][1] = y;
        points[i][2] = 0.3 * x * x * y + 0.1 * y * y * y;
    }
    for (int i = 0; i < 2 * SHEET * SHEET; ++i) {
        int32_t a = i / 2 / SHEET * (SHEET + 1) + i / 2 % SHEET, b = a + SHEET + 1;
        faces[i][0] = i % 2 ? a + 1 : a;
        faces[i][1] = b;
        faces[i][2] = i % 2 ? b + 1 : a + 1;
    }
    toi_surface *surface;
    require(toi_make_surface(toi_view_points(points[0], (SHEET + 1) * (SHEET + 1)),
                             (toi_index_view){faces[0], 2 * SHEET * SHEET, 0}, 1, &surface),
            "surface");
    return surface;
}

// The first contact by every solver, and all contacts in the middle of the motion.
static uint64_t hash_touches(const toi_surface *surface, const toi_motion *motion,
                             const toi_field *field, int workers)
{
    uint64_t hashes[TOI_SDF_SOLVER_COUNT + 1];
    toi_sdf_def def = toi_default_sdf_def();
    def.workers = workers;
    for (int i = 0; i < TOI_SDF_SOLVER_COUNT; ++i) {
        toi_sdf_result r;
        def.solver = (toi_sdf_solver)i;
        require(toi_find_field_impact(&def, surface, motion, field, &r), toi_sdf_solver_name(i));
        hashes[i] = toi_hash(&r, offsetof(toi_sdf_result, nodes));
    }
    toi_contact_def contact = toi_default_contact_def();
    toi_field_contact_array list = {0};
    contact.workers = workers;
    contact.distance = 0.01;
    require(toi_find_field_contacts(&contact, surface, motion, 0.5, field, &list), "contacts");
    hashes[TOI_SDF_SOLVER_COUNT] = toi_hash(list.data, (size_t)list.count * sizeof *list.data);
    toi_free_field_contacts(&list);
    return toi_hash(hashes, sizeof hashes);
}

static int compare_touches(void)
{
    static const toi_shape kinds[3] = {TOI_SHAPE_TORUS, TOI_SHAPE_SPIKES, TOI_SHAPE_GYROID};
    const double numbers[3][3] = {{0.5, 0.2, 0}, {0.4, 0.3, 0.15}, {1, 0.05, 0}};
    toi_surface *surface = make_sheet();
    int differences = 0;
    for (int i = 0; i < 3; ++i) {
        toi_field *field;
        toi_motion motion = toi_default_motion();
        motion.mesh.position[2] = 0.9;
        motion.mesh.velocity[2] = -1.3;
        motion.mesh.spin[0] = 2;
        motion.field.spin[1] = 0.5;
        require(toi_make_shape(kinds[i], numbers[i], toi_shape_numbers(kinds[i]), &field), "shape");
        uint64_t first = hash_touches(surface, &motion, field, 1);
        for (int workers = 2; workers <= 4; ++workers)
            differences += hash_touches(surface, &motion, field, workers) != first;
        printf("touches %s %016" PRIx64 "\n", toi_shape_name(kinds[i]), first);
        toi_free_field(field);
    }
    toi_free_surface(surface);
    return differences;
}

static uint64_t hash_bytes(const toi_field *field)
{
    const void *bytes;
    int64_t size;
    require(toi_field_bytes(field, &bytes, &size), "bytes of a field");
    return toi_hash(bytes, (size_t)size);
}

// A lopsided octahedron, baked every way.
static int compare_grids(void)
{
    static const double points[6][3] = {{1.1, 0, 0}, {-1, 0, 0.1}, {0, 0.9, 0},
                                        {0, -1, 0},  {0.2, 0, 1},  {0, 0.1, -1.3}};
    static const int32_t faces[8][3] = {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4},
                                        {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}};
    int differences = 0;
    for (int i = 0; i < 2 * TOI_INTERPOLATION_COUNT; ++i) {
        toi_bake_def def = toi_default_bake_def();
        uint64_t first = 0;
        def.interpolation = (toi_interpolation)(i / 2);
        def.band = 2 * (i % 2);
        def.resolution = 24;
        for (def.workers = 1; def.workers <= 4; ++def.workers) {
            toi_field *field;
            require(toi_bake_field(&def, toi_view_points(points[0], 6),
                                   (toi_index_view){faces[0], 8, 0}, NULL, &field),
                    "baking");
            first = def.workers == 1 ? hash_bytes(field) : first;
            differences += hash_bytes(field) != first;
            differences += def.workers == 1 ? compare_field(field) : 0;
            toi_free_field(field);
        }
        printf("baked %s %016" PRIx64 "\n", toi_interpolation_name(def.interpolation), first);
    }
    return differences;
}

static uint64_t hash_kfree(const toi_mesh *mesh, int workers)
{
    int32_t *counts = malloc((size_t)mesh->faces.count * sizeof *counts);
    toi_kfree_def def = toi_default_kfree_def();
    toi_kfree_report report;
    def.workers = workers;
    require(toi_kfree(&def, mesh, counts, &report), "k-free analysis");
    double numbers[] = {report.k,
                        report.k_near,
                        report.mean,
                        report.deviation,
                        report.neighbours,
                        report.least_size,
                        report.levels,
                        report.proven_bound,
                        (double)toi_hash(counts, (size_t)mesh->faces.count * sizeof *counts)};
    free(counts);
    return toi_hash(numbers, sizeof numbers);
}

static int compare_kfree(const toi_mesh *mesh, const char *name)
{
    int differences = 0;
    uint64_t first = hash_kfree(mesh, 1);
    for (int workers = 2; workers <= 4; ++workers)
        differences += hash_kfree(mesh, workers) != first;
    printf("%s k-free %016" PRIx64 "\n", name, first);
    return differences;
}

// What a scene finds and counts by a method of tracking: a step, the way back, and the step again.
static uint64_t hash_tracked(const toi_mesh *mesh, toi_track_method method, int workers)
{
    toi_scene_def made = toi_default_scene_def();
    toi_track_def track = toi_default_track_def();
    toi_ccd_def def = toi_default_ccd_def();
    toi_impact_array impacts = {0};
    toi_scene *scene;
    uint64_t hash = 0;
    made.vertex_count = mesh->start.count;
    made.faces = mesh->faces;
    made.edges = mesh->edges;
    track.method = method;
    def.workers = workers;
    require(toi_make_scene(&made, &scene), "a scene");
    require(toi_scene_set_tracking(scene, &track), "tracking");
    for (int step = 0; step < 3; ++step) {
        toi_track_report r;
        require(toi_scene_find_impacts(scene, &def, step == 1 ? mesh->end : mesh->start,
                                       step == 1 ? mesh->start : mesh->end, &impacts, NULL),
                "impacts");
        require(toi_scene_track_report(scene, &r), "the report");
        int64_t counts[] = {r.volume_tests, r.elementary, r.adjacent,
                            r.front,        r.sprouted,   r.phantom};
        hash = 31 * hash + toi_hash(impacts.data, (size_t)impacts.count * sizeof *impacts.data);
        hash = 31 * hash + toi_hash(counts, method < TOI_TRACK_FRONT ? 0 : sizeof counts);
    }
    toi_free_impacts(&impacts);
    toi_free_scene(scene);
    return hash;
}

static int compare_tracked(const toi_mesh *mesh, const char *name)
{
    int differences = 0;
    for (int method = 0; method < TOI_TRACK_COUNT; ++method) {
        uint64_t first = hash_tracked(mesh, (toi_track_method)method, 1);
        for (int workers = 2; workers <= 8 && !brief; workers += 3)
            if (hash_tracked(mesh, (toi_track_method)method, workers) != first) {
                fprintf(stderr, "%s: tracked by %s, %d workers differ from one\n", name,
                        toi_track_name((toi_track_method)method), workers);
                ++differences;
            }
        printf("%s tracked %s %016" PRIx64 "\n", name, toi_track_name((toi_track_method)method),
               first);
    }
    return differences;
}

int main(int argc, char **argv)
{
    toi_animation_def def = toi_default_animation_def();
    def.size = argc > 1 ? atoll(argv[1]) : 700;
    brief = argc > 2;
    def.begin = 0.8;
    int differences = compare_fields() + compare_grids() + compare_touches();
    int64_t all_hits = 0;
    for (int i = 0; (def.name = toi_animation_name(i)); ++i) {
        toi_animation scene;
        require(toi_make_animation(&def, &scene), def.name);
        double(*last)[3] = scene.points + (scene.frames - 1) * scene.point_count;
        toi_mesh mesh = toi_make_mesh(last[0] - 3 * scene.point_count, last[0], scene.point_count,
                                      scene.faces[0], scene.face_count);
        toi_edge_array edges;
        require(toi_make_edges(
                    mesh.faces,
                    (toi_index_view){scene.edges ? scene.edges[0] : NULL, scene.edge_count, 0},
                    scene.point_count, &edges),
                def.name);
        mesh.edges = toi_view_edges(&edges);
        uint64_t points = toi_hash(scene.points, (size_t)(scene.frames * scene.point_count) *
                                                     sizeof *scene.points);
        differences += compare_kfree(&mesh, def.name);
        for (int narrow = 0; narrow < TOI_NARROW_COUNT; ++narrow) {
            fingerprint f = {0};
            int64_t hits = 0;
            differences += compare_all(&mesh, def.name, (toi_narrow_method)narrow, &f, &hits);
            all_hits += narrow == (int)toi_default_narrow_def().method ? hits : 0;
            printf("%s %s points %016" PRIx64 " candidates %016" PRIx64 " impacts %" PRId64
                   " %016" PRIx64 " earliest %016" PRIx64 " steps %016" PRIx64 " close %016" PRIx64
                   "\n",
                   def.name, toi_narrow_name((toi_narrow_method)narrow), points, f.candidates, hits,
                   f.impacts, f.earliest, f.steps, f.close);
        }
        differences += compare_tracked(&mesh, def.name);
        toi_free_edges(&edges);
        toi_free_animation(&scene);
    }
    if (all_hits < 500) {
        fprintf(stderr, "only %" PRId64 " impacts in all scenes: nothing was compared\n", all_hits);
        return 1;
    }
    return differences != 0;
}
