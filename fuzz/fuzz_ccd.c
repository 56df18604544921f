// Any small mesh, sound or not, through the whole pipeline: no crash, and answers that agree.

#include "fuzz.h"

#include "toi/toi.h"

#include <math.h>

enum
{
    MAX_POINTS = 12,
    MAX_FACES = 8,
    MAX_EDGES = 8
};

typedef struct fuzz_scene
{
    double start[MAX_POINTS][3];
    double end[MAX_POINTS][3];
    int32_t faces[MAX_FACES][3];
    int32_t edges[MAX_EDGES][2];
    int64_t points;
    int64_t face_count;
    int64_t edge_count;
} fuzz_scene;

// Mostly small whole numbers, which touch and coincide often; sometimes any double at all.
static double take_coordinate(fuzz_bytes *bytes)
{
    uint8_t choice = take_byte(bytes);
    return choice < 250 ? (choice - 125) / 8.0 : take_double(bytes);
}

// Mostly in range; sometimes any number at all.
static int32_t take_index(fuzz_bytes *bytes, int64_t points)
{
    uint8_t choice = take_byte(bytes);
    int32_t index = (int32_t)(choice % (points ? points : 1));
    if (choice == 255)
        take_bytes(bytes, &index, sizeof index);
    return index;
}

static fuzz_scene take_scene(fuzz_bytes *bytes)
{
    fuzz_scene scene = {0};
    scene.points = take_byte(bytes) % (MAX_POINTS + 1);
    scene.face_count = take_byte(bytes) % (MAX_FACES + 1);
    scene.edge_count = take_byte(bytes) % (MAX_EDGES + 1);
    for (int i = 0; i < 3 * MAX_POINTS; ++i) {
        scene.start[i / 3][i % 3] = take_coordinate(bytes);
        scene.end[i / 3][i % 3] = take_coordinate(bytes);
    }
    for (int64_t i = 0; i < 3 * scene.face_count; ++i)
        scene.faces[i / 3][i % 3] = take_index(bytes, scene.points);
    for (int64_t i = 0; i < 2 * scene.edge_count; ++i)
        scene.edges[i / 2][i % 2] = take_index(bytes, scene.points);
    return scene;
}

static toi_ccd_def take_def(fuzz_bytes *bytes)
{
    toi_ccd_def def = toi_default_ccd_def();
    def.workers = 1;
    def.narrow.max_iterations = 1 + take_byte(bytes);
    def.narrow.tolerance = take_byte(bytes) % 2 ? 1e-3 : 1e-6;
    def.narrow.min_separation = take_byte(bytes) % 3 / 8.0;
    def.float_boxes = take_byte(bytes) % 2;
    def.narrow.method = (toi_narrow_method)(take_byte(bytes) % TOI_NARROW_COUNT);
    def.narrow = toi_fit_narrow_def(&def.narrow);
    return def;
}

// Of equally early impacts the first in the list counts, so the least by (kind, a, b).
static const toi_impact *find_first(const toi_impact_array *impacts)
{
    const toi_impact *first = NULL;
    for (int64_t i = 0; i < impacts->count; ++i) {
        CHECK(impacts->data[i].time >= 0 && impacts->data[i].time <= 1);
        if (!first || impacts->data[i].time < first->time)
            first = &impacts->data[i];
    }
    return first;
}

static void check_earliest(const toi_ccd_report *report, const toi_impact *first)
{
    if (!first) {
        CHECK(report->state == TOI_SEPARATED);
        CHECK(isinf(report->earliest.time));
        return;
    }
    CHECK(report->state != TOI_SEPARATED);
    CHECK(report->earliest.time == first->time);
    CHECK(report->earliest.kind == first->kind);
    CHECK(report->earliest.a == first->a && report->earliest.b == first->b);
}

static void check_steps(const double *steps, int64_t count, const toi_impact *first)
{
    double least = 1;
    for (int64_t i = 0; i < count; ++i) {
        CHECK(steps[i] >= 0 && steps[i] <= 1);
        if (steps[i] < least)
            least = steps[i];
    }
    CHECK(least == (first ? first->time : 1));
}

static void run_pipeline(const toi_ccd_def *def, const toi_mesh *mesh)
{
    toi_status expected = toi_check_mesh(mesh);
    CHECK(expected == TOI_OK || expected == TOI_ERROR_DATA);
    toi_impact_array impacts = {0};
    toi_ccd_report report;
    double steps[MAX_POINTS];
    CHECK(toi_find_impacts(def, mesh, &impacts, NULL) == expected);
    CHECK(toi_find_earliest(def, mesh, &report) == expected);
    CHECK(toi_find_safe_steps(def, mesh, steps, NULL) == expected);
    if (expected == TOI_OK) {
        const toi_impact *first = find_first(&impacts);
        check_earliest(&report, first);
        check_steps(steps, mesh->start.count, first);
    }
    toi_free_impacts(&impacts);
}

// A scene answers as a mesh does: at this step, backwards, and at this step again.
static void run_scene(const toi_ccd_def *def, const toi_mesh *mesh)
{
    toi_scene_def made = toi_default_scene_def();
    made.vertex_count = mesh->start.count;
    made.faces = mesh->faces;
    made.edges = mesh->edges;
    made.workers = 1;
    toi_scene *scene;
    if (toi_make_scene(&made, &scene) != TOI_OK)
        return;
    toi_impact_array expected = {0}, found = {0};
    for (int turn = 0; turn < 3; ++turn) {
        toi_ccd_report report, reported;
        toi_mesh step = *mesh;
        step.start = turn == 1 ? mesh->end : mesh->start;
        step.end = turn == 1 ? mesh->start : mesh->end;
        toi_status status = toi_find_impacts(def, &step, &expected, NULL);
        CHECK(toi_scene_find_impacts(scene, def, step.start, step.end, &found, NULL) == status);
        CHECK(found.count == expected.count);
        size_t bytes = (size_t)found.count * sizeof *found.data;
        CHECK(toi_hash(found.data, bytes) == toi_hash(expected.data, bytes));
        CHECK(toi_find_earliest(def, &step, &report) == status);
        CHECK(toi_scene_find_earliest(scene, def, step.start, step.end, &reported) == status);
        CHECK(toi_hash(&report.earliest, sizeof report.earliest) ==
              toi_hash(&reported.earliest, sizeof reported.earliest));
    }
    toi_free_impacts(&expected);
    toi_free_impacts(&found);
    toi_free_scene(scene);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_bytes bytes = {data, size};
    fuzz_scene scene = take_scene(&bytes);
    toi_ccd_def def = take_def(&bytes);
    bool give_edges = take_byte(&bytes) % 2;
    toi_mesh mesh =
        toi_make_mesh(scene.start[0], scene.end[0], scene.points, scene.faces[0], scene.face_count);
    toi_edge_array edges = {0};
    toi_index_view loose = {scene.edges[0], scene.edge_count, 0};
    if (toi_make_edges(mesh.faces, loose, scene.points, &edges) == TOI_OK)
        mesh.edges = toi_view_edges(&edges);
    if (give_edges)
        mesh.edges = loose; // may lack sides of faces, or name vertices that do not exist
    run_pipeline(&def, &mesh);
    run_scene(&def, &mesh);
    toi_free_edges(&edges);
    return 0;
}
