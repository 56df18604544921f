// Times the stages on generated scenes and on the real ones where they are found, and prints one
// csv line a measurement, with the hash of the answer beside the time. Usage: bench [REPEATS
// [THREADS]].

#include "scenes.h"
#include "toi/io.h"
#include "toi/toi.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void require(toi_status status, const char *what)
{
    if (status == TOI_OK)
        return;
    fprintf(stderr, "bench: %s: %s\n", what, toi_last_message());
    exit(1);
}

typedef struct row
{
    const char *scene;
    const char *stage;
    const char *method;
    int threads;
    double seconds; // least of the repeats
    int64_t candidates;
    int64_t hits;
    uint64_t hash;
} row;

static void print_row(const row *r)
{
    printf("%s,%s,%s,%s,%d,%.6f,%" PRId64 ",%" PRId64 ",%016" PRIx64 "\n", r->scene, r->stage,
           r->method, toi_simd_name(), r->threads, r->seconds, r->candidates, r->hits, r->hash);
    fflush(stdout);
}

// Boxes and search for both kinds, pairs stored in a kept buffer in the method's own order.
static void time_pairs(const char *scene, const toi_mesh *mesh, toi_broad_method method,
                       int threads, int repeats)
{
    toi_ccd_def def = toi_default_ccd_def();
    def.broad.method = method;
    def.broad.order = TOI_ORDER_OWN;
    def.workers = threads;
    toi_pair_array pairs[TOI_PAIR_KINDS] = {{0}};
    row r = {scene, "pairs", toi_broad_name(method), threads, 1e300, 0, 0, 0};
    for (int i = 0; i < repeats; ++i) {
        toi_ccd_report report;
        require(toi_find_all_candidates(&def, mesh, pairs, &report), scene);
        r.seconds = report.seconds_total < r.seconds ? report.seconds_total : r.seconds;
    }
    uint64_t hashes[TOI_PAIR_KINDS];
    for (int kind = 0; kind < TOI_PAIR_KINDS; ++kind) {
        r.candidates += pairs[kind].count;
        require(toi_sort_pairs(pairs[kind].data, pairs[kind].count, 0), scene);
        hashes[kind] = toi_hash(pairs[kind].data, (size_t)pairs[kind].count * sizeof(toi_pair));
        toi_free_pairs(&pairs[kind]);
    }
    r.hash = toi_hash(hashes, sizeof hashes);
    print_row(&r);
}

// The pipeline; two rows: all of it, and the narrow phase's share.
static void time_impacts(const char *scene, const toi_mesh *mesh, bool all, int threads,
                         int repeats)
{
    toi_ccd_def def = toi_default_ccd_def();
    def.workers = threads;
    const char *method = toi_narrow_name(def.narrow.method);
    row whole = {scene, all ? "all" : "earliest", method, threads, 1e300, 0, 0, 0}, narrow = whole;
    narrow.stage = all ? "all-narrow" : "earliest-narrow";
    for (int i = 0; i < repeats; ++i) {
        toi_ccd_report report;
        toi_impact_array impacts = {0};
        if (all)
            require(toi_find_impacts(&def, mesh, &impacts, &report), scene);
        else
            require(toi_find_earliest(&def, mesh, &report), scene);
        whole.candidates = report.candidates[0] + report.candidates[1];
        whole.hits = report.hits[0] + report.hits[1];
        whole.hash = all ? toi_hash(impacts.data, (size_t)impacts.count * sizeof(toi_impact))
                         : toi_hash(&report.earliest, sizeof report.earliest);
        if (report.seconds_total < whole.seconds)
            whole.seconds = report.seconds_total;
        if (report.seconds_narrow < narrow.seconds)
            narrow.seconds = report.seconds_narrow;
        toi_free_impacts(&impacts);
    }
    narrow.candidates = whole.candidates;
    narrow.hits = whole.hits;
    narrow.hash = whole.hash;
    print_row(&whole);
    print_row(&narrow);
}

static void time_scene(const char *name, toi_mesh mesh, toi_index_view loose, int repeats,
                       int threads)
{
    toi_edge_array edges;
    require(toi_make_edges(mesh.faces, loose, mesh.start.count, &edges), name);
    mesh.edges = toi_view_edges(&edges);
    require(toi_check_mesh(&mesh), name);
    mesh.topology_checked = true; // as a solver would, whose topology stays
    for (int t = 1; t <= threads; t *= 2) {
        time_pairs(name, &mesh, TOI_BROAD_STQ, t, repeats);
        time_impacts(name, &mesh, true, t, repeats);
        time_impacts(name, &mesh, false, t, repeats);
    }
    time_pairs(name, &mesh, TOI_BROAD_BRUTE, threads, 1);
    toi_free_edges(&edges);
}

static void time_file(const char *name, int repeats, int threads)
{
    const char *root = getenv("TOI_DATA") ? getenv("TOI_DATA") : "../shared/data";
    char paths[2][4096];
    snprintf(paths[0], sizeof paths[0], "%s/scenes/%s/start.ply", root, name);
    snprintf(paths[1], sizeof paths[1], "%s/scenes/%s/end.ply", root, name);
    toi_mesh_file start, end;
    if (toi_read_frames(paths[0], paths[1], &start, &end) != TOI_OK) {
        fprintf(stderr, "bench: skipped %s: %s\n", name, toi_last_message());
        return;
    }
    time_scene(name,
               toi_make_mesh(start.points[0], end.points[0], start.point_count, start.faces[0],
                             start.face_count),
               (toi_index_view){0}, repeats, threads);
    toi_free_mesh_file(&start);
    toi_free_mesh_file(&end);
}

static void time_generated(const char *name, int64_t size, int repeats, int threads)
{
    toi_scene_def def = toi_default_scene_def();
    def.name = name;
    def.size = size;
    def.begin = 0.8;
    toi_scene scene;
    require(toi_make_scene(&def, &scene), name);
    double(*last)[3] = scene.points + (scene.frames - 1) * scene.point_count;
    char label[100];
    snprintf(label, sizeof label, "%s-%" PRId64, name, size);
    time_scene(label,
               toi_make_mesh(last[0] - 3 * scene.point_count, last[0], scene.point_count,
                             scene.faces[0], scene.face_count),
               (toi_index_view){scene.edge_count ? scene.edges[0] : NULL, scene.edge_count, 0},
               repeats, threads);
    toi_free_scene(&scene);
}

int main(int argc, char **argv)
{
    int repeats = argc > 1 ? atoi(argv[1]) : 5;
    int threads = argc > 2 ? atoi(argv[2]) : toi_default_workers();
    printf("scene,stage,method,simd,threads,seconds,candidates,hits,hash\n");
    time_file("cloth-ball", repeats, threads);
    time_file("n-body", repeats, threads);
    time_file("cloth-funnel", repeats, threads);
    for (int i = 0; toi_scene_name(i); ++i)
        time_generated(toi_scene_name(i), 50000, repeats, threads);
    return 0;
}
