// A rope of three strands is twisted at its ends: first its strands wind tighter until they touch,
// then the whole rope gives way and coils up, until its turns touch. Between the strands run thin
// threads (loose edges), and dust (loose points) is carried along on its outside.
//
// Closed form but for sums along the rope: the axis of the rope is a curve of fixed length; strands
// are circles around helices about the axis. The unit is the radius of a strand.

#include "parts.h"
#include "recipe.h"
#include "wave.h"

static const double LONGEST = 84.0; // rope; scenes of few faces have a shorter one
static const double PLY = 1.2;      // from the rope's axis to the strands'
static const double TURNS = 0.18;   // of the strands per unit of length
static const double COILS = 0.059;  // of the rope per unit of length
static const double TWO_PI = 0x1.921fb54442d18p+2;

// A place on the axis of the rope, with two directions across that do not twist along it.
typedef struct station
{
    vec3 at;
    vec3 along;
    vec3 across;
    vec3 other;
} station;

// The rope at one time.
typedef struct rope
{
    double length;
    double turns;  // of the strands, over the whole rope
    double ply;    // distance of the strands from the axis
    double thread; // and of the threads
    double coil;   // radius of the coils
    int64_t count; // of stations
    station *stations;
} rope;

static void twist(rope *r, double time)
{
    double folded = scene_bounce(1.0, time);
    double wound = scene_ease(0.0, 1.0, 0.15 + 0.6 * folded) - scene_ease(0.0, 1.0, 0.15);
    r->turns = TURNS * r->length * wound;
    // The rope draws together evenly; how wide the coils are follows from its fixed length.
    double drawn = 1.0 - 0.68 * scene_ease(0.3, 1.0, folded);
    r->coil = sqrt(1.0 - drawn * drawn) / (TWO_PI * COILS);
    // Three straight strands touch at 2 / sqrt(3); steep helices, which lie side by side on a
    // cylinder, at 3 / pi times 1 / cosine of their angle. They give way, but not quite.
    double slope = TWO_PI * r->turns * PLY / r->length;
    double square = 1.0 + slope * slope;
    double touching = sqrt(square) * (0.955 + 0.2 / square);
    r->ply = 0.94 * touching > PLY ? 0.94 * touching : PLY;
    r->thread = r->ply * (1.35 - 0.7 * scene_ease(0.2, 0.8, folded));
}

// Where the axis is across, at a share of its length: the coils fade out towards the ends.
static vec3 coil_at(const rope *r, double share)
{
    double radius = r->coil * scene_ease(0.0, 0.22, share) * scene_ease(0.0, 0.22, 1.0 - share);
    wave around = scene_wave(COILS * r->length * (share - 0.5));
    return (vec3){0.0, radius * around.cos, radius * around.sin};
}

// Walks along the axis in steps of fixed length, so that coiling draws the ends together.
static void lay_axis(rope *r)
{
    double step = r->length / (double)(r->count - 1);
    double x = 0.0;
    for (int64_t i = 0; i < r->count; ++i) {
        vec3 at = coil_at(r, (double)i / (double)(r->count - 1));
        if (i > 0) {
            vec3 moved = sub3(at, r->stations[i - 1].at);
            double square = step * step - moved.y * moved.y - moved.z * moved.z;
            x += square > 0.01 * step * step ? sqrt(square) : 0.1 * step;
        }
        r->stations[i].at = (vec3){x, at.y, at.z};
    }
    for (int64_t i = 0; i < r->count; ++i)
        r->stations[i].at.x -= 0.5 * x;
}

// Directions along by differences, and across by carrying the first one on without twist.
static void frame_axis(rope *r)
{
    vec3 across = {0.0, 1.0, 0.0};
    for (int64_t i = 0; i < r->count; ++i) {
        station *s = &r->stations[i];
        int64_t next = i + 1 < r->count ? i + 1 : i;
        int64_t last = i > 0 ? i - 1 : 0;
        s->along = unit3(sub3(r->stations[next].at, r->stations[last].at));
        across = unit3(reject3(across, s->along));
        s->across = across;
        s->other = cross3(s->along, across);
    }
}

// The angle about the axis, in turns, of what is twisted along with the strands.
static double angle_at(const rope *r, int64_t ring, double offset)
{
    return r->turns * ((double)ring / (double)(r->count - 1) - 0.5) + offset;
}

// A place beside the axis.
static vec3 beside(const station *s, double angle, double distance)
{
    wave w = scene_wave(angle);
    return step3(step3(s->at, distance * w.cos, s->across), distance * w.sin, s->other);
}

static void pose_strand(const rope *r, int64_t sides, double offset, double (*points)[3])
{
    double slope = TWO_PI * r->turns * r->ply / r->length;
    for (int64_t ring = 0; ring < r->count; ++ring) {
        const station *s = &r->stations[ring];
        wave w = scene_wave(angle_at(r, ring, offset));
        vec3 out = step3(scale3(w.cos, s->across), w.sin, s->other);
        vec3 round = step3(scale3(-w.sin, s->across), w.cos, s->other);
        vec3 beam = cross3(unit3(step3(s->along, slope, round)), out);
        vec3 centre = step3(s->at, r->ply, out);
        for (int64_t i = 0; i < sides; ++i) {
            wave c = scene_wave((double)i / (double)sides);
            vec3 point = step3(step3(centre, c.cos, out), c.sin, beam);
            put3(points[ring * sides + i], point);
        }
    }
}

static void pose_thread(const rope *r, double offset, double (*points)[3])
{
    for (int64_t i = 0; i < r->count; ++i)
        put3(points[i], beside(&r->stations[i], angle_at(r, i, offset), r->thread));
}

// Dust sits anywhere on the rope and falls behind its turning.
static void pose_dust(const rope *r, toi_random random, double (*points)[3])
{
    for (int64_t i = 0; i < r->count; ++i) {
        int64_t ring = (int64_t)toi_random_below(&random, (uint64_t)r->count);
        double offset = toi_random_unit(&random);
        double height = toi_random_range(&random, 1.1, 1.45);
        double angle = 0.97 * angle_at(r, ring, 0.0) + offset;
        put3(points[i], beside(&r->stations[ring], angle, r->ply + height));
    }
}

static void fill_frames(const toi_animation_def *def, const scene_part *parts, rope *r,
                        toi_animation *scene)
{
    toi_random random = {def->seed};
    double offset = toi_random_unit(&random);
    int64_t strands = parts[0].copies;
    for (int frame = 0; frame < scene->frames; ++frame) {
        twist(r, frame_time(def, scene, frame));
        lay_axis(r);
        frame_axis(r);
        for (int64_t i = 0; i < strands; ++i) {
            double angle = offset + (double)i / (double)strands;
            pose_strand(r, parts[0].a, angle, part_points(scene, frame, &parts[0], i));
            angle += 0.5 / (double)strands;
            pose_thread(r, angle, part_points(scene, frame, &parts[1], i));
        }
        pose_dust(r, random, part_points(scene, frame, &parts[2], 0));
    }
}

toi_status make_rod_twist(const toi_animation_def *def, toi_animation *scene)
{
    double size = (double)def->size;
    // Edges along and around alike: a strand's circumference is 2 pi.
    int64_t sides = side_of(size / (6.0 * LONGEST / TWO_PI), def->size < 200 ? 3 : 6);
    int64_t rings = (int64_t)(size / (double)(6 * sides) + 0.5) + 1;
    rings = rings < 2 ? 2 : rings;
    double length = TWO_PI / (double)sides * (double)(rings - 1);
    rope r = {.length = length < LONGEST ? length : LONGEST, .count = rings};
    scene_part parts[] = {
        {.kind = PART_TUBE, .copies = 3, .a = sides, .b = rings},
        {.kind = PART_LINE, .copies = 3, .a = rings},
        {.kind = PART_DUST, .copies = 1, .a = rings},
    };
    toi_status status = lay_out_parts(def, side_of(1.2 * size, 24), parts, 3, scene);
    if (status != TOI_OK)
        return status;
    r.stations = scene_scratch(rings, sizeof *r.stations);
    if (r.stations)
        fill_frames(def, parts, &r, scene);
    status = r.stations ? TOI_OK : TOI_ERROR_MEMORY;
    toi_release(r.stations);
    return status;
}
