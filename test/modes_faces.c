// The functions of overlap.h about two faces, polygons and surfaces, in every floating-point mode.

#include "modes.h"

#include "modes_calls.h"

static void ask_figure(const toi_mesh *mesh)
{
    toi_overlap_figure figure;
    toi_status status;
    IN_MODE(status = toi_find_overlap_figure(mesh, 0, 1, &figure));
    assert_int_equal(status, TOI_OK);
    assert_int_equal(figure.count, 2);
    keep(&figure, sizeof figure);
}

static void ask_surface(const toi_mesh *mesh)
{
    toi_surface_report report;
    toi_status status;
    IN_MODE(status = toi_check_surface(mesh, 2, &report));
    assert_int_equal(status, TOI_OK);
    assert_int_equal(report.degenerate_faces, 0);
    assert_int_equal(report.duplicate_vertices, 0);
    keep(&report.components, sizeof report.components);
}

static void ask_polygons(toi_point_view points)
{
    static const int32_t CORNERS[] = {0, 1, 2, 3};
    static const int64_t FIRST[] = {0, 4};
    toi_polygon_mesh mesh;
    toi_polygon_view view;
    toi_status status;
    IN_MODE(status = toi_triangulate_polygons(points, CORNERS, FIRST, 1, &mesh));
    assert_int_equal(status, TOI_OK);
    keep(mesh.faces, (size_t)mesh.count * sizeof *mesh.faces);
    IN_MODE(view = toi_view_polygons(&mesh));
    assert_int_equal(view.count, 2);
    IN_MODE(toi_free_polygon_mesh(&mesh));
}

// Denormal coordinates, so that a mode that flushes them would show, and thirds, which are rounded.
void call_faces(void)
{
    double points[7][3] = {{0, 0, 0},  {9, 0, 0}, {8, 7, 0}, {0, 6, 0},
                           {1, 1, -3}, {4, 2, 2}, {2, 5, 1}};
    int32_t faces[2][3] = {{0, 1, 2}, {4, 5, 6}};
    for (int i = 0; i < 21; ++i)
        points[i / 3][i % 3] *= 0x1p-1060;
    toi_mesh mesh = toi_make_mesh(points[0], points[0], 7, faces[0], 2);
    ask_figure(&mesh);
    ask_surface(&mesh);
    ask_polygons(toi_view_points(points[0], 4));
}
