// The parts of MCCD by themselves: owners and orphans against all pairs of features, the front
// against all pairs of elements, volumes against points that they must hold.

#include "support.h"

#include "track/literature/mccd.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------
// Small random meshes: few vertices, so that most faces are adjacent and edges have many faces

enum
{
    MOST_VERTICES = 40,
    MOST_FACES = 60,
    MOST_EDGES = 400
};

typedef struct small_mesh
{
    double start[MOST_VERTICES][3], end[MOST_VERTICES][3];
    int32_t faces[MOST_FACES][3], edges[MOST_EDGES][2];
    toi_mesh mesh;
} small_mesh;

static void put_edge(small_mesh *m, int32_t a, int32_t b)
{
    assert_true(m->mesh.edges.count < MOST_EDGES);
    m->edges[m->mesh.edges.count][0] = a;
    m->edges[m->mesh.edges.count++][1] = b;
}

static void put_edges(small_mesh *m, toi_random *random)
{
    toi_edge_array sides;
    toi_index_view none = {0};
    assert_ok(toi_make_edges(m->mesh.faces, none, m->mesh.start.count, &sides));
    for (int64_t i = 0; i < sides.count; ++i) {
        put_edge(m, sides.data[i][0], sides.data[i][1]);
        if (toi_random_below(random, 12) == 0) // twice, the other way round
            put_edge(m, sides.data[i][1], sides.data[i][0]);
    }
    toi_free_edges(&sides);
    for (uint64_t i = toi_random_below(random, 5); i > 0; --i) // loose ones, or one more side
        put_edge(m, (int32_t)toi_random_below(random, (uint64_t)m->mesh.start.count),
                 (int32_t)toi_random_below(random, (uint64_t)m->mesh.start.count));
}

// Positions in a cube that shrinks or grows with `scale`; each vertex moves a little.
static void put_points(small_mesh *m, toi_random *random, double scale)
{
    for (int64_t v = 0; v < m->mesh.start.count; ++v)
        for (int k = 0; k < 3; ++k) {
            m->start[v][k] = scale * toi_random_range(random, -1, 1);
            m->end[v][k] = m->start[v][k] + 0.1 * scale * toi_random_range(random, -1, 1);
        }
}

static void make_small_mesh(small_mesh *m, toi_random *random)
{
    *m = (small_mesh){0};
    int64_t vertices = 3 + (int64_t)toi_random_below(random, MOST_VERTICES - 2);
    int64_t faces = (int64_t)toi_random_below(random, MOST_FACES);
    int64_t near = 3 + (int64_t)toi_random_below(random, (uint64_t)vertices - 2);
    m->mesh.start = toi_view_points(m->start[0], vertices);
    m->mesh.end = toi_view_points(m->end[0], vertices);
    m->mesh.faces = (toi_index_view){m->faces[0], faces, 0};
    m->mesh.edges = (toi_index_view){m->edges[0], 0, 0};
    for (int64_t f = 0; f < faces; ++f) // corners may coincide, faces too
        for (int k = 0; k < 3; ++k)
            m->faces[f][k] = (int32_t)((int64_t)toi_random_below(random, (uint64_t)near) +
                                       (f % 7 == 0 ? vertices - near : 0));
    put_edges(m, random);
    put_points(m, random, 1);
}

// A grid of cells^2 squares, each cut in two: like cloth.
static void make_grid(small_mesh *m, int cells, toi_random *random)
{
    *m = (small_mesh){0};
    int64_t side = cells + 1, faces = 0;
    m->mesh.start = toi_view_points(m->start[0], side * side);
    m->mesh.end = toi_view_points(m->end[0], side * side);
    for (int64_t y = 0; y < cells; ++y)
        for (int64_t x = 0; x < cells; ++x) {
            int32_t at = (int32_t)(y * side + x), up = (int32_t)(at + side);
            memcpy(m->faces[faces++], (int32_t[3]){at, at + 1, up}, sizeof m->faces[0]);
            memcpy(m->faces[faces++], (int32_t[3]){at + 1, up + 1, up}, sizeof m->faces[0]);
        }
    m->mesh.faces = (toi_index_view){m->faces[0], faces, 0};
    m->mesh.edges = (toi_index_view){m->edges[0], 0, 0};
    put_edges(m, random);
    put_points(m, random, 1);
}

// ---------------------------------------------------------------------------------------------
// Owners and orphans

static bool holds(const int32_t *row, int count, int32_t vertex)
{
    bool found = false;
    for (int i = 0; i < count; ++i)
        found |= row[i] == vertex;
    return found;
}

static bool element_has_edge(const toi_elements *e, int32_t element, int32_t edge)
{
    bool found = false;
    for (int64_t i = e->edges.first[element]; i < e->edges.first[element + 1]; ++i)
        found |= e->edges.ids[i] == edge;
    return found;
}

typedef struct census
{
    int owners, owners_alike; // with orphans, and without
    int chances;              // pairs of elements that are not adjacent
} census;

static int64_t count_listed(const toi_pair_array *list, int32_t a, int32_t b)
{
    int64_t found = 0;
    for (int64_t i = 0; i < list->count; ++i)
        found += list->data[i].a == a && list->data[i].b == b;
    return found;
}

static census count_vertex_owners(const toi_elements *e, int32_t vertex, int32_t face)
{
    census c = {0};
    for (int32_t a = 0; a < e->count; ++a) {
        if (!holds(e->corners[a], 3, vertex))
            continue;
        bool adjacent = toi_are_adjacent(e, a, face);
        c.chances += !adjacent;
        c.owners += !adjacent && toi_owns_vertex(e, true, a, vertex, face);
        c.owners_alike += toi_owns_vertex(e, false, a, vertex, face);
    }
    return c;
}

static census count_edge_owners(const toi_elements *e, int32_t first, int32_t second)
{
    census c = {0};
    for (int32_t a = 0; a < e->count; ++a)
        for (int32_t b = 0; b < e->count; ++b) {
            if (!element_has_edge(e, a, first) || !element_has_edge(e, b, second))
                continue;
            bool adjacent = toi_are_adjacent(e, a, b);
            assert_true(a != b || adjacent);
            c.chances += !adjacent;
            c.owners += !adjacent && toi_owns_edges(e, true, a, first, b, second);
            c.owners_alike += toi_owns_edges(e, false, a, first, b, second);
            assert_int_equal(toi_owns_edges(e, true, a, first, b, second),
                             toi_owns_edges(e, true, b, second, a, first));
        }
    return c;
}

// Exactly one pair of elements brings a pair of features, or it is listed once.
static void check_census(census c, int64_t listed)
{
    assert_int_equal(c.owners_alike, 1);
    assert_int_equal(c.owners, c.chances > 0);
    assert_int_equal(listed, c.chances == 0);
}

static int64_t check_features(const small_mesh *m, const toi_elements *e, const toi_orphans *o)
{
    int64_t checked[2] = {0, 0};
    for (int32_t v = 0; v < m->mesh.start.count; ++v)
        for (int32_t f = 0; f < m->mesh.faces.count; ++f)
            if (!holds(m->faces[f], 3, v)) {
                check_census(count_vertex_owners(e, v, f), count_listed(&o->pairs[0], v, f));
                checked[0] += count_listed(&o->pairs[0], v, f);
            }
    for (int32_t a = 0; a < m->mesh.edges.count; ++a)
        for (int32_t b = a + 1; b < m->mesh.edges.count; ++b)
            if (!holds(m->edges[b], 2, m->edges[a][0]) && !holds(m->edges[b], 2, m->edges[a][1])) {
                check_census(count_edge_owners(e, a, b), count_listed(&o->pairs[1], a, b));
                checked[1] += count_listed(&o->pairs[1], a, b);
            }
    for (int kind = 0; kind < TOI_PAIR_KINDS; ++kind) // and nothing else is listed
        assert_int_equal(checked[kind], o->pairs[kind].count);
    return checked[0] + checked[1];
}

static void check_mesh(const small_mesh *m, int64_t *listed, int64_t *crowded)
{
    toi_elements e;
    toi_orphans orphans;
    bool few;
    assert_ok(toi_check_mesh(&m->mesh));
    assert_ok(toi_make_elements(&m->mesh, 2, NULL, &e));
    assert_ok(toi_find_orphans(&e, &m->mesh, 2, NULL, &orphans, &few));
    if (few)
        *listed += check_features(m, &e, &orphans);
    *crowded += !few;
    toi_free_orphans(&orphans);
    toi_free_elements(&e);
}

static void owners_and_orphans_are_complete(void **state)
{
    (void)state;
    toi_random random = {4};
    small_mesh m;
    int64_t listed = 0, crowded = 0;
    for (int64_t i = 0; i < cases(150); ++i) {
        make_small_mesh(&m, &random);
        check_mesh(&m, &listed, &crowded);
    }
    for (int cells = 1; cells <= 5; ++cells) {
        make_grid(&m, cells, &random);
        check_mesh(&m, &listed, &crowded);
    }
    assert_true(listed > 100); // else nothing was shown
}

// A fan: every two faces are adjacent, so that every pair is an orphan, and there are too many.
static void a_crowded_vertex_is_noticed(void **state)
{
    (void)state;
    enum
    {
        BLADES = 200
    };
    static int32_t faces[BLADES][3];
    static double points[2 * BLADES + 1][3];
    for (int32_t i = 0; i < BLADES; ++i)
        memcpy(faces[i], (int32_t[3]){0, 1 + 2 * i, 2 + 2 * i}, sizeof faces[i]);
    toi_mesh mesh = toi_make_mesh(points[0], points[0], 2 * BLADES + 1, faces[0], BLADES);
    toi_edge_array edges;
    toi_elements e;
    toi_orphans orphans;
    bool few = true;
    assert_ok(toi_make_edges(mesh.faces, mesh.edges, mesh.start.count, &edges));
    mesh.edges = toi_view_edges(&edges);
    assert_ok(toi_make_elements(&mesh, 2, NULL, &e));
    assert_ok(toi_find_orphans(&e, &mesh, 2, NULL, &orphans, &few));
    assert_false(few);
    assert_null(orphans.pairs[0].data);
    toi_free_elements(&e);
    toi_free_edges(&edges);
}

// ---------------------------------------------------------------------------------------------
// The tree and the front

typedef struct setup
{
    toi_elements elements;
    toi_hierarchy tree;
    toi_moving_vertex rows[MOST_VERTICES];
    toi_hierarchy_source source;
} setup;

static void load_rows(const small_mesh *m, setup *s)
{
    for (int64_t v = 0; v < m->mesh.start.count; ++v) {
        s->rows[v] = (toi_moving_vertex){.start = {0}};
        memcpy(s->rows[v].start, m->start[v], sizeof m->start[v]);
        memcpy(s->rows[v].end, m->end[v], sizeof m->end[v]);
    }
}

static void set_up(const small_mesh *m, toi_volume volume, setup *s)
{
    assert_ok(toi_make_elements(&m->mesh, 2, NULL, &s->elements));
    assert_ok(toi_take_hierarchy(volume, s->elements.count, NULL, &s->tree));
    load_rows(m, s);
    s->source = (toi_hierarchy_source){&s->elements, s->rows, 0, 2, NULL};
    assert_ok(toi_build_hierarchy(&s->source, &s->tree));
}

static void tear_down(setup *s)
{
    toi_free_hierarchy(&s->tree);
    toi_free_elements(&s->elements);
}

// Marks the elements below a node.
static void mark_below(const toi_hierarchy *tree, int32_t node, bool *marks)
{
    if (toi_is_leaf(tree, node)) {
        if (tree->right[node] != TOI_EMPTY_LEAF)
            marks[~tree->right[node]] = true;
        return;
    }
    mark_below(tree, node + 1, marks);
    mark_below(tree, tree->right[node], marks);
}

enum
{
    MOST_ELEMENTS = MOST_VERTICES + MOST_FACES + MOST_EDGES
};

static uint8_t covered[MOST_ELEMENTS][MOST_ELEMENTS];

static void cover(const toi_hierarchy *tree, toi_pair node, int64_t count)
{
    bool a[MOST_ELEMENTS] = {false}, b[MOST_ELEMENTS] = {false};
    int32_t first = toi_is_met(node) ? ~node.a : node.a;
    mark_below(tree, first, a);
    mark_below(tree, node.b, b);
    for (int64_t i = 0; i < count; ++i)
        for (int64_t k = i + 1; k < count; ++k)
            covered[i][k] += (a[i] && b[k]) || (a[k] && b[i]);
}

static toi_status note_visit(void *context, int32_t a, int32_t b)
{
    ++*(int64_t *)context;
    ++covered[a < b ? a : b][a < b ? b : a];
    return TOI_OK;
}

// Every pair of elements is below one node of the front, adjacent ones aside where they are no
// nodes. A pair is visited once if it is below one that is met and its own volumes overlap.
static void check_front(const toi_walk *walk, const toi_front *front)
{
    int64_t count = walk->elements->count;
    memset(covered, 0, sizeof covered);
    for (int64_t i = 0; i < front->block_count; ++i)
        for (int k = 0; k < front->blocks[i].count; ++k)
            cover(walk->tree, front->blocks[i].nodes[k], count);
    for (int32_t a = 0; a < count && walk->keep_apart; ++a)
        for (int32_t b = a + 1; b < count; ++b) {
            bool skipped = walk->orphans && toi_are_adjacent(walk->elements, a, b);
            if (skipped) // below a node that was not followed, if at all
                assert_true(covered[a][b] <= 1);
            else
                assert_int_equal(covered[a][b], 1);
        }
}

// Which pairs of elements are visited, as a hash; and how many.
static int64_t visit_all(const toi_walk *walk, const toi_front *front, uint64_t *hash)
{
    int64_t visits = 0, tests = 0;
    memset(covered, 0, sizeof covered);
    for (int64_t i = 0; i < front->block_count; ++i)
        assert_ok(toi_visit_block(walk, &front->blocks[i], note_visit, &visits, &tests));
    *hash = toi_hash(covered, sizeof covered);
    for (int64_t a = 0; a < walk->elements->count; ++a)
        for (int64_t b = 0; b < walk->elements->count; ++b)
            assert_true(covered[a][b] <= 1);
    return visits;
}

// A front against a walk from the root.
static int64_t check_visits(const toi_walk *walk, const toi_front *front)
{
    toi_walk plain = *walk;
    toi_front fresh = {0};
    toi_walk_counts counts = {0};
    uint64_t kept, root;
    plain.keep_apart = false;
    plain.most = TOI_NO_LIMIT;
    assert_ok(toi_make_front(&plain, 1, &fresh, &counts));
    int64_t visits = visit_all(walk, front, &kept);
    visit_all(&plain, &fresh, &root);
    assert_true(kept == root);
    toi_free_front(&fresh);
    return visits;
}

static void move_on(small_mesh *m, setup *s, toi_random *random)
{
    memcpy(m->start, m->end, sizeof m->start);
    for (int64_t v = 0; v < m->mesh.start.count; ++v)
        for (int k = 0; k < 3; ++k)
            m->end[v][k] += 0.2 * toi_random_range(random, -1, 1);
    load_rows(m, s);
}

static toi_walk walk_of(const setup *s, bool orphans, bool keep_apart, int64_t most)
{
    return (toi_walk){.tree = &s->tree,
                      .elements = &s->elements,
                      .orphans = orphans,
                      .keep_apart = keep_apart,
                      .vectors = s->tree.vectors,
                      .most = most,
                      .workers = 2};
}

// The front of a mesh that moves on for some steps: whatever is kept, it covers everything, and the
// pairs that are visited are those of a walk from the root.
static int64_t follow(small_mesh *m, toi_volume volume, bool orphans, int64_t most,
                      toi_random *random)
{
    setup s;
    toi_front front = {0};
    toi_walk_counts counts = {0};
    int64_t visits = 0;
    set_up(m, volume, &s);
    toi_walk walk = walk_of(&s, orphans, true, most);
    for (int step = 0; step < 6; ++step) {
        assert_ok(step == 0 ? toi_make_front(&walk, 16, &front, &counts)
                            : toi_update_front(&walk, &front, &counts));
        assert_true(front.count <= most);
        if (most < TOI_NO_LIMIT) // its nodes alone, and what blocks take
            assert_true(toi_front_bytes(&front) <= 8 * most + 2 * most + 200);
        check_front(&walk, &front);
        visits += check_visits(&walk, &front);
        move_on(m, &s, random);
        assert_ok(toi_refit_hierarchy(&s.source, &s.tree));
    }
    toi_free_front(&front);
    tear_down(&s);
    return visits;
}

static void the_front_covers_every_pair(void **state)
{
    (void)state;
    static const int64_t limits[] = {(int64_t)1 << 60, 1000, 50, 7, 3, 1};
    toi_random random = {5};
    small_mesh m;
    int64_t visits = 0;
    for (int64_t i = 0; i < cases(60); ++i) {
        make_small_mesh(&m, &random);
        visits += follow(&m, (toi_volume)(i & 1), i & 2, limits[i % 6], &random);
    }
    assert_true(visits > 1000);
}

// Some faces are others than before, and there may be more or less of them.
static void change_faces(small_mesh *m, toi_random *random)
{
    int64_t count = m->mesh.faces.count, vertices = m->mesh.start.count;
    if (toi_random_below(random, 2) && count < MOST_FACES)
        ++count;
    else if (toi_random_below(random, 3) == 0 && count > 0)
        --count;
    for (int64_t f = count - 1; f >= 0; --f)
        if (f >= m->mesh.faces.count || toi_random_below(random, 20) == 0)
            for (int k = 0; k < 3; ++k)
                m->faces[f][k] = (int32_t)toi_random_below(random, (uint64_t)vertices);
    m->mesh.faces.count = count;
    m->mesh.edges.count = 0;
    put_edges(m, random);
}

// Goes on with other faces; returns whether tree and front could.
static bool amend(const small_mesh *m, setup *s, const toi_walk *walk, toi_front *front)
{
    toi_elements before = s->elements;
    toi_walk_counts counts = {0};
    bool kept;
    assert_ok(toi_make_elements(&m->mesh, 2, NULL, &s->elements));
    assert_ok(toi_amend_hierarchy(&s->source, &before, &s->tree, &kept));
    toi_free_elements(&before);
    if (kept) {
        assert_ok(toi_amend_front(walk, front));
        assert_ok(toi_refit_hierarchy(&s->source, &s->tree));
        assert_ok(toi_update_front(walk, front, &counts));
    } else {
        assert_ok(toi_build_hierarchy(&s->source, &s->tree));
        assert_ok(toi_make_front(walk, 16, front, &counts));
    }
    return kept;
}

static void a_front_goes_on_with_other_faces(void **state)
{
    (void)state;
    static const int64_t limits[] = {TOI_NO_LIMIT, 1000, 50, 7};
    toi_random random = {7};
    small_mesh m;
    int64_t kept = 0, visits = 0;
    for (int64_t i = 0; i < cases(100); ++i) {
        setup s;
        toi_front front = {0};
        toi_walk_counts counts = {0};
        make_small_mesh(&m, &random);
        set_up(&m, (toi_volume)(i & 1), &s);
        toi_walk walk = walk_of(&s, i & 2, true, limits[i / 4 % 4]);
        assert_ok(toi_make_front(&walk, 16, &front, &counts));
        for (int step = 0; step < 8; ++step) {
            change_faces(&m, &random);
            move_on(&m, &s, &random);
            kept += amend(&m, &s, &walk, &front);
            check_front(&walk, &front);
            visits += check_visits(&walk, &front);
        }
        toi_free_front(&front);
        tear_down(&s);
    }
    assert_true(kept > 10 && visits > 100);
}

// ---------------------------------------------------------------------------------------------
// Volumes

// A multiple of 2^-40 in [lo, hi): sums of a few are exact.
static double coarse(toi_random *random, double lo, double hi)
{
    return floor(toi_random_range(random, lo, hi) * 0x1p40) * 0x1p-40;
}

// Two faces that touch at t = 0, with nothing to spare in one slab: of the first two corners lie on
// its border and the third below it, of the second one corner lies between those two and the others
// above it. They end on their sides of it.
static void make_touching(small_mesh *m, double scale, toi_random *random)
{
    *m = (small_mesh){0};
    m->mesh.start = toi_view_points(m->start[0], 6);
    m->mesh.end = toi_view_points(m->end[0], 6);
    for (int k = 0; k < 6; ++k)
        m->faces[k / 3][k % 3] = k;
    m->mesh.faces = (toi_index_view){m->faces[0], 2, 0};
    int first = (int)toi_random_below(random, 3), second = (first + 1) % 3;
    double sign = toi_random_below(random, 2) ? 1 : -1, at[3], along = coarse(random, 0, 1);
    bool axis = toi_random_below(random, 4) == 0; // the slab: one axis, or first + sign second
    for (int k = 0; k < 3; ++k)
        at[k] = coarse(random, -4, 4);
    for (int v = 0; v < 6; ++v) {
        double side = v < 3 ? -1 : 1, slide = v == 0 ? along : v == 1 ? -along : 0;
        double beyond = v == 2 || v > 3 ? side * coarse(random, 0, 2) : 0;
        memcpy(m->start[v], at, sizeof at);
        m->start[v][second] -= sign * slide;
        m->start[v][first] += (axis ? 0 : slide) + beyond;
        memcpy(m->end[v], m->start[v], sizeof at);
        m->end[v][first] += side * coarse(random, 0, 1);
        for (int k = 0; k < 3; ++k) {
            m->start[v][k] *= scale;
            m->end[v][k] *= scale;
        }
    }
}

static void touching_volumes_overlap(void **state)
{
    (void)state;
    static const double scales[] = {1, 0x1p-1000, 0x1p-140, 0x1p-20, 0x1p100, 0x1p130, 0x1p1019};
    toi_random random = {6};
    for (int64_t i = 0; i < cases(4000); ++i) {
        small_mesh m;
        setup s;
        toi_front front = {0};
        toi_walk_counts counts = {0};
        uint64_t hash;
        make_touching(&m, scales[i % 7], &random); // without edges, so two elements
        set_up(&m, (toi_volume)(i & 1), &s);
        toi_walk walk = walk_of(&s, true, false, 1000);
        assert_ok(toi_make_front(&walk, 16, &front, &counts));
        assert_int_equal(visit_all(&walk, &front, &hash), 1); // the one pair that there is
        toi_free_front(&front);
        tear_down(&s);
    }
}

// And those that slabs across keep apart are not all that boxes let through.
static void slabs_across_part_more(void **state)
{
    (void)state;
    toi_random random = {7};
    int64_t visits[2] = {0, 0};
    for (int64_t i = 0; i < cases(300); ++i) {
        small_mesh m;
        make_small_mesh(&m, &random);
        for (int volume = 0; volume < 2; ++volume) {
            setup s;
            toi_front front = {0};
            toi_walk_counts counts = {0};
            uint64_t hash;
            set_up(&m, (toi_volume)volume, &s);
            toi_walk walk = walk_of(&s, true, false, (int64_t)1 << 60);
            assert_ok(toi_make_front(&walk, 16, &front, &counts));
            visits[volume] += visit_all(&walk, &front, &hash);
            toi_free_front(&front);
            tear_down(&s);
        }
    }
    assert_true(visits[TOI_VOLUME_DOP18] > 0);
    assert_true(visits[TOI_VOLUME_DOP18] < visits[TOI_VOLUME_BOX]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(owners_and_orphans_are_complete),
        cmocka_unit_test(a_crowded_vertex_is_noticed),
        cmocka_unit_test(the_front_covers_every_pair),
        cmocka_unit_test(a_front_goes_on_with_other_faces),
        cmocka_unit_test(touching_volumes_overlap),
        cmocka_unit_test(slabs_across_part_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
