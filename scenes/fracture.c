// A block falls on the floor on one corner and shatters. Its pieces are the Voronoi cells of random
// seeds: they fit together with thin cracks between them until the block breaks, then fly, tumble,
// and come to rest in a heap. The number of pieces is bounded; bigger scenes have finer ones.

#include "grains.h"
#include "recipe.h"
#include "wave.h"

enum
{
    STATES = 160, // of the simulation in all; frames lie between two of them
    STEPS_PER_STATE = 4,
    MOST_PIECES = 240,
    NEIGHBOURS = 32, // seeds that can share a face with one; more are not looked at
    WALLS = 6,
};

static const vec3 HALF = {0.5, 0.5, 0.75}; // of the block
static const double FLOOR = 1.9;           // half the side of the floor
static const double CRACK = 0.01;          // share of a piece that is cut away all around
static const double SECONDS = 1.0;

// One side of a piece: the points x about its seed with normal . x <= offset are inside.
typedef struct side
{
    vec3 normal;
    double offset;
} side;

typedef struct pieces
{
    grains now;
    grain *last;      // the state before
    double *width;    // mean radius of each piece
    int64_t state;    // number of the state in `now`
    double broken_at; // time of the break; 2 as long as the block is whole
    turn3 tilt;       // of the block
    vec3 *seeds;      // in the block, where it is upright
    vec3 *shapes;     // points about the seeds
} pieces;

static vec3 in_block(toi_random *random)
{
    double x = toi_random_range(random, -HALF.x, HALF.x);
    double y = toi_random_range(random, -HALF.y, HALF.y);
    double z = toi_random_range(random, -HALF.z, HALF.z);
    return (vec3){x, y, z};
}

// Of several random places the one farthest from all seeds so far (Mitchell's best candidate): no
// two pieces are much alike, yet none is tiny.
static vec3 choose_seed(const vec3 *seeds, int64_t count, toi_random *random)
{
    vec3 best = {0.0, 0.0, 0.0};
    double best_square = -1.0;
    for (int try = 0; try < 12; ++try) {
        vec3 place = in_block(random);
        double least = 100.0;
        for (int64_t i = 0; i < count; ++i) {
            vec3 apart = sub3(seeds[i], place);
            double square = dot3(apart, apart);
            least = square < least ? square : least;
        }
        if (least > best_square) {
            best_square = least;
            best = place;
        }
    }
    return best;
}

// Keeps the nearest NEIGHBOURS sides, sorted, by insertion.
static int insert_side(side *sides, int count, side new_side)
{
    int at = count < NEIGHBOURS ? count : NEIGHBOURS - 1;
    if (count == NEIGHBOURS && sides[at].offset <= new_side.offset)
        return count;
    for (; at > 0 && sides[at - 1].offset > new_side.offset; --at)
        sides[at] = sides[at - 1];
    sides[at] = new_side;
    return count < NEIGHBOURS ? count + 1 : count;
}

// The sides of a Voronoi cell: half-way to the other seeds, and the block's own six.
static int find_sides(const vec3 *seeds, int64_t count, int64_t piece, side *sides)
{
    int found = 0;
    vec3 seed = seeds[piece];
    for (int64_t i = 0; i < count; ++i) {
        vec3 apart = sub3(seeds[i], seed);
        double distance = length3(apart);
        if (i != piece && distance > 0.0)
            found =
                insert_side(sides, found, (side){scale3(1.0 / distance, apart), 0.5 * distance});
    }
    const side block[WALLS] = {
        {{1.0, 0.0, 0.0}, HALF.x - seed.x}, {{-1.0, 0.0, 0.0}, HALF.x + seed.x},
        {{0.0, 1.0, 0.0}, HALF.y - seed.y}, {{0.0, -1.0, 0.0}, HALF.y + seed.y},
        {{0.0, 0.0, 1.0}, HALF.z - seed.z}, {{0.0, 0.0, -1.0}, HALF.z + seed.z},
    };
    for (int i = 0; i < WALLS; ++i)
        sides[found++] = block[i];
    return found;
}

// How far the cell reaches from its seed in a direction.
static double reach(const side *sides, int count, vec3 direction)
{
    double least = 10.0;
    for (int i = 0; i < count; ++i) {
        double along = dot3(sides[i].normal, direction);
        if (along > 0.0 && sides[i].offset < least * along)
            least = sides[i].offset / along;
    }
    return least;
}

static void shape_pieces(pieces *p, const vec3 *ball, int64_t stride, toi_random *random)
{
    for (int64_t i = 0; i < p->now.count; ++i)
        p->seeds[i] = choose_seed(p->seeds, i, random);
    side sides[NEIGHBOURS + WALLS];
    for (int64_t i = 0; i < p->now.count; ++i) {
        int count = find_sides(p->seeds, p->now.count, i, sides);
        double sum = 0.0;
        for (int64_t k = 0; k < stride; ++k) {
            double far = (1.0 - CRACK) * reach(sides, count, ball[k]);
            p->shapes[i * stride + k] = scale3(far, ball[k]);
            sum += far;
        }
        p->width[i] = sum / (double)stride;
        p->now.data[i].radius = 0.5 * p->width[i];
    }
}

// Lifts the block, standing on a corner, so high that it takes a while to fall.
static void hang_block(pieces *p, toi_random *random)
{
    double lean = toi_random_range(random, 0.06, 0.1);
    double around = toi_random_unit(random);
    wave w = scene_wave(around);
    p->tilt = scene_turn((vec3){w.cos, w.sin, 0.0}, lean);
    for (int64_t i = 0; i < p->now.count; ++i) {
        grain *a = &p->now.data[i];
        a->at = add3(apply3(&p->tilt, p->seeds[i]), (vec3){0.0, 0.0, 1.35});
        a->pose = p->tilt;
        p->last[i] = *a;
    }
}

// The lowest corner of the block has come to the floor.
static bool hits_floor(const pieces *p)
{
    double low = 0.0;
    for (int corner = 0; corner < 8; ++corner) {
        vec3 at = {corner & 1 ? HALF.x : -HALF.x, corner & 2 ? HALF.y : -HALF.y,
                   corner & 4 ? HALF.z : -HALF.z};
        double z = apply3(&p->tilt, at).z;
        low = z < low ? z : low;
    }
    vec3 seed = apply3(&p->tilt, p->seeds[0]);
    return p->now.data[0].at.z - seed.z + low <= 0.0;
}

// Sends the pieces away from the point of impact, the nearer the faster, and makes them tumble.
static void shatter(pieces *p, double time, toi_random *random)
{
    p->broken_at = time;
    for (int64_t i = 0; i < p->now.count; ++i) {
        grain *a = &p->now.data[i];
        double height = a->at.z;
        vec3 away = unit3((vec3){a->at.x, a->at.y, 0.4 * height});
        double speed = SECONDS * toi_random_range(random, 0.7, 1.9) / (0.4 + height);
        a->speed = add3(scale3(0.6, a->speed), scale3(speed, away));
        double turns = SECONDS * toi_random_range(random, 0.1, 0.9);
        a->spin = scale3(turns, scene_direction(random));
    }
}

// The balls that stand in for the pieces start small, as the whole block must hold them, and grow.
static void grow(pieces *p, double time)
{
    double share = 0.5 + 0.45 * scene_ease(p->broken_at, p->broken_at + 0.3, time);
    for (int64_t i = 0; i < p->now.count; ++i)
        p->now.data[i].radius = share * p->width[i];
}

static void next_state(pieces *p, toi_random *random)
{
    static const double STEP = 1.0 / (STATES * STEPS_PER_STATE);
    for (int64_t i = 0; i < p->now.count; ++i)
        p->last[i] = p->now.data[i];
    for (int i = 0; i < STEPS_PER_STATE; ++i) {
        double time = (double)(p->state * STEPS_PER_STATE + i) * STEP;
        if (p->broken_at > 1.0 && hits_floor(p))
            shatter(p, time, random);
        grow(p, time);
        grains_step(&p->now, STEP, time >= p->broken_at);
    }
    p->state += 1;
}

// Between two poses; the mixed axes are made orthonormal again.
static turn3 mix_poses(const turn3 *a, const turn3 *b, double share)
{
    turn3 mix;
    mix.x = unit3(step3(a->x, share, sub3(b->x, a->x)));
    mix.y = unit3(reject3(step3(a->y, share, sub3(b->y, a->y)), mix.x));
    mix.z = cross3(mix.x, mix.y);
    return mix;
}

static void pose_pieces(const pieces *p, double share, const scene_part *part, int frame,
                        toi_animation *scene)
{
    for (int64_t i = 0; i < p->now.count; ++i) {
        const grain *a = &p->last[i];
        const grain *b = &p->now.data[i];
        vec3 at = step3(a->at, share, sub3(b->at, a->at));
        turn3 pose = mix_poses(&a->pose, &b->pose, share);
        double(*points)[3] = part_points(scene, frame, part, i);
        for (int64_t k = 0; k < part->stride; ++k)
            put3(points[k], add3(at, apply3(&pose, p->shapes[i * part->stride + k])));
    }
}

static void pose_floor(const scene_part *part, int frame, toi_animation *scene)
{
    double(*points)[3] = part_points(scene, frame, part, 0);
    for (int64_t i = 0; i < part->stride; ++i)
        put3(points[i], flat_point(i, part->a, 2.0 * FLOOR));
}

static void fill_frames(const toi_animation_def *def, pieces *p, const scene_part *parts,
                        toi_random *random, toi_animation *scene)
{
    for (int frame = 0; frame < scene->frames; ++frame) {
        double at = frame_time(def, scene, frame) * (double)STATES;
        while ((double)p->state < at)
            next_state(p, random);
        pose_pieces(p, at - (double)(p->state - 1), &parts[0], frame, scene);
        pose_floor(&parts[1], frame, scene);
    }
}

static void destroy_pieces(pieces *p)
{
    grains_destroy(&p->now);
    toi_release(p->last);
    toi_release(p->width);
    toi_release(p->seeds);
    toi_release(p->shapes);
}

static toi_status create_pieces(pieces *p, int64_t count, int64_t stride)
{
    vec3 low = {-FLOOR, -FLOOR, 0.0};
    vec3 high = {FLOOR, FLOOR, 4.0};
    // Cells must hold the largest ball; no piece is wider than the block.
    double cell = count < 30 ? 1.2 : 0.45;
    *p = (pieces){.broken_at = 2.0};
    toi_status status = grains_create(&p->now, count, low, high, cell);
    if (status != TOI_OK)
        return status;
    p->now.gravity = 9.81 * SECONDS * SECONDS;
    p->now.restitution = 0.3;
    p->now.friction = 0.04;
    p->last = scene_scratch(count, sizeof *p->last);
    p->width = scene_scratch(count, sizeof *p->width);
    p->seeds = scene_scratch(count, sizeof *p->seeds);
    p->shapes = scene_scratch(count * stride, sizeof *p->shapes);
    if (p->last && p->width && p->seeds && p->shapes)
        return TOI_OK;
    destroy_pieces(p);
    return TOI_ERROR_MEMORY;
}

static toi_status break_block(const toi_animation_def *def, const scene_part *parts,
                              toi_animation *scene)
{
    pieces p;
    toi_status status = create_pieces(&p, parts[0].copies, parts[0].stride);
    if (status != TOI_OK)
        return status;
    vec3 *ball = scene_scratch(parts[0].stride, sizeof *ball);
    if (ball) {
        toi_random random = {def->seed};
        unit_ball(parts[0].a, ball);
        shape_pieces(&p, ball, parts[0].stride, &random);
        hang_block(&p, &random);
        fill_frames(def, &p, parts, &random, scene);
    }
    status = ball ? TOI_OK : TOI_ERROR_MEMORY;
    toi_release(ball);
    destroy_pieces(&p);
    return status;
}

toi_status make_fracture(const toi_animation_def *def, toi_animation *scene)
{
    double solid = 0.8 * (double)def->size;
    double wanted = solid / 128.0 < MOST_PIECES ? solid / 128.0 : MOST_PIECES;
    int64_t rings = side_of(solid / (8.0 * (wanted < 8.0 ? 8.0 : wanted)), 1);
    int64_t count = (int64_t)(solid / (double)(8 * rings * rings) + 0.5);
    int64_t points = side_of(0.2 * (double)def->size / 2.0, 1) + 1;
    scene_part parts[] = {
        {.kind = PART_BALL, .copies = count < 2 ? 2 : count, .a = rings},
        {.kind = PART_GRID, .copies = 1, .a = points, .b = points},
    };
    toi_status status = lay_out_parts(def, side_of(0.36 * (double)def->size, 30), parts, 2, scene);
    return status == TOI_OK ? break_block(def, parts, scene) : status;
}
