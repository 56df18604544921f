// Tries several sides to look from and takes the one that shows most.

#include "picture_view.h"

#include "picture_mesh.h"

#include <string.h>

// How far behind a surface, as a share of the mesh's radius, an impact still counts as in sight.
static const double MARK_SLACK = 0.02;

bool is_impact_visible(const drawing *d, const depth_buffer *b, const camera *c,
                       const picture_impact *impact)
{
    return is_visible(b, project_point(c, place_impact(d, impact)), MARK_SLACK * d->radius);
}

void fill_depth_buffer(depth_buffer *b, const drawing *d, const camera *c)
{
    clear_depth_buffer(b);
    for (int64_t i = 0; i < d->face_count; ++i) {
        const int32_t *face = d->faces[i];
        fill_triangle(b, (int32_t)i, project_point(c, d->points[face[0]]),
                      project_point(c, d->points[face[1]]), project_point(c, d->points[face[2]]));
    }
}

static int64_t find_visible(drawing *d, const depth_buffer *b)
{
    memset(d->seen, 0, (size_t)d->face_count * sizeof *d->seen);
    int64_t count = 0;
    for (int i = 0; i < b->width * b->height; ++i) {
        int32_t face = b->face[i];
        if (face >= 0 && !d->seen[face]) {
            d->seen[face] = true;
            ++count;
        }
    }
    return count;
}

// Which share of the area is in sight, plus which share of the buffer is filled.
static double rate_surface(drawing *d, const depth_buffer *b, double area)
{
    find_visible(d, b);
    double shown = 0.0;
    for (int64_t i = 0; i < d->face_count; ++i)
        shown += d->seen[i] ? face_area(d, d->faces[i]) : 0.0;
    int filled = 0;
    for (int i = 0; i < b->width * b->height; ++i)
        filled += b->face[i] >= 0;
    return (area > 0.0 ? shown / area : 0.0) + (double)filled / (b->width * b->height);
}

// Which share of the impacts lies open, and whether the earliest does.
static double rate_impacts(const drawing *d, const depth_buffer *b, const camera *c)
{
    const picture *p = d->p;
    if (d->earliest < 0)
        return 0.0;
    int64_t stride = p->impact_count / 500 + 1; // a sample will do
    double open = 0.0;
    double asked = 0.0;
    for (int64_t i = 0; i < p->impact_count; i += stride, asked += 1.0)
        open += is_impact_visible(d, b, c, &p->impacts[i]);
    return open / asked + is_impact_visible(d, b, c, &p->impacts[d->earliest]);
}

// Which share of the lines lies open.
static double rate_lines(const drawing *d, const depth_buffer *b, const camera *c)
{
    const picture *p = d->p;
    int64_t stride = p->line_count / 500 + 1;
    double open = 0.0;
    double asked = 0.0;
    for (int64_t i = 0; i < p->line_count; i += stride, asked += 1.0) {
        vec from = place_point(d, p->lines[i].from);
        vec middle = plus(from, 0.5, minus(place_point(d, p->lines[i].to), from));
        open += is_visible(b, project_point(c, middle), MARK_SLACK * d->radius);
    }
    return asked > 0.0 ? open / asked : 0.0;
}

static toi_status choose_view(drawing *d)
{
    // The first view is what people expect: others have to be better by something.
    static const double AZIMUTHS[5] = {-55.0, -125.0, 35.0, 145.0, -90.0};
    static const double ELEVATIONS[4] = {24.0, 40.0, 60.0, 8.0};
    depth_buffer b;
    toi_status status = create_depth_buffer(&b, 240, 144);
    double best = -1.0;
    double area = total_area(d);
    for (int i = 0; i < 20 && status == TOI_OK; ++i) {
        int around = i % 5;
        int above = i / 5;
        camera c = aim_camera(d->centre, d->radius, d->p->up, AZIMUTHS[around], ELEVATIONS[above]);
        fit_camera(&c, d->points, d->p->point_count, (rectangle){0.0, 0.0, b.width, b.height});
        fill_depth_buffer(&b, d, &c);
        double rating = rate_surface(d, &b, area) + rate_impacts(d, &b, &c) + rate_lines(d, &b, &c);
        rating -= 0.05 * around + 0.12 * above;
        if (rating > best) {
            best = rating;
            d->view = c;
        }
    }
    rectangle room = {PAGE_MARGIN, PAGE_TOP, PAGE_WIDTH - 2 * PAGE_MARGIN,
                      PAGE_HEIGHT - PAGE_TOP - PAGE_BOTTOM};
    fit_camera(&d->view, d->points, d->p->point_count, room);
    free_depth_buffer(&b);
    return status;
}

toi_status compose_view(drawing *d)
{
    static const int64_t ENOUGH = 4 * MOST_FACES; // most of a mesh is out of sight
    toi_status status = TOI_OK;
    take_faces(d, 1);
    d->area = total_area(d);
    while (d->face_count > ENOUGH && !d->mosaic && status == TOI_OK)
        status = coarsen_faces(d);
    if (d->mosaic)
        take_faces(d, d->p->face_count / ENOUGH + 1); // a sample, for the view
    if (status == TOI_OK)
        status = choose_view(d);
    for (bool done = false; status == TOI_OK && !done;) {
        if (d->mosaic)
            take_faces(d, 1);
        fill_depth_buffer(&d->front, d, &d->view);
        d->visible = find_visible(d, &d->front);
        done = d->mosaic || d->visible <= MOST_FACES;
        if (!done)
            status = coarsen_faces(d);
    }
    make_normals(d);
    return status;
}
