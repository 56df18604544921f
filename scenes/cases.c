// The list of cases: describes each, makes its mesh and its exact images.

#include "cases.h"

#include "cases_parts.h"

#include <stdio.h>
#include <string.h>

static const case_list *const LISTS[] = {&CASES_ERLEBEN, &CASES_SURFACES, &CASES_INSTANTS,
                                         &CASES_PLACES, &CASES_EXTREMES};

static const char *const VARIANTS[CASE_VARIANT_COUNT] = {
    [CASE_PLAIN] = "",        [CASE_SMALL] = "small",       [CASE_LARGE] = "large",
    [CASE_OFFSET] = "offset", [CASE_TURNED] = "turned",     [CASE_HUGE] = "huge",
    [CASE_TINY] = "tiny",     [CASE_DENORMAL] = "denormal",
};

// A case is a family and one of its variants.
typedef struct case_choice
{
    const case_family *family; // NULL: there is no such case
    case_variant variant;
} case_choice;

// The case of an index; `count` receives how many cases were passed until it was found.
static case_choice choose(int index, int *count)
{
    *count = 0;
    for (int list = 0; list < LENGTH_OF(LISTS); ++list)
        for (int i = 0; i < LISTS[list]->count; ++i) {
            const case_family *family = &LISTS[list]->families[i];
            for (int variant = 0; variant < CASE_VARIANT_COUNT; ++variant)
                if (family->variants & CASE_BIT(variant) && (*count)++ == index)
                    return (case_choice){family, (case_variant)variant};
        }
    return (case_choice){NULL, CASE_PLAIN};
}

int toi_case_count(void)
{
    int count;
    choose(-1, &count);
    return count;
}

toi_case toi_describe_case(int index)
{
    int count;
    case_choice choice = choose(index, &count);
    toi_case described = {.family = choice.family->name,
                          .variant = VARIANTS[choice.variant],
                          .about = choice.family->about};
    snprintf(described.name, sizeof described.name, "%s%s%s", described.family,
             *described.variant ? "-" : "", described.variant);
    memcpy(described.first, choice.family->first, sizeof described.first);
    memcpy(described.hits, choice.family->hits, sizeof described.hits);
    return described;
}

// ---- Exact images

// Five times the turn by the smaller angle of the 3-4-5 triangle about z, then the same about x.
static void turn_point(double point[3])
{
    double x = 4 * point[0] - 3 * point[1], y = 3 * point[0] + 4 * point[1], z = 5 * point[2];
    point[0] = 5 * x;
    point[1] = 4 * y - 3 * z;
    point[2] = 3 * y + 4 * z;
}

static void change_point(case_variant variant, double point[3])
{
    static const double scales[CASE_VARIANT_COUNT] = {
        [CASE_PLAIN] = 1,       [CASE_SMALL] = 0x1p-20,     [CASE_LARGE] = 0x1p20,
        [CASE_OFFSET] = 1,      [CASE_TURNED] = 1,          [CASE_HUGE] = 0x1p498,
        [CASE_TINY] = 0x1p-498, [CASE_DENORMAL] = 0x1p-1060};
    static const double offset[3] = {1e6, -1e6, 1e6};
    if (variant == CASE_TURNED)
        turn_point(point);
    for (int k = 0; k < 3; ++k)
        point[k] = point[k] * scales[variant] + (variant == CASE_OFFSET ? offset[k] : 0);
}

// ---- The scene

static void *copy_rows(const void *rows, int count, size_t size)
{
    void *copy = toi_allocate((size_t)count * size);
    if (copy)
        memcpy(copy, rows, (size_t)count * size);
    return copy;
}

static toi_status copy_mesh(const case_mesh *mesh, toi_animation *scene)
{
    size_t frame = (size_t)mesh->points * sizeof *scene->points;
    *scene = (toi_animation){.frames = 2,
                             .length = 1,
                             .point_count = mesh->points,
                             .face_count = mesh->faces,
                             .edge_count = mesh->edges};
    scene->points = toi_allocate(2 * frame);
    scene->faces = copy_rows(mesh->face, mesh->faces, sizeof *mesh->face);
    scene->edges = copy_rows(mesh->edge, mesh->edges, sizeof *mesh->edge);
    scene->groups = toi_allocate((size_t)mesh->points * sizeof *scene->groups);
    if (!scene->points || !scene->faces || !scene->edges || !scene->groups) {
        toi_free_animation(scene);
        return TOI_ERROR_MEMORY;
    }
    memcpy(scene->points, mesh->start, frame);
    memcpy(scene->points + mesh->points, mesh->end, frame);
    for (int i = 0; i < mesh->points; ++i)
        scene->groups[i] = -1; // everything may collide with everything
    return TOI_OK;
}

toi_status toi_make_case(int index, toi_animation *scene)
{
    *scene = (toi_animation){0};
    int count;
    case_choice choice = choose(index, &count);
    if (!choice.family)
        return toi_fail(TOI_ERROR_ARGUMENT, "there are %d cases, and no number %d", count, index);
    case_mesh *mesh = toi_allocate(sizeof *mesh);
    if (!mesh)
        return TOI_ERROR_MEMORY;
    memset(mesh, 0, sizeof *mesh);
    choice.family->make(mesh, choice.family->nudge);
    for (int i = 0; i < mesh->points; ++i) {
        change_point(choice.variant, mesh->start[i]);
        change_point(choice.variant, mesh->end[i]);
    }
    toi_status status = copy_mesh(mesh, scene);
    toi_release(mesh);
    return status;
}
