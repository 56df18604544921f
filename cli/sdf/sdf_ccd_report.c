// Prints the first contact of a mesh with a field, for people and as JSON.

#include "sdf_ccd_report.h"

#include "json.h"
#include "text.h"

#include <math.h>
#include <stdio.h>

// ---------------------------------------------------------------------------------------------
// JSON

static json_t *number_or_null(bool known, double number)
{
    return known && isfinite(number) ? json_real(number) : json_null();
}

static json_t *hex_or_null(bool known, double number)
{
    return known && isfinite(number) ? json_string(time_hex(number).at) : json_null();
}

static json_t *vector_or_null(bool known, const double v[3])
{
    return known ? json_pack("[f,f,f]", v[0], v[1], v[2]) : json_null();
}

static int set_contact(json_t *object, const toi_sdf_result *r)
{
    bool hit = r->state == TOI_SDF_HIT;
    return json_object_set_new(object, "t_high", number_or_null(hit, r->t_high)) |
           json_object_set_new(object, "t_high_hex", hex_or_null(hit, r->t_high)) |
           json_object_set_new(object, "triangle", hit ? json_integer(r->triangle) : json_null()) |
           json_object_set_new(object, "u", number_or_null(hit, r->u)) |
           json_object_set_new(object, "v", number_or_null(hit, r->v)) |
           json_object_set_new(object, "point", vector_or_null(hit, r->point)) |
           json_object_set_new(object, "normal", vector_or_null(hit, r->normal)) |
           json_object_set_new(object, "distance", number_or_null(hit, r->distance));
}

// Adds the members of another object, in their order.
static bool join_objects(json_t *object, json_t *more)
{
    bool joined = object && more && json_object_update(object, more) == 0;
    json_decref(more);
    return joined;
}

toi_status print_sdf_object(const sdf_answer *a)
{
    const toi_sdf_result *r = &a->result;
    json_t *object = json_pack("{s:I, s:I, s:o, s:s, s:s, s:i, s:f, s:f, s:f, s:s, s:f, s:o}",
                               "vertices", (json_int_t)a->vertices, "faces", (json_int_t)a->faces,
                               "field", json_text(a->field_text), "kind", a->facts.kind, "solver",
                               toi_sdf_solver_name(a->def.solver), "threads", a->threads,
                               "duration", a->motion.duration, "tolerance", a->def.tolerance,
                               "margin", a->def.margin, "state", toi_sdf_state_name(r->state),
                               "t_low", r->t_low, "t_low_hex", hex_or_null(true, r->t_low));
    json_t *cost =
        json_pack("{s:f, s:f, s:o, s:I, s:I, s:f, s:f, s:o}", "touch", r->touch, "error",
                  a->facts.error, "travel", number_or_null(true, a->travel), "nodes",
                  (json_int_t)r->nodes, "evaluations", (json_int_t)r->evaluations,
                  "seconds_prepare", a->prepare, "seconds", a->seconds, "hash", json_hash(a->hash));
    bool whole = object && set_contact(object, r) == 0;
    whole = join_objects(object, cost) && whole;
    if (whole && a->contact_file)
        whole = json_object_set_new(object, "contacts", json_integer(a->contacts.count)) == 0;
    if (!whole)
        json_decref(object);
    return print_json(whole ? object : NULL);
}

// ---------------------------------------------------------------------------------------------
// Text

static bool is_certified(const sdf_answer *a)
{
    return a->def.solver == TOI_SDF_CERTIFIED;
}

static void print_time(const sdf_answer *a)
{
    const toi_sdf_result *r = &a->result;
    if (r->state == TOI_SDF_FREE)
        printf("free    no contact up to %.17g%s\n", a->motion.duration,
               is_certified(a) ? ", certainly" : "");
    else if (r->state == TOI_SDF_UNDECIDED)
        printf("undecided\n        no contact before %.17g, certainly; then the budget of %s nodes "
               "was used up\n",
               r->t_low, count_text(a->def.budget).at);
    else if (is_certified(a))
        printf("hit     between %.17g and %.17g (%.2g apart%s)\n", r->t_low, r->t_high,
               r->t_high - r->t_low,
               r->t_high - r->t_low > a->def.tolerance ? ": the budget was used up" : "");
    else
        printf("hit     at %.17g, without a certificate\n", r->t_high);
}

static void print_contact(const toi_sdf_result *r)
{
    printf("where   triangle %d at u %.6g, v %.6g: point %.9g, %.9g, %.9g\n", r->triangle, r->u,
           r->v, r->point[0], r->point[1], r->point[2]);
    printf("normal  %.9g, %.9g, %.9g\n", r->normal[0], r->normal[1], r->normal[2]);
    printf("depth   the field is %.3g there; closer than %.3g counts as contact\n", r->distance,
           r->touch);
}

static void print_travel(const sdf_answer *a)
{
    if (a->farthest >= 0 && is_certified(a))
        printf("safe    up to %.9g; no vertex has moved more than %.9g then (vertex %d)\n",
               a->result.t_low, a->travel, a->farthest);
}

void print_sdf_summary(const sdf_answer *a)
{
    const toi_sdf_result *r = &a->result;
    printf("%s on %s\n", a->mesh_name, a->field_text);
    printf("mesh    %s vertices, %s faces\n", count_text(a->vertices).at, count_text(a->faces).at);
    printf("field   %s", a->facts.kind);
    if (a->facts.error > 0)
        printf(", within %.3g of the baked mesh's own distance", a->facts.error);
    printf("\n");
    printf("method  %s, %d thread%s\n", toi_sdf_solver_name(a->def.solver), a->threads,
           a->threads == 1 ? "" : "s");
    print_time(a);
    if (r->state == TOI_SDF_HIT)
        print_contact(r);
    print_travel(a);
    printf("work    %s nodes, %s values of the field\n", count_text(r->nodes).at,
           count_text(r->evaluations).at);
    printf("time    prepare %s, search %s\n", seconds_text(a->prepare).at,
           seconds_text(a->seconds).at);
    printf("hash    %s\n", hash_text(a->hash).at);
    if (a->contact_file)
        printf("file    %s, %s contact%s\n", a->contact_file, count_text(a->contacts.count).at,
               a->contacts.count == 1 ? "" : "s");
}

// ---------------------------------------------------------------------------------------------
// Contacts

toi_status write_contacts(const char *path, const toi_field_contact_array *contacts)
{
    toi_output output;
    toi_status status = path ? toi_open_output(path, &output) : TOI_OK;
    if (status != TOI_OK || !path)
        return status;
    fputs("triangle,u,v,x,y,z,nx,ny,nz,distance\n", output.file);
    for (int64_t i = 0; i < contacts->count; ++i) {
        const toi_field_contact *c = &contacts->data[i];
        fprintf(output.file, "%d,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g\n",
                c->triangle, c->u, c->v, c->point[0], c->point[1], c->point[2], c->normal[0],
                c->normal[1], c->normal[2], c->distance);
    }
    return toi_close_output(&output);
}
