// Motions with long doubles; see motion_twin.h.

#include "motion_twin.h"

#include <math.h>
#include <string.h>

typedef long double number;

double random_in(toi_random *random, double low, double high)
{
    return toi_random_range(random, low, high);
}

void random_vector(toi_random *random, double size, double v[3])
{
    for (int k = 0; k < 3; ++k)
        v[k] = random_in(random, -size, size);
}

// ---- The motion itself, from its definition

static void cross(const number a[3], const number b[3], number c[3])
{
    for (int k = 0; k < 3; ++k)
        c[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

long double twin_length(const number a[3])
{
    return sqrtl(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
}

static void rotate_once(const double quaternion[4], const number p[3], number out[3])
{
    number q[4], n = 0, a[3], b[3];
    for (int k = 0; k < 4; ++k)
        n += (number)quaternion[k] * quaternion[k];
    for (int k = 0; k < 4; ++k)
        q[k] = quaternion[k] / sqrtl(n);
    cross(q + 1, p, a);
    for (int k = 0; k < 3; ++k)
        a[k] += q[0] * p[k];
    cross(q + 1, a, b);
    for (int k = 0; k < 3; ++k)
        out[k] = p[k] + 2 * b[k];
}

// R(spin t) p, or its inverse with sign = -1.
static void spin_by(const double spin[3], number t, int sign, const number p[3], number out[3])
{
    number w[3] = {spin[0], spin[1], spin[2]}, rate = twin_length(w), a[3], b[3];
    memcpy(out, p, 3 * sizeof *out);
    if (rate == 0)
        return;
    for (int k = 0; k < 3; ++k)
        w[k] /= rate;
    cross(w, p, a);
    cross(w, a, b);
    for (int k = 0; k < 3; ++k)
        out[k] = p[k] + sign * sinl(rate * t) * a[k] + (1 - cosl(rate * t)) * b[k];
}

void twin_rigid_path(const toi_rigid *r, const double p[3], number t, twin_path *out)
{
    number e[3], first[3], y[3], w[3];
    for (int k = 0; k < 3; ++k) {
        e[k] = (number)p[k] - r->centre[k];
        w[k] = r->spin[k];
    }
    rotate_once(r->rotation, e, first);
    spin_by(r->spin, t, 1, first, y);
    cross(w, y, out->v);
    cross(w, out->v, out->a);
    for (int k = 0; k < 3; ++k) {
        out->x[k] = r->position[k] + t * r->velocity[k] + y[k];
        out->v[k] += r->velocity[k];
    }
}

static void line_path(const double a[3], const double b[3], number duration, number t,
                      twin_path *out)
{
    for (int k = 0; k < 3; ++k) {
        out->v[k] = duration > 0 ? ((number)b[k] - a[k]) / duration : 0;
        out->x[k] = a[k] + t * out->v[k];
        out->a[k] = 0;
    }
}

// Into the frame of a field: x = centre + R^T (u - o), and derivatives.
void twin_in_field(const toi_rigid *f, number t, const twin_path *world, twin_path *out)
{
    number u[3], v[3], a[3], w[3], wu[3], wv[3], wwu[3], turned[3];
    double inverse[4] = {f->rotation[0], -f->rotation[1], -f->rotation[2], -f->rotation[3]};
    for (int k = 0; k < 3; ++k) {
        u[k] = world->x[k] - f->position[k] - t * f->velocity[k];
        v[k] = world->v[k] - f->velocity[k];
        w[k] = f->spin[k];
    }
    cross(w, u, wu);
    cross(w, v, wv);
    cross(w, wu, wwu);
    for (int k = 0; k < 3; ++k) {
        a[k] = world->a[k] - 2 * wv[k] + wwu[k];
        v[k] -= wu[k];
    }
    spin_by(f->spin, t, -1, u, turned);
    rotate_once(inverse, turned, out->x);
    spin_by(f->spin, t, -1, v, turned);
    rotate_once(inverse, turned, out->v);
    spin_by(f->spin, t, -1, a, turned);
    rotate_once(inverse, turned, out->a);
    for (int k = 0; k < 3; ++k)
        out->x[k] += f->centre[k];
}

// ---- Random motions

void twin_pose(void *context, double time, toi_pose *pose)
{
    const toi_rigid *r = context;
    toi_rigid_pose(r, time, pose->matrix, pose->position);
    double centre[3] = {0, 0, 0};
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k)
            centre[i] += pose->matrix[3 * i + k] * r->centre[k];
    for (int k = 0; k < 3; ++k) {
        int a = (k + 1) % 3, b = (k + 2) % 3;
        pose->spin[k] = r->spin[k];
        pose->velocity[k] = r->velocity[k] - (r->spin[a] * centre[b] - r->spin[b] * centre[a]);
    }
}

toi_rigid random_rigid(toi_random *random, double size, double offset, double turns, bool turned)
{
    toi_rigid r = toi_rest();
    random_vector(random, size, r.centre);
    random_vector(random, size + offset, r.position);
    random_vector(random, size, r.velocity);
    random_vector(random, 2 * 3.14159265 * turns, r.spin);
    for (int k = 0; turned && k < 4; ++k)
        r.rotation[k] = random_in(random, -3, 3);
    return r;
}

static double norm(const double a[3])
{
    return sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
}

// Bounds for the pose function from the body that it follows.
void use_twin_pose(twin_motion *s)
{
    const toi_rigid *r = &s->body;
    double w = norm(r->spin);
    s->motion.pose = twin_pose;
    s->motion.pose_context = &s->body;
    s->motion.speed[0] = (norm(r->velocity) + w * norm(r->centre)) * 1.000001;
    s->motion.speed[1] = w * 1.000001;
    s->motion.acceleration[0] = w * w * norm(r->centre) * 1.000001;
    s->motion.acceleration[1] = w * w * 1.000001;
}

void use_twin_lines(twin_motion *m)
{
    m->motion.start = toi_view_points(m->start[0], 3);
    m->motion.end = toi_view_points(m->end[0], 3);
    m->pace = 0;
    for (int i = 0; i < 3 && m->motion.duration > 0; ++i) {
        double e[3];
        for (int k = 0; k < 3; ++k)
            e[k] = m->end[i][k] - m->start[i][k];
        m->pace = fmax(m->pace, norm(e) / m->motion.duration * 1.000001);
    }
}

void random_motion(toi_random *random, int mesh, int field, double size, double offset,
                   double turns, twin_motion *s)
{
    *s = (twin_motion){.motion = toi_default_motion()};
    s->motion.duration = random_in(random, 0, 1) < 0.1 ? 0 : random_in(random, 0.1, 2);
    if (field >= TWIN_DRIFTS)
        s->motion.field = random_rigid(random, size, offset, field == TWIN_TURNS ? turns : 0,
                                       field == TWIN_TURNS);
    if (field == TWIN_PUT) {
        s->motion.field = random_rigid(random, size, offset, 0, true);
        memset(s->motion.field.velocity, 0, sizeof s->motion.field.velocity);
    }
    toi_rigid body = random_rigid(random, size, offset, turns, random_in(random, 0, 1) < 0.7);
    s->motion.mesh = s->body = body;
    for (int i = 0; i < 3; ++i) {
        random_vector(random, size + (mesh == TWIN_LINES ? offset : 0), s->start[i]);
        random_vector(random, size, s->end[i]);
        for (int k = 0; k < 3; ++k)
            s->end[i][k] += s->start[i][k];
    }
    if (mesh == TWIN_POSE)
        use_twin_pose(s);
    if (mesh == TWIN_LINES)
        use_twin_lines(s);
}

void twin_corner_path(const twin_motion *m, int corner, long double t, twin_path *path)
{
    if (m->motion.end.count > 0)
        line_path(m->start[corner], m->end[corner], m->motion.duration, t, path);
    else
        twin_rigid_path(&m->body, m->start[corner], t, path);
}
