// A point falls through a triangle: when do they meet, and where?
//
// Build against an installed toi with CMake (see CMakeLists.txt beside this file), or with
//     cc hello.c $(pkg-config --cflags --libs toi) -o hello

#include <toi/toi.h>

#include <stdio.h>

static int fail(void)
{
    fprintf(stderr, "hello: %s\n", toi_last_message());
    return 1;
}

int main(void)
{
    // Three corners that rest on the ground, and a point above that falls from z = 1 to z = -1.
    const double start[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0.25, 0.25, 1}};
    const double end[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0.25, 0.25, -1}};
    const int32_t faces[1][3] = {{0, 1, 2}};
    toi_mesh mesh = toi_make_mesh(start[0], end[0], 4, faces[0], 1);

    // How far can everything move before the first impact?
    toi_ccd_def def = toi_default_ccd_def();
    toi_ccd_report report;
    if (toi_find_earliest(&def, &mesh, &report) != TOI_OK)
        return fail();
    if (report.state == TOI_SEPARATED) {
        printf("nothing touches\n");
        return 0;
    }
    printf("first impact at t = %.6f: %s %d-%d\n", report.earliest.time,
           toi_kind_name((toi_kind)report.earliest.kind), report.earliest.a, report.earliest.b);

    // And what else touches until t = 1?
    toi_impact_array impacts = {0};
    if (toi_find_impacts(&def, &mesh, &impacts, NULL) != TOI_OK)
        return fail();
    for (int64_t i = 0; i < impacts.count; ++i) {
        const toi_impact *impact = &impacts.data[i];
        printf("t = %.6f at u = %.3f, v = %.3f, normal (%g, %g, %g)\n", impact->time, impact->u,
               impact->v, impact->normal[0], impact->normal[1], impact->normal[2]);
    }
    toi_free_impacts(&impacts);
    return 0;
}
