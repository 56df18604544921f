// The four methods of MCCD: they differ in what is kept of the tree and of the front, and in who
// walks.

#include "track/literature/mccd.h"

#include "broad/layout/layout.h"
#include "ccd/corners.h"

#include <math.h>

enum
{
    SUBTASKS = 4096,      // that a walk from the root collects at most before they are shared out:
    SUBTASK_LEAVES = 64,  // one for so many leaves
    STREAM_ORPHANS = 512, // that a task hands on
    LEAST_NODES = 1024    // of a front that is worth trying where memory is short
};

// What a scene keeps.
typedef struct mccd
{
    bool ready; // elements and orphans are there
    bool orphans;
    toi_elements elements;
    toi_orphans listed;
    toi_hierarchy tree;     // without leaves: to be built
    double edge;            // mean length, when the first tree was built
    toi_front front;        // of the last step
    bool tracked;           // it may be walked on from
    int64_t sprouted, left; // since it was made
} mccd;

static void forget(void *kept)
{
    mccd *m = kept;
    if (!m)
        return;
    toi_free_front(&m->front);
    toi_free_hierarchy(&m->tree);
    toi_free_orphans(&m->listed);
    toi_free_elements(&m->elements);
    toi_give_back(m);
}

// ---- The tree

static double length(const double a[4], const double b[4])
{
    double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
    return sqrt(x * x + y * y + z * z);
}

// Sums of lengths, a piece each.
typedef struct length_sums
{
    const toi_pipeline *pipeline;
    double *sums;
} length_sums;

static toi_status add_edges(void *context, int64_t first, int64_t end)
{
    const length_sums *l = context;
    const toi_pipeline *p = l->pipeline;
    double sum = 0;
    for (int64_t i = first; i < end; ++i) {
        const int32_t *edge = toi_edge_at(&p->mesh.edges, i);
        sum += length(p->trajectories[edge[0]].start, p->trajectories[edge[1]].start);
    }
    l->sums[first / TOI_PIECE] = sum;
    return TOI_OK;
}

static toi_status add_ways(void *context, int64_t first, int64_t end)
{
    const length_sums *l = context;
    double sum = 0;
    for (int64_t i = first; i < end; ++i)
        sum += length(l->pipeline->trajectories[i].start, l->pipeline->trajectories[i].end);
    l->sums[first / TOI_PIECE] = sum;
    return TOI_OK;
}

static toi_status find_mean(const toi_pipeline *p, int64_t count, toi_range_fn *add, int workers,
                            double *mean)
{
    int64_t pieces = (count + TOI_PIECE - 1) / TOI_PIECE;
    length_sums l = {p, toi_take(p->budget, pieces, sizeof *l.sums)};
    if (!l.sums)
        return toi_allocation_status();
    toi_status status = toi_parallel_ranges(workers, count, TOI_PIECE, add, &l);
    double sum = 0;
    for (int64_t i = 0; i < pieces && status == TOI_OK; ++i)
        sum += l.sums[i];
    toi_give_back(l.sums);
    *mean = count > 0 ? sum / (double)count : 0;
    return status;
}

static toi_hierarchy_source make_source(const toi_pipeline *p, const mccd *m, int workers)
{
    return (toi_hierarchy_source){&m->elements, p->trajectories,
                                  toi_separation_radius(p->def->narrow.min_separation), workers,
                                  p->budget};
}

static toi_status bound_tree(toi_pipeline *p, mccd *m, int workers, bool *built)
{
    const toi_track_def *def = &p->scene->tracking.def;
    toi_hierarchy_source source = make_source(p, m, workers);
    toi_status status = TOI_OK;
    *built = m->tree.subtree_count == 0 || def->method == TOI_TRACK_REBUILD;
    if (!*built) {
        status = toi_refit_hierarchy(&source, &m->tree);
        *built = m->tree.surface > def->most_growth * m->tree.built;
    }
    if (status == TOI_OK && *built && m->edge == 0)
        status = find_mean(p, p->mesh.edges.count, add_edges, workers, &m->edge);
    if (status != TOI_OK || !*built)
        return status;
    m->tracked = false;
    return toi_build_hierarchy(&source, &m->tree);
}

// ---- The front

// Is there one right answer for every pair? Then any pair that cannot touch may be left out, and
// any other may be asked about; else the boxes in double decide.
static bool answers_are_unique(const toi_pipeline *p)
{
    return toi_is_exact(&p->def->narrow) && !(p->policy.relative_separation > 0) &&
           !(p->inside_share > 0);
}

// Slabs across say nothing of the boxes, and are not enlarged for a separation.
static int counting_vectors(const toi_pipeline *p, const mccd *m)
{
    bool all = answers_are_unique(p) && !(p->def->narrow.min_separation > 0);
    return all ? m->tree.vectors : TOI_BOX_VECTORS;
}

// The nodes that may be kept. While blocks of a front grow there are old ones and new ones.
static int64_t most_nodes(const toi_pipeline *p, const mccd *m)
{
    const int64_t a_block = sizeof(toi_front_block) + TOI_BLOCK_OVERHEAD;
    const int64_t size =
        (int64_t)sizeof(toi_pair) + (a_block + TOI_LEAST_BLOCK - 1) / TOI_LEAST_BLOCK;
    const int64_t own = p->scene->tracking.def.memory_limit;
    int64_t most = own > 0 ? own / size : TOI_NO_LIMIT;
    if (p->budget->limit > 0) {
        int64_t free_bytes = p->budget->limit - p->budget->need + toi_front_bytes(&m->front);
        int64_t share = free_bytes / (4 * size);
        share = share < LEAST_NODES ? LEAST_NODES : share;
        most = share < most ? share : most;
    }
    return most > 0 ? most : 1;
}

static toi_walk make_walk(const toi_pipeline *p, const mccd *m, int workers)
{
    toi_track_method method = p->scene->tracking.def.method;
    return (toi_walk){.tree = &m->tree,
                      .elements = &m->elements,
                      .orphans = m->orphans,
                      .keep_apart = method == TOI_TRACK_FRONT || method == TOI_TRACK_REBUILD,
                      .vectors = counting_vectors(p, m),
                      .most = most_nodes(p, m),
                      .workers = workers,
                      .budget = p->budget};
}

static double share_of(int64_t part, int64_t whole)
{
    return whole > 0 ? (double)part / (double)whole : 0;
}

static toi_status make_front(toi_pipeline *p, mccd *m, const toi_walk *walk,
                             toi_walk_counts *counts)
{
    bool serial = p->scene->tracking.def.method == TOI_TRACK_SERIAL;
    int64_t subtasks = 1 + m->tree.leaves / SUBTASK_LEAVES;
    subtasks = serial ? 1 : subtasks < SUBTASKS ? subtasks : SUBTASKS;
    toi_status status = toi_make_front(walk, subtasks, &m->front, counts);
    counts->sprouted = counts->left = 0;
    m->sprouted = m->left = 0;
    m->tracked = status == TOI_OK && p->scene->tracking.def.method == TOI_TRACK_FRONT;
    return status;
}

static toi_status update_front(mccd *m, const toi_walk *walk, toi_walk_counts *counts)
{
    toi_status status = toi_update_front(walk, &m->front, counts);
    m->sprouted += counts->sprouted;
    m->left += counts->left;
    if (status != TOI_OK)
        m->tracked = false; // it is half done
    return status;
}

static toi_status find_front(toi_pipeline *p, mccd *m, int workers)
{
    const toi_track_def *def = &p->scene->tracking.def;
    toi_track_report *report = &p->scene->tracking.report;
    toi_walk walk = make_walk(p, m, workers);
    toi_walk_counts counts = {0};
    bool worn = share_of(m->sprouted, m->front.count) > def->most_sprouted ||
                share_of(m->left, m->front.count) > def->most_phantom;
    bool made = !m->tracked || worn;
    toi_status status = made ? make_front(p, m, &walk, &counts) : update_front(m, &walk, &counts);
    report->rebuilt |= made;
    report->volume_tests += counts.tests;
    report->sprouted += counts.sprouted;
    report->phantom += counts.left;
    report->front = m->front.count;
    report->q1 = share_of(m->sprouted, m->front.count);
    report->q2 = share_of(m->left, m->front.count);
    return status;
}

// ---- What follows from the faces and edges alone

static toi_status list_all(toi_pipeline *p, mccd *m)
{
    toi_free_orphans(&m->listed);
    m->elements = (toi_elements){0};
    m->orphans = p->scene->tracking.def.orphans;
    toi_status status = toi_make_elements(&p->mesh, p->workers, p->budget, &m->elements);
    if (status == TOI_OK && m->orphans)
        status = toi_find_orphans(&m->elements, &p->mesh, p->workers, p->budget, &m->listed,
                                  &m->orphans);
    return status;
}

// Keeps what can be kept of tree and front. A front of one rule about adjacent elements is none of
// the other.
static toi_status amend(toi_pipeline *p, mccd *m, const toi_elements *before, bool same_rule)
{
    bool kept = false;
    toi_hierarchy_source source = make_source(p, m, p->workers);
    toi_status status = TOI_OK;
    if (m->tree.subtree_count > 0)
        status = toi_amend_hierarchy(&source, before, &m->tree, &kept);
    if (!kept)
        m->tree.subtree_count = 0;
    m->tracked = m->tracked && kept && same_rule;
    if (status != TOI_OK || !m->tracked)
        return status;
    toi_walk walk = make_walk(p, m, p->workers);
    return toi_amend_front(&walk, &m->front);
}

static toi_status make_ready(toi_pipeline *p, mccd *m)
{
    toi_elements before = m->elements;
    bool orphans = m->orphans;
    if (m->ready)
        return TOI_OK;
    toi_status status = list_all(p, m);
    if (m->elements.count == 0 || before.count == 0) { // begin anew
        toi_free_front(&m->front);
        toi_free_hierarchy(&m->tree);
        m->tracked = false;
        if (status == TOI_OK)
            status = toi_take_hierarchy(p->scene->tracking.def.volume, m->elements.count, p->budget,
                                        &m->tree);
    } else if (status == TOI_OK) {
        status = amend(p, m, &before, m->orphans == orphans);
    }
    toi_free_elements(&before);
    m->ready = status == TOI_OK;
    return status;
}

static toi_status open_kept(toi_pipeline *p, mccd **kept)
{
    toi_tracking *t = &p->scene->tracking;
    if (!t->kept) {
        mccd *m = toi_take(p->budget, 1, sizeof *m);
        if (!m)
            return toi_allocation_status();
        *m = (mccd){0};
        t->kept = m;
    }
    *kept = t->kept;
    toi_status status = make_ready(p, *kept);
    if (status != TOI_OK) {
        forget(t->kept);
        t->kept = NULL;
    }
    return status;
}

// ---- A step

static int count_workers(const toi_pipeline *p)
{
    return p->scene->tracking.def.method == TOI_TRACK_SERIAL ? 1 : p->workers;
}

static int64_t kept_bytes(const toi_pipeline *p, const mccd *m)
{
    int64_t pairs = m->listed.pairs[0].capacity + m->listed.pairs[1].capacity;
    return (int64_t)sizeof *m + toi_elements_bytes(&m->elements, &p->mesh) +
           toi_hierarchy_bytes(&m->tree) + toi_front_bytes(&m->front) +
           pairs * (int64_t)sizeof(toi_pair);
}

static toi_status prepare(toi_pipeline *p)
{
    mccd *m;
    toi_track_report *report = &p->scene->tracking.report;
    bool built = false;
    double started = toi_clock(), way = 0;
    toi_status status = toi_take_trajectories(p);
    if (status == TOI_OK)
        status = open_kept(p, &m);
    if (status != TOI_OK || m->elements.count == 0)
        return status;
    status = bound_tree(p, m, count_workers(p), &built);
    if (status == TOI_OK)
        status = find_mean(p, p->mesh.start.count, add_ways, count_workers(p), &way);
    if (status != TOI_OK)
        m->tree.subtree_count = 0;
    double bounded = toi_clock();
    if (status == TOI_OK)
        status = find_front(p, m, count_workers(p));
    report->reordered |= built;
    report->motion = m->edge > 0 ? way / m->edge : 0;
    report->kept_bytes = kept_bytes(p, m);
    report->seconds_refit += bounded - started;
    p->report.seconds_prepare += bounded - started;
    p->report.seconds_broad += toi_clock() - bounded;
    return status;
}

// ---- The pairs of a kind

typedef struct streaming
{
    toi_pipeline *pipeline;
    const mccd *kept;
    toi_walk walk;
    toi_kind kind;
    bool unique;
    toi_receiver to;
    toi_broad_job job;
    toi_pair *buffers;
    _Atomic int64_t tests, adjacent;
} streaming;

static toi_status emit_filtered(void *context, toi_pair *pairs, int64_t count, int64_t task,
                                int worker)
{
    const streaming *s = context;
    const toi_filter *filter = &s->pipeline->scene->topology.filter;
    if (filter->groups || filter->may_collide)
        count = toi_keep_allowed(s->pipeline, s->kind, pairs, count);
    if (!s->unique)
        count = toi_keep_overlapping(s->pipeline, s->kind, pairs, count);
    return count > 0 ? s->to.emit(s->to.context, pairs, count, task, worker) : TOI_OK;
}

// Two elements whose volumes overlap.
typedef struct expansion
{
    const streaming *s;
    toi_pair_writer writer;
    int64_t adjacent;
} expansion;

static toi_status write_pair(expansion *x, bool adjacent, int32_t a, int32_t b)
{
    toi_status status = toi_make_room(&x->writer, 1);
    x->writer.buffer[x->writer.count++] = (toi_pair){a, b};
    x->adjacent += adjacent;
    return status;
}

static bool has_corner(const int32_t c[3], int32_t vertex)
{
    return c[0] == vertex || c[1] == vertex || c[2] == vertex;
}

// The vertices of element a and the face b.
static toi_status write_vertices(expansion *x, bool adjacent, int32_t a, int32_t b)
{
    const mccd *m = x->s->kept;
    const toi_elements *e = &m->elements;
    const int32_t *corners = e->corners[a];
    toi_status status = TOI_OK;
    for (int k = 0; k < 3 && b < e->face_count && status == TOI_OK; ++k)
        if (toi_is_new_corner(corners, k) && !(adjacent && has_corner(e->corners[b], corners[k])) &&
            toi_owns_vertex(e, m->orphans, a, corners[k], b))
            status = write_pair(x, adjacent, corners[k], b);
    return status;
}

static bool edges_share(const toi_mesh *mesh, int32_t a, int32_t b)
{
    const int32_t *x = toi_edge_at(&mesh->edges, a), *y = toi_edge_at(&mesh->edges, b);
    return x[0] == y[0] || x[0] == y[1] || x[1] == y[0] || x[1] == y[1];
}

static toi_status write_edges(expansion *x, bool adjacent, int32_t a, int32_t b)
{
    const mccd *m = x->s->kept;
    const toi_elements *e = &m->elements;
    toi_status status = TOI_OK;
    for (int64_t i = e->edges.first[a]; i < e->edges.first[a + 1]; ++i)
        for (int64_t k = e->edges.first[b]; k < e->edges.first[b + 1] && status == TOI_OK; ++k) {
            int32_t first = e->edges.ids[i], second = e->edges.ids[k];
            if (adjacent && edges_share(&x->s->pipeline->mesh, first, second))
                continue;
            if (toi_owns_edges(e, m->orphans, a, first, b, second))
                status = write_pair(x, adjacent, first < second ? first : second,
                                    first < second ? second : first);
        }
    return status;
}

static toi_status expand(void *context, int32_t a, int32_t b)
{
    expansion *x = context;
    const mccd *m = x->s->kept;
    bool adjacent = !m->orphans && toi_are_adjacent(&m->elements, a, b);
    if (x->s->kind == TOI_EDGE_EDGE)
        return write_edges(x, adjacent, a, b);
    toi_status status = write_vertices(x, adjacent, a, b);
    return status == TOI_OK ? write_vertices(x, adjacent, b, a) : status;
}

static toi_status write_orphans(expansion *x, int64_t first)
{
    const toi_pair_array *list = &x->s->kept->listed.pairs[x->s->kind];
    int64_t end = first + STREAM_ORPHANS < list->count ? first + STREAM_ORPHANS : list->count;
    toi_status status = TOI_OK;
    for (int64_t i = first; i < end && status == TOI_OK; ++i)
        status = write_pair(x, true, list->data[i].a, list->data[i].b);
    return status;
}

// The blocks of the front, then the orphans.
static toi_status stream_block(void *context, int64_t task, int worker)
{
    streaming *s = context;
    const toi_front *front = &s->kept->front;
    expansion x = {.s = s, .writer = toi_start_writer(&s->job, s->buffers, task, worker)};
    int64_t blocks = front->block_count, tests = 0;
    toi_status status = task < blocks
                            ? toi_visit_block(&s->walk, &front->blocks[task], expand, &x, &tests)
                            : write_orphans(&x, (task - blocks) * STREAM_ORPHANS);
    if (status == TOI_OK)
        status = toi_end_writer(&x.writer);
    if (tests > 0)
        s->tests += tests;
    if (x.adjacent > 0)
        s->adjacent += x.adjacent;
    return status == TOI_OK ? toi_meter_add(s->job.meter, 1) : status;
}

static toi_status stream_blocks(streaming *s)
{
    int64_t orphans = s->kept->listed.pairs[s->kind].count;
    int64_t tasks = s->kept->front.block_count + (orphans + STREAM_ORPHANS - 1) / STREAM_ORPHANS;
    s->buffers = toi_take_writer_buffers(&s->job);
    if (!s->buffers)
        return toi_allocation_status();
    s->job.meter->total = tasks;
    toi_status status = toi_parallel(s->job.workers, tasks, stream_block, s);
    toi_give_back(s->buffers);
    return status;
}

static toi_status stream(toi_pipeline *p, toi_kind kind, toi_receiver to)
{
    double started = toi_clock();
    const mccd *m = p->scene->tracking.kept;
    int workers = count_workers(p);
    streaming s = {.pipeline = p,
                   .kept = m,
                   .walk = make_walk(p, m, workers),
                   .kind = kind,
                   .unique = answers_are_unique(p),
                   .to = to};
    s.job = (toi_broad_job){.workers = workers,
                            .budget = p->budget,
                            .meter = &p->meter,
                            .to = {.context = &s, .emit = emit_filtered}};
    toi_status status = stream_blocks(&s);
    p->scene->tracking.report.volume_tests += s.tests;
    p->scene->tracking.report.adjacent += s.adjacent;
    p->report.seconds_broad += toi_clock() - started;
    return status;
}

static void change(void *kept)
{
    mccd *m = kept;
    if (m)
        m->ready = false;
}

const toi_track_source toi_track_mccd = {
    .prepare = prepare, .stream = stream, .forget = forget, .change = change};
