#include "scene_search.h"

static bool shares_no_vertex(const int32_t *a, int na, const int32_t *b, int nb)
{
    for (int i = 0; i < na; ++i)
        for (int k = 0; k < nb; ++k)
            if (a[i] == b[k])
                return false;
    return true;
}

static const int32_t *element(const toi_index_view *view, int32_t index, int width)
{
    size_t stride = view->stride > 0 ? (size_t)view->stride : (size_t)width * sizeof(int32_t);
    return (const int32_t *)((const char *)view->data + stride * (size_t)index);
}

static bool is_wanted_face(const void *context, int32_t a, int32_t b)
{
    const toi_mesh *mesh = context;
    return shares_no_vertex(&a, 1, element(&mesh->faces, b, 3), 3);
}

static bool is_wanted_edge(const void *context, int32_t a, int32_t b)
{
    const toi_mesh *mesh = context;
    return shares_no_vertex(element(&mesh->edges, a, 2), 2, element(&mesh->edges, b, 2), 2);
}

static toi_status make_boxes(const toi_mesh *mesh, toi_primitive primitive, int64_t count,
                             int threads, toi_box_view *view)
{
    toi_box *boxes = toi_allocate((size_t)count * sizeof *boxes);
    if (!boxes)
        return TOI_ERROR_MEMORY;
    *view = (toi_box_view){boxes, count};
    return toi_make_boxes(mesh, primitive, 0, threads, boxes);
}

static toi_status search_kind(peer_function *find, const toi_mesh *mesh, toi_kind kind, int threads,
                              toi_pair_array *pairs)
{
    bool self = kind == TOI_EDGE_EDGE;
    peer_search search = {.self = self,
                          .threads = threads,
                          .is_wanted = self ? is_wanted_edge : is_wanted_face,
                          .context = mesh};
    toi_status status = self ? make_boxes(mesh, TOI_EDGE, mesh->edges.count, threads, &search.a)
                             : make_boxes(mesh, TOI_VERTEX, mesh->start.count, threads, &search.a);
    if (status == TOI_OK && !self)
        status = make_boxes(mesh, TOI_FACE, mesh->faces.count, threads, &search.b);
    if (status == TOI_OK && search.a.count > 0 && (self || search.b.count > 0))
        status = find(&search, pairs);
    toi_release((void *)search.b.data);
    toi_release((void *)search.a.data);
    return status;
}

toi_status search_scene(peer_function *find, const broad_scene *scene, int threads,
                        toi_pair_array pairs[TOI_PAIR_KINDS])
{
    toi_status status = TOI_OK;
    for (int kind = 0; kind < TOI_PAIR_KINDS; ++kind)
        pairs[kind].count = 0;
    if (scene->boxes) {
        const peer_search search = {
            .a = {scene->boxes, scene->count}, .self = true, .threads = threads};
        return find(&search, &pairs[TOI_EDGE_EDGE]);
    }
    for (int kind = 0; kind < TOI_PAIR_KINDS && status == TOI_OK; ++kind)
        status = search_kind(find, &scene->moving.mesh, (toi_kind)kind, threads, &pairs[kind]);
    return status;
}
