// The solver of the stepping test: Newton's method with conjugate gradients, and a line search that
// begins at the time of impact.

#include "ipc_solver.h"

#include "ipc_contacts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum
{
    NEWTON_STEPS = 12,
    GRADIENT_STEPS = 100,
    HALVINGS = 30
};

static const double TIME_STEP = 0.01, GRAVITY = 9.81;
static const double ACCURACY = 0.01; // of velocities

typedef double vector[3];

// The second derivative of a spring, for one direction after another.
typedef struct spring_line
{
    double axis[3], along, across;
} spring_line;

struct ipc_solver
{
    ipc_scene *bodies;
    ipc_options options;
    toi_scene *scene;
    ipc_contacts contacts, trial_contacts;
    vector *velocity, *inertial; // where a vertex would be without springs and contacts
    vector *end, *trial, *gradient, *direction, *residual, *search, *image;
    spring_line *lines;
    double (*blocks)[6]; // of the second derivatives, on the diagonal: xx, yy, zz, xy, xz, yz
    ipc_step_report report;
};

static double clock_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void add_scaled(double a[3], double scale, const double b[3])
{
    for (int k = 0; k < 3; ++k)
        a[k] += scale * b[k];
}

static double dot_all(const vector *a, const vector *b, int64_t count)
{
    double sum = 0;
    for (int64_t i = 0; i < count; ++i)
        sum += dot(a[i], b[i]);
    return sum;
}

// ---- Springs

// Unit vector along a spring; returns its length.
static double spring_axis(const ipc_spring *spring, const vector *x, double axis[3])
{
    for (int k = 0; k < 3; ++k)
        axis[k] = x[spring->a][k] - x[spring->b][k];
    double length = sqrt(dot(axis, axis));
    for (int k = 0; k < 3; ++k)
        axis[k] /= length;
    return length;
}

static double spring_energy(const ipc_scene *bodies, const vector *x)
{
    double sum = 0, axis[3];
    for (int64_t i = 0; i < bodies->spring_count; ++i) {
        const ipc_spring *spring = &bodies->springs[i];
        double more = spring_axis(spring, x, axis) - spring->rest;
        sum += 0.5 * spring->stiffness * more * more;
    }
    return sum;
}

static void add_spring_gradient(const ipc_scene *bodies, const vector *x, vector *gradient)
{
    double axis[3];
    for (int64_t i = 0; i < bodies->spring_count; ++i) {
        const ipc_spring *spring = &bodies->springs[i];
        double force = spring->stiffness * (spring_axis(spring, x, axis) - spring->rest);
        add_scaled(gradient[spring->a], force, axis);
        add_scaled(gradient[spring->b], -force, axis);
    }
}

// The second derivative of a spring is along nn' + across I, n its axis. Where it is pressed
// `across` would be negative: left out, so that the sum stays positive.
static void make_spring_lines(ipc_solver *s)
{
    const vector *x = (const vector *)s->bodies->position;
    for (int64_t i = 0; i < s->bodies->spring_count; ++i) {
        const ipc_spring *spring = &s->bodies->springs[i];
        spring_line *line = &s->lines[i];
        double length = spring_axis(spring, x, line->axis);
        line->across = spring->stiffness * fmax(0, 1 - spring->rest / length);
        line->along = spring->stiffness - line->across;
    }
}

static void multiply_springs(const ipc_solver *s, const vector *d, vector *image)
{
    for (int64_t i = 0; i < s->bodies->spring_count; ++i) {
        const ipc_spring *spring = &s->bodies->springs[i];
        const spring_line *line = &s->lines[i];
        double apart[3];
        for (int k = 0; k < 3; ++k)
            apart[k] = d[spring->a][k] - d[spring->b][k];
        double along = line->along * dot(line->axis, apart);
        for (int k = 0; k < 3; ++k) {
            double force = along * line->axis[k] + line->across * apart[k];
            image[spring->a][k] += force;
            image[spring->b][k] -= force;
        }
    }
}

static void add_block(double block[6], double along, const double n[3], double everywhere)
{
    for (int k = 0; k < 3; ++k)
        block[k] += along * n[k] * n[k] + everywhere;
    block[3] += along * n[0] * n[1];
    block[4] += along * n[0] * n[2];
    block[5] += along * n[1] * n[2];
}

static void add_spring_blocks(const ipc_solver *s, double (*blocks)[6])
{
    for (int64_t i = 0; i < s->bodies->spring_count; ++i) {
        const ipc_spring *spring = &s->bodies->springs[i];
        const spring_line *line = &s->lines[i];
        add_block(blocks[spring->a], line->along, line->axis, line->across);
        add_block(blocks[spring->b], line->along, line->axis, line->across);
    }
}

// ---- Contacts: of the second derivative only the part along the normal, which is positive

static void add_contact_gradient(const ipc_contacts *contacts, vector *gradient)
{
    for (int64_t i = 0; i < contacts->count; ++i) {
        const ipc_contact *contact = &contacts->data[i];
        for (int c = 0; c < 4; ++c)
            add_scaled(gradient[contact->corner[c]], contact->slope * contact->weight[c],
                       contact->normal);
    }
}

static void multiply_contacts(const ipc_contacts *contacts, const vector *d, vector *image)
{
    for (int64_t i = 0; i < contacts->count; ++i) {
        const ipc_contact *contact = &contacts->data[i];
        double apart = 0;
        for (int c = 0; c < 4; ++c)
            apart += contact->weight[c] * dot(contact->normal, d[contact->corner[c]]);
        for (int c = 0; c < 4; ++c)
            add_scaled(image[contact->corner[c]], contact->curvature * apart * contact->weight[c],
                       contact->normal);
    }
}

static void add_contact_blocks(const ipc_contacts *contacts, double (*blocks)[6])
{
    for (int64_t i = 0; i < contacts->count; ++i) {
        const ipc_contact *contact = &contacts->data[i];
        for (int c = 0; c < 4; ++c)
            add_block(blocks[contact->corner[c]],
                      contact->curvature * contact->weight[c] * contact->weight[c], contact->normal,
                      0);
    }
}

// ---- The incremental potential: inertia with gravity, springs, barriers

static double inertia(const ipc_solver *s, int64_t i)
{
    return s->bodies->mass[i] / (TIME_STEP * TIME_STEP);
}

static double inertial_energy(const ipc_solver *s, const vector *x)
{
    double sum = 0;
    for (int64_t i = 0; i < s->bodies->vertex_count; ++i)
        for (int k = 0; k < 3; ++k)
            sum += 0.5 * inertia(s, i) * pow(x[i][k] - s->inertial[i][k], 2);
    return sum;
}

static double energy(const ipc_solver *s, const vector *x, const ipc_contacts *contacts)
{
    return inertial_energy(s, x) + spring_energy(s->bodies, x) + contacts->energy;
}

static void clear_fixed(const ipc_scene *bodies, vector *of)
{
    for (int64_t i = 0; i < bodies->vertex_count; ++i)
        if (bodies->mass[i] == 0)
            memset(of[i], 0, sizeof of[i]);
}

static void make_gradient(ipc_solver *s)
{
    const vector *x = (const vector *)s->bodies->position;
    for (int64_t i = 0; i < s->bodies->vertex_count; ++i)
        for (int k = 0; k < 3; ++k)
            s->gradient[i][k] = inertia(s, i) * (x[i][k] - s->inertial[i][k]);
    add_spring_gradient(s->bodies, x, s->gradient);
    add_contact_gradient(&s->contacts, s->gradient);
    clear_fixed(s->bodies, s->gradient);
}

static void multiply(const ipc_solver *s, const vector *d, vector *image)
{
    for (int64_t i = 0; i < s->bodies->vertex_count; ++i)
        for (int k = 0; k < 3; ++k)
            image[i][k] = inertia(s, i) * d[i][k];
    multiply_springs(s, d, image);
    multiply_contacts(&s->contacts, d, image);
    clear_fixed(s->bodies, image);
}

// ---- Newton's direction by conjugate gradients, each vertex's own block inverted

static void make_blocks(ipc_solver *s)
{
    int64_t count = s->bodies->vertex_count;
    memset(s->blocks, 0, (size_t)count * sizeof *s->blocks);
    for (int64_t i = 0; i < count; ++i)
        for (int k = 0; k < 3; ++k)
            s->blocks[i][k] = s->bodies->mass[i] > 0 ? inertia(s, i) : 1;
    add_spring_blocks(s, s->blocks);
    add_contact_blocks(&s->contacts, s->blocks);
}

// Solves for one vertex by Cramer's rule.
static void solve_block(const double b[6], const double right[3], double x[3])
{
    double xx = b[1] * b[2] - b[5] * b[5], yy = b[0] * b[2] - b[4] * b[4];
    double zz = b[0] * b[1] - b[3] * b[3], xy = b[4] * b[5] - b[3] * b[2];
    double xz = b[3] * b[5] - b[4] * b[1], yz = b[3] * b[4] - b[0] * b[5];
    double determinant = b[0] * xx + b[3] * xy + b[4] * xz;
    x[0] = (xx * right[0] + xy * right[1] + xz * right[2]) / determinant;
    x[1] = (xy * right[0] + yy * right[1] + yz * right[2]) / determinant;
    x[2] = (xz * right[0] + yz * right[1] + zz * right[2]) / determinant;
}

static void precondition(const ipc_solver *s, const vector *right, vector *x)
{
    for (int64_t i = 0; i < s->bodies->vertex_count; ++i)
        solve_block(s->blocks[i], right[i], x[i]);
}

// The direction d with H d = -gradient, nearly; every iterate goes downhill. `image` is room for
// products and for preconditioned residuals in turn.
static void find_direction(ipc_solver *s)
{
    int64_t count = s->bodies->vertex_count;
    memset(s->direction, 0, (size_t)count * sizeof *s->direction);
    for (int64_t i = 0; i < count; ++i)
        for (int k = 0; k < 3; ++k)
            s->residual[i][k] = -s->gradient[i][k];
    make_spring_lines(s);
    make_blocks(s);
    precondition(s, (const vector *)s->residual, s->search);
    double size = dot_all((const vector *)s->residual, (const vector *)s->search, count);
    double enough = 1e-6 * size;
    for (int step = 0; step < GRADIENT_STEPS && size > enough; ++step) {
        multiply(s, (const vector *)s->search, s->image);
        double share = size / dot_all((const vector *)s->search, (const vector *)s->image, count);
        for (int64_t i = 0; i < count; ++i) {
            add_scaled(s->direction[i], share, s->search[i]);
            add_scaled(s->residual[i], -share, s->image[i]);
        }
        precondition(s, (const vector *)s->residual, s->image);
        double next = dot_all((const vector *)s->residual, (const vector *)s->image, count);
        for (int64_t i = 0; i < count; ++i)
            for (int k = 0; k < 3; ++k)
                s->search[i][k] = s->image[i][k] + next / size * s->search[i][k];
        size = next;
    }
}

// ---- The line search

toi_ccd_def ipc_motion_check(const ipc_solver *s)
{
    toi_ccd_def def = toi_default_ccd_def();
    def.narrow.method = s->options.method;
    def.narrow.min_separation = s->options.separation;
    def.workers = s->options.workers;
    def.zero_time.strict = true; // no pair starts there, or the solver has a fault
    return def;
}

toi_scene *ipc_collision_scene(ipc_solver *s)
{
    return s->scene;
}

const ipc_contacts *ipc_current_contacts(const ipc_solver *s)
{
    return &s->contacts;
}

static toi_point_view view(const ipc_solver *s, const vector *x)
{
    return toi_view_points(x[0], s->bodies->vertex_count);
}

static toi_status find_time(ipc_solver *s, const toi_ccd_def *def, const vector *end, double *time)
{
    toi_ccd_report report;
    double started = clock_seconds();
    toi_status status = toi_scene_find_earliest(
        s->scene, def, view(s, (const vector *)s->bodies->position), view(s, end), &report);
    s->report.seconds_ccd += clock_seconds() - started;
    *time = report.earliest.time;
    return status;
}

static toi_status find_contacts(ipc_solver *s, const vector *x, ipc_contacts *contacts)
{
    double started = clock_seconds();
    toi_status status = ipc_find_contacts(s->scene, &s->options, view(s, x), contacts);
    s->report.seconds_close += clock_seconds() - started;
    return status;
}

// How far along the direction the line search begins: what the policy of solvers allows.
static toi_status find_longest_step(ipc_solver *s, double *step)
{
    const vector *x = (const vector *)s->bodies->position;
    for (int64_t i = 0; i < s->bodies->vertex_count; ++i)
        for (int k = 0; k < 3; ++k)
            s->end[i][k] = x[i][k] + s->direction[i][k];
    toi_ccd_def def = ipc_motion_check(s);
    def.zero_time = toi_solver_policy();
    def.zero_time.strict = true;
    toi_status status = find_time(s, &def, (const vector *)s->end, step);
    *step = fmin(*step, 1);
    return status;
}

// Positions are rounded: what is accepted is a motion that was itself asked about, from where the
// vertices are to where they will be.
static toi_status is_free(ipc_solver *s, bool *free)
{
    double time;
    toi_ccd_def def = ipc_motion_check(s);
    toi_status status = find_time(s, &def, (const vector *)s->trial, &time);
    *free = time > 1;
    s->report.refused += !*free;
    return status;
}

// Does the energy fall enough at this share of the direction, and is the way there free?
static toi_status try_step(ipc_solver *s, double step, double limit, bool *accepted)
{
    const vector *x = (const vector *)s->bodies->position;
    for (int64_t i = 0; i < s->bodies->vertex_count; ++i)
        for (int k = 0; k < 3; ++k)
            s->trial[i][k] = x[i][k] + step * (s->end[i][k] - x[i][k]);
    toi_status status = find_contacts(s, (const vector *)s->trial, &s->trial_contacts);
    *accepted = energy(s, (const vector *)s->trial, &s->trial_contacts) <= limit;
    return status == TOI_OK && *accepted ? is_free(s, accepted) : status;
}

static void accept_step(ipc_solver *s, double step)
{
    ipc_contacts contacts = s->contacts;
    memcpy(s->bodies->position, s->trial, (size_t)s->bodies->vertex_count * sizeof *s->trial);
    s->contacts = s->trial_contacts;
    s->trial_contacts = contacts;
    s->report.least_step = fmin(s->report.least_step, step);
    s->report.covered = 1 - (1 - s->report.covered) * (1 - step);
}

static toi_status search_line(ipc_solver *s)
{
    double now = energy(s, (const vector *)s->bodies->position, &s->contacts), step;
    double slope =
        dot_all((const vector *)s->gradient, (const vector *)s->direction, s->bodies->vertex_count);
    double rounding = 1e-13 * now;
    bool accepted = false;
    toi_status status = find_longest_step(s, &step);
    for (int i = 0; i < HALVINGS && status == TOI_OK; ++i, step /= 2) {
        status = try_step(s, step, now + 1e-4 * step * slope + rounding, &accepted);
        if (status == TOI_OK && accepted) {
            accept_step(s, step);
            return TOI_OK;
        }
    }
    return status != TOI_OK ? status
                            : toi_fail(TOI_ERROR_DATA, "the line search found no step at all");
}

// ---- Time steps

static double largest_component(const vector *of, int64_t count)
{
    double largest = 0;
    for (int64_t i = 0; i < count; ++i)
        for (int k = 0; k < 3; ++k)
            largest = fmax(largest, fabs(of[i][k]));
    return largest;
}

// Where pairs come very close the barrier is too weak, and its second derivatives soon so large
// that no other counts beside them: it is made twice as strong for the next step.
static toi_status strengthen_barrier(ipc_solver *s)
{
    if (!(s->contacts.least_gap < 1e-3 * s->options.separation))
        return TOI_OK;
    s->options.stiffness *= 2;
    return find_contacts(s, (const vector *)s->bodies->position, &s->contacts);
}

static void begin_step(ipc_solver *s)
{
    s->report = (ipc_step_report){.least_step = 1};
    for (int64_t i = 0; i < s->bodies->vertex_count; ++i)
        for (int k = 0; k < 3; ++k) {
            double fall = s->bodies->mass[i] > 0 && k == 2 ? GRAVITY * TIME_STEP : 0;
            s->inertial[i][k] = s->bodies->position[i][k] + TIME_STEP * (s->velocity[i][k] - fall);
        }
}

static toi_status descend(ipc_solver *s)
{
    toi_status status = TOI_OK;
    while (status == TOI_OK && s->report.iterations < NEWTON_STEPS) {
        make_gradient(s);
        find_direction(s);
        s->report.correction =
            largest_component((const vector *)s->direction, s->bodies->vertex_count) / TIME_STEP;
        if (s->report.iterations > 0 && s->report.correction < ACCURACY)
            break;
        status = search_line(s);
        ++s->report.iterations;
    }
    return status;
}

toi_status ipc_step(ipc_solver *s, ipc_step_report *report)
{
    double started = clock_seconds();
    size_t bytes = (size_t)s->bodies->vertex_count * sizeof(vector);
    vector *before = malloc(bytes);
    if (!before)
        return toi_fail(TOI_ERROR_MEMORY, "no room for positions");
    memcpy(before, s->bodies->position, bytes);
    begin_step(s);
    toi_status status = strengthen_barrier(s);
    if (status == TOI_OK)
        status = descend(s);
    for (int64_t i = 0; i < s->bodies->vertex_count; ++i)
        for (int k = 0; k < 3; ++k)
            s->velocity[i][k] = (s->bodies->position[i][k] - before[i][k]) / TIME_STEP;
    free(before);
    s->report.seconds_total = clock_seconds() - started;
    *report = s->report;
    return status;
}

// ---- Begin and end

static toi_status make_collision_scene(ipc_solver *s)
{
    const ipc_scene *bodies = s->bodies;
    toi_scene_def def = toi_default_scene_def();
    def.vertex_count = bodies->vertex_count;
    def.faces = (toi_index_view){bodies->faces[0], bodies->face_count, 0};
    def.loose_edges = (toi_index_view){bodies->rods[0], bodies->rod_count, 0};
    def.filter = (toi_filter){.groups = bodies->groups, .group_count = bodies->vertex_count};
    return toi_make_scene(&def, &s->scene);
}

static bool take_room(ipc_solver *s)
{
    vector **arrays[] = {&s->velocity,  &s->inertial, &s->end,    &s->trial, &s->gradient,
                         &s->direction, &s->residual, &s->search, &s->image};
    size_t count = (size_t)s->bodies->vertex_count;
    s->blocks = calloc(count, sizeof *s->blocks);
    s->lines = calloc((size_t)s->bodies->spring_count + 1, sizeof *s->lines);
    bool taken = s->blocks && s->lines;
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i)
        taken &= (*arrays[i] = calloc(count, sizeof **arrays[i])) != NULL;
    return taken;
}

toi_status ipc_make_solver(ipc_scene *scene, const ipc_options *options, ipc_solver **solver)
{
    ipc_solver *s = *solver = calloc(1, sizeof *s);
    if (!s)
        return toi_fail(TOI_ERROR_MEMORY, "no room for a solver");
    s->bodies = scene;
    s->options = *options;
    toi_status status = take_room(s) ? TOI_OK : toi_fail(TOI_ERROR_MEMORY, "no room for vectors");
    if (status == TOI_OK)
        status = make_collision_scene(s);
    if (status == TOI_OK)
        status = find_contacts(s, (const vector *)scene->position, &s->contacts);
    return status;
}

void ipc_free_solver(ipc_solver *s)
{
    if (!s)
        return;
    vector *arrays[] = {s->velocity,  s->inertial, s->end,    s->trial, s->gradient,
                        s->direction, s->residual, s->search, s->image};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i)
        free(arrays[i]);
    free(s->blocks);
    free(s->lines);
    ipc_free_contacts(&s->contacts);
    ipc_free_contacts(&s->trial_contacts);
    toi_free_scene(s->scene);
    free(s);
}
