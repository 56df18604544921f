// What the test programs share: where the data is, how many cases to try, random meshes.

#define _POSIX_C_SOURCE 200809L
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *find_data(const char *path)
{
    static char full[4096];
    const char *root = getenv("TOI_DATA");
    if (root)
        snprintf(full, sizeof full, "%s/%s", root, path);
    else
        snprintf(full, sizeof full, "%s/../shared/data/%s", TOI_SOURCE_DIR, path);
    if (access(full, R_OK) == 0)
        return full;
    print_message("no %s: set TOI_DATA to the folder of real data\n", path);
    return NULL;
}

int64_t long_factor(void)
{
    return getenv("TOI_LONG") && !getenv("TOI_SANITIZED") ? 10 : 1;
}

int64_t cases(int64_t count)
{
    return getenv("TOI_SANITIZED") ? count / 20 + 1 : count * long_factor();
}

int64_t slow_cases(int64_t count)
{
    return getenv("TOI_SANITIZED") || long_factor() > 1 ? cases(count) : (count + 3) / 4;
}

soup make_soup(int64_t faces, double size, double motion, uint64_t seed)
{
    toi_random random = {seed};
    int64_t loose = faces / 8 + 1;
    soup s = {.face_count = faces, .vertex_count = 3 * faces + 3 * loose};
    s.start = calloc((size_t)s.vertex_count, sizeof *s.start);
    s.end = calloc((size_t)s.vertex_count, sizeof *s.end);
    s.faces = calloc((size_t)faces, sizeof *s.faces);
    int32_t(*extra)[2] = calloc((size_t)loose, sizeof *extra);
    for (int64_t v = 0; v < s.vertex_count; ++v)
        for (int k = 0; k < 3; ++k) {
            bool anchor = v % 3 == 0;
            s.start[v][k] = anchor ? toi_random_unit(&random)
                                   : s.start[v - v % 3][k] + toi_random_range(&random, -size, size);
            s.end[v][k] = anchor ? s.start[v][k] + toi_random_range(&random, -motion, motion)
                                 : s.start[v][k] + (s.end[v - v % 3][k] - s.start[v - v % 3][k]) +
                                       toi_random_range(&random, -size, size) / 4;
        }
    for (int64_t f = 0; f < faces; ++f)
        for (int k = 0; k < 3; ++k)
            s.faces[f][k] = (int32_t)(3 * f + k);
    for (int64_t e = 0; e < loose; ++e) // of each loose triple two make an edge, one stays a point
        for (int k = 0; k < 2; ++k)
            extra[e][k] = (int32_t)(3 * faces + 3 * e + k);
    s.mesh = toi_make_mesh(s.start[0], s.end[0], s.vertex_count, s.faces[0], faces);
    assert_ok(toi_make_edges(s.mesh.faces, (toi_index_view){extra[0], loose, 0}, s.vertex_count,
                             &s.edges));
    s.mesh.edges = toi_view_edges(&s.edges);
    s.edge_count = s.edges.count;
    free(extra);
    return s;
}

void free_soup(soup *s)
{
    free(s->start);
    free(s->end);
    free(s->faces);
    toi_free_edges(&s->edges);
}

void expect_news(toi_status status, const char *what)
{
    if (status == TOI_OK)
        fail_msg("%s succeeded", what);
    if (strcmp(toi_last_message(), "stale") == 0 || toi_last_message()[0] == 0)
        fail_msg("%s failed without a message", what);
    toi_fail(TOI_ERROR_DATA, "stale");
}
