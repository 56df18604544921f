// toi sdf ccd: the first contact of a moving mesh with a field.

#include "sdf.h"

#include "failure.h"
#include "field_text.h"
#include "options.h"
#include "output.h"
#include "progress.h"
#include "sdf_ccd_report.h"
#include "sdf_results.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// How a rigid body moves; its centre is where its coordinates say at t = 0.
typedef struct body_options
{
    double velocity[3];
    double spin[3];
    double centre[3];
} body_options;

typedef struct settings
{
    toi_sdf_def def;
    toi_contact_def contacts;
    common common;
    const char *field;
    const char *end;
    double duration;
    body_options mesh_body;
    body_options field_body;
    const char *contact_file;
} settings;

// A table of how a body moves, of a body_options.
#define BODY_OPTIONS(prefix, what)                                                                 \
    {                                                                                              \
        {.name = prefix "velocity",                                                                \
         .type = OPTION_VECTOR,                                                                    \
         .offset = offsetof(body_options, velocity),                                               \
         .argument = "x,y,z",                                                                      \
         .help = "of " what "'s centre, in lengths a second"},                                     \
            {.name = prefix "spin",                                                                \
             .type = OPTION_VECTOR,                                                                \
             .offset = offsetof(body_options, spin),                                               \
             .argument = "x,y,z",                                                                  \
             .help = "angular velocity of " what " about its centre, in radians a second"},        \
            {.name = prefix "centre",                                                              \
             .type = OPTION_VECTOR,                                                                \
             .offset = offsetof(body_options, centre),                                             \
             .argument = "x,y,z",                                                                  \
             .help = "what " what " turns about; the origin unless given"},                        \
        {                                                                                          \
            0                                                                                      \
        }                                                                                          \
    }

static const option mesh_options[] = BODY_OPTIONS("", "the mesh");
static const option field_options[] = BODY_OPTIONS("field-", "the field");

static const option question_options[] = {
    {.name = "field",
     .type = OPTION_TEXT,
     .offset = offsetof(settings, field),
     .argument = "FIELD",
     .help = "the solid, as above"},
    {.name = "end",
     .type = OPTION_TEXT,
     .offset = offsetof(settings, end),
     .argument = "MESH1",
     .help = "each vertex moves on a straight line to its place in this file"},
    {.name = "duration",
     .type = OPTION_NUMBER,
     .offset = offsetof(settings, duration),
     .argument = "T",
     .help = "of the motion, in seconds",
     .most = DBL_MAX,
     .range = "a number of at least 0"},
    {0}};

static const option solver_options[] = {
    {.name = "solver",
     .type = OPTION_CHOICE,
     .offset = offsetof(settings, def.solver),
     .argument = "S",
     .help = "certified, fwgss, fw, discrete or discrete-projected; only the first promises "
             "anything",
     .choice = sdf_solver_choice},
    {.name = "tolerance",
     .type = OPTION_NUMBER,
     .offset = offsetof(settings, def.tolerance),
     .argument = "T",
     .help = "certified: how far the two ends of the time may be apart, in seconds",
     .least = DBL_TRUE_MIN,
     .most = DBL_MAX,
     .range = "a number above 0"},
    {.name = "margin",
     .type = OPTION_NUMBER,
     .offset = offsetof(settings, def.margin),
     .argument = "D",
     .help = "contact is a value of the field of at most this; 0 unless given",
     .least = -DBL_MAX,
     .most = DBL_MAX,
     .range = "a number"},
    {.name = "touch",
     .type = OPTION_NUMBER,
     .offset = offsetof(settings, def.touch),
     .argument = "D",
     .help = "closer than this to contact counts as contact; 0, the default: what rounding needs",
     .most = DBL_MAX,
     .range = "a number of at least 0"},
    {.name = "budget",
     .type = OPTION_INT64,
     .offset = offsetof(settings, def.budget),
     .argument = "N",
     .help = "certified: the most nodes to look at; then the answer is undecided, with its t_low",
     .least = 1,
     .most = (double)(INT64_C(1) << 62),
     .range = "a whole number from 1 to 4611686018427387904"},
    {.name = "iterations",
     .type = OPTION_INT,
     .offset = offsetof(settings, def.iterations),
     .argument = "N",
     .help = "the others: steps a triangle",
     .least = 1,
     .most = INT32_MAX,
     .range = "a whole number from 1 to 2147483647"},
    {.name = "search-tolerance",
     .type = OPTION_NUMBER,
     .offset = offsetof(settings, def.search_tolerance),
     .argument = "T",
     .help = "fwgss: of a golden section search, as a share of its interval",
     .least = DBL_TRUE_MIN,
     .most = 1,
     .range = "a number above 0, at most 1"},
    {0}};

static const option contact_options[] = {
    {.name = "contacts",
     .type = OPTION_FILE,
     .offset = offsetof(settings, contact_file),
     .argument = "FILE.csv",
     .help = "write all contacts at t_high: triangle,u,v,x,y,z,nx,ny,nz,distance"},
    {.name = "contact-distance",
     .type = OPTION_NUMBER,
     .offset = offsetof(settings, contacts.distance),
     .argument = "D",
     .help = "a contact is a value of the field of at most this, above the margin",
     .most = DBL_MAX,
     .range = "a number of at least 0"},
    {0}};

// ---------------------------------------------------------------------------------------------
// Input

typedef struct input
{
    toi_mesh_file files[2]; // the second only with --end
    toi_field *field;
    toi_surface *surface;
} input;

static bool is_still(const body_options *body)
{
    bool still = true;
    for (int i = 0; i < 3; ++i)
        still = still && body->velocity[i] == 0 && body->spin[i] == 0 && body->centre[i] == 0;
    return still;
}

static toi_status check_arguments(const settings *s, const operand_list *operands)
{
    if (operands->count == 0)
        return toi_fail(TOI_ERROR_ARGUMENT, "a mesh file is needed, MESH");
    if (!s->field)
        return toi_fail(TOI_ERROR_ARGUMENT, "a field is needed, --field FIELD");
    if (s->end && !is_still(&s->mesh_body))
        return toi_fail(TOI_ERROR_ARGUMENT,
                        "give either --end or --velocity, --spin and --centre: with --end each "
                        "vertex has its own way");
    return check_output(s->contact_file);
}

static toi_point_view points_of(const toi_mesh_file *file)
{
    return toi_view_points((const double *)file->points, file->point_count);
}

static toi_status read_input(const settings *s, const char *path, int threads, input *in)
{
    toi_status status = parse_field(s->field, threads, &in->field);
    if (status != TOI_OK)
        return status;
    return s->end ? toi_read_frames(path, s->end, &in->files[0], &in->files[1])
                  : toi_read_mesh(path, &in->files[0]);
}

static void free_input(input *in)
{
    toi_free_surface(in->surface);
    toi_free_field(in->field);
    toi_free_mesh_file(&in->files[0]);
    toi_free_mesh_file(&in->files[1]);
}

static toi_rigid rigid_of(const body_options *body)
{
    toi_rigid rigid = toi_rest();
    memcpy(rigid.centre, body->centre, sizeof rigid.centre);
    memcpy(rigid.position, body->centre, sizeof rigid.position);
    memcpy(rigid.velocity, body->velocity, sizeof rigid.velocity);
    memcpy(rigid.spin, body->spin, sizeof rigid.spin);
    return rigid;
}

static toi_motion motion_of(const settings *s, const input *in)
{
    toi_motion motion = toi_default_motion();
    motion.duration = s->duration;
    motion.mesh = rigid_of(&s->mesh_body);
    motion.field = rigid_of(&s->field_body);
    if (s->end) {
        motion.start = points_of(&in->files[0]);
        motion.end = points_of(&in->files[1]);
    }
    return motion;
}

// ---------------------------------------------------------------------------------------------
// Finding

// How far a vertex is at time t from where it was at first.
static double vertex_travel(const settings *s, const input *in, int64_t vertex, double share,
                            const double matrix[9], const double position[3])
{
    const double *p = in->files[0].points[vertex];
    double sum = 0;
    for (int i = 0; i < 3; ++i) {
        double moved = s->end ? share * (in->files[1].points[vertex][i] - p[i])
                              : matrix[3 * i] * p[0] + matrix[3 * i + 1] * p[1] +
                                    matrix[3 * i + 2] * p[2] + position[i] - p[i];
        sum += moved * moved;
    }
    return sqrt(sum);
}

static void find_travel(const settings *s, const input *in, sdf_answer *a)
{
    double matrix[9], position[3], time = a->result.t_low;
    double share = a->motion.duration > 0 ? time / a->motion.duration : 0;
    toi_rigid_pose(&a->motion.mesh, time, matrix, position);
    a->farthest = -1;
    for (int64_t i = 0; i < in->files[0].point_count; ++i) {
        double travel = vertex_travel(s, in, i, share, matrix, position);
        if (a->farthest < 0 || travel > a->travel) {
            a->travel = travel;
            a->farthest = (int32_t)i;
        }
    }
}

static toi_status find_impact(const settings *s, input *in, sdf_answer *a)
{
    double begin = seconds_spent(a->threads);
    toi_status status = toi_make_surface(
        points_of(&in->files[0]),
        (toi_index_view){(const int32_t *)in->files[0].faces, in->files[0].face_count, 0},
        a->threads, &in->surface);
    a->prepare = seconds_spent(a->threads) - begin;
    for (int run = 0; run < s->common.repeat && status == TOI_OK; ++run) {
        begin = seconds_spent(a->threads);
        status = toi_find_field_impact(&a->def, in->surface, &a->motion, in->field, &a->result);
        double seconds = seconds_spent(a->threads) - begin;
        a->seconds = run == 0 || seconds < a->seconds ? seconds : a->seconds;
    }
    return status;
}

static toi_status find_contacts(const settings *s, const input *in, sdf_answer *a)
{
    if (!s->contact_file || a->result.state != TOI_SDF_HIT)
        return TOI_OK;
    toi_contact_def def = s->contacts;
    def.distance += fmax(a->def.margin, 0) + a->result.touch;
    def.workers = a->threads;
    return toi_find_field_contacts(&def, in->surface, &a->motion, a->result.t_high, in->field,
                                   &a->contacts);
}

static toi_status answer(const settings *s, const char *path, input *in, sdf_answer *a)
{
    a->vertices = in->files[0].point_count;
    a->faces = in->files[0].face_count;
    a->motion = motion_of(s, in);
    a->facts = toi_describe_field(in->field);
    toi_status status = find_impact(s, in, a);
    if (status != TOI_OK)
        return status;
    a->hash = hash_result(&a->result);
    a->mesh_name = path;
    find_travel(s, in, a);
    status = find_contacts(s, in, a);
    return status == TOI_OK ? write_contacts(s->contact_file, &a->contacts) : status;
}

static toi_status run(const settings *s, const operand_list *operands)
{
    input in = {.field = NULL};
    sdf_answer a = {.field_text = s->field,
                    .def = s->def,
                    .contact_file = s->contact_file,
                    .threads = apply_threads(&s->common)};
    a.def.workers = a.threads;
    toi_status status = check_arguments(s, operands);
    if (status == TOI_OK)
        status = apply_simd(&s->common);
    if (status == TOI_OK)
        status = read_input(s, operands->at[0], a.threads, &in);
    if (status == TOI_OK)
        status = answer(s, operands->at[0], &in, &a);
    if (status == TOI_OK && s->common.json)
        status = print_sdf_object(&a);
    else if (status == TOI_OK)
        print_sdf_summary(&a);
    toi_free_field_contacts(&a.contacts);
    free_input(&in);
    return status;
}

int run_sdf_ccd(int argc, char **argv)
{
    settings s = {.def = toi_default_sdf_def(),
                  .contacts = toi_default_contact_def(),
                  .common = default_common(),
                  .duration = 1};
    const option_group groups[] = {{"Question", question_options, &s},
                                   {"Motion of the mesh", mesh_options, &s.mesh_body},
                                   {"Motion of the field", field_options, &s.field_body},
                                   {"Search", solver_options, &s},
                                   {"Contacts", contact_options, &s},
                                   {"Common", repeat_options, &s.common},
                                   {0}};
    char about[1600];
    snprintf(about, sizeof about,
             "Finds when a moving mesh first touches a solid that is given as a distance\n"
             "field, where, and how sure that is: nothing touches before t_low, and at t_high\n"
             "a point is closer than the touch distance. The mesh moves rigidly or each vertex\n"
             "on its own line; the field may move too. The hash is XXH64 of the contact.\n\n%s",
             field_help);
    const command_line line = {
        .usage = "sdf ccd MESH --field FIELD [OPTION...]",
        .about = about,
        .examples = "sdf ccd star.ply --field torus:0.11,0.04 --velocity 0,0,-30 --spin 0,9,0\n"
                    "sdf ccd cloth0.ply --end cloth1.ply --field bunny.sdf --json",
        .groups = groups,
        .most_operands = 1};
    operand_list operands;
    int code = parse_command_line(&line, argc, argv, &operands);
    return code == GO_ON ? finish(run(&s, &operands)) : code;
}
