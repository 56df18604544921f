// Loads two frames of the published scenes.

#include "real_frames.h"

#include <stdio.h>

bool load_real_frames(const char *start, const char *end, real_frames *f)
{
    char first[4200];
    const char *found = find_data(start);
    if (!found)
        return false;
    snprintf(first, sizeof first, "%s", found); // the next call takes its place
    found = find_data(end);
    assert_non_null(found);
    assert_ok(toi_read_frames(first, found, &f->start, &f->end));
    f->mesh = toi_make_mesh(f->start.points[0], f->end.points[0], f->start.point_count,
                            f->start.faces[0], f->start.face_count);
    assert_ok(toi_make_edges(f->mesh.faces, f->mesh.edges, f->start.point_count, &f->edges));
    f->mesh.edges = toi_view_edges(&f->edges);
    return true;
}

bool load_real_scene(const char *name, real_frames *f)
{
    char start[200], end[200];
    snprintf(start, sizeof start, "scenes/%s/start.ply", name);
    snprintf(end, sizeof end, "scenes/%s/end.ply", name);
    return load_real_frames(start, end, f);
}

void free_real_frames(real_frames *f)
{
    toi_free_edges(&f->edges);
    toi_free_mesh_file(&f->start);
    toi_free_mesh_file(&f->end);
}
