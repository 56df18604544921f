// Simulates many rigid bodies that bounce off each other.

#include "grains.h"

#include "wave.h"

static int64_t cells_along(double length, double cell)
{
    int64_t count = (int64_t)(length / cell);
    return count < 1 ? 1 : count;
}

toi_status grains_create(grains *g, int64_t count, vec3 low, vec3 high, double cell)
{
    *g = (grains){.count = count, .low = low, .high = high, .cell = cell, .restitution = 1.0};
    vec3 size = sub3(high, low);
    g->cells[0] = cells_along(size.x, cell);
    g->cells[1] = cells_along(size.y, cell);
    g->cells[2] = cells_along(size.z, cell);
    g->data = scene_scratch(count, sizeof *g->data);
    g->order = scene_scratch(count, sizeof *g->order);
    g->first = scene_scratch(g->cells[0] * g->cells[1] * g->cells[2] + 1, sizeof *g->first);
    if (g->data && g->order && g->first)
        return TOI_OK;
    grains_destroy(g);
    return TOI_ERROR_MEMORY;
}

void grains_destroy(grains *g)
{
    toi_release(g->data);
    toi_release(g->order);
    toi_release(g->first);
    *g = (grains){0};
}

static int64_t cell_along(double x, double low, double high, int64_t count)
{
    double share = (x - low) / (high - low);
    int64_t cell = (int64_t)(share * (double)count);
    if (share <= 0.0)
        return 0;
    return cell < count ? cell : count - 1;
}

static int64_t cell_of(const grains *g, vec3 at)
{
    int64_t x = cell_along(at.x, g->low.x, g->high.x, g->cells[0]);
    int64_t y = cell_along(at.y, g->low.y, g->high.y, g->cells[1]);
    int64_t z = cell_along(at.z, g->low.z, g->high.z, g->cells[2]);
    return (z * g->cells[1] + y) * g->cells[0] + x;
}

// Lists the grains cell by cell (a counting sort, so in a fixed order).
static void sort_into_cells(grains *g)
{
    int64_t cells = g->cells[0] * g->cells[1] * g->cells[2];
    for (int64_t i = 0; i <= cells; ++i)
        g->first[i] = 0;
    for (int64_t i = 0; i < g->count; ++i)
        g->first[cell_of(g, g->data[i].at)] += 1;
    int32_t sum = 0;
    for (int64_t i = 0; i <= cells; ++i) {
        sum += g->first[i];
        g->first[i] = sum; // the end of the cell, which filling moves back to its start
    }
    for (int64_t i = g->count - 1; i >= 0; --i)
        g->order[--g->first[cell_of(g, g->data[i].at)]] = (int32_t)i;
}

// Two balls that overlap are moved apart, and bounce if they approach; mass goes with volume.
static void bounce_pair(grain *a, grain *b, double restitution)
{
    vec3 apart = sub3(b->at, a->at);
    double reach = a->radius + b->radius;
    double square = dot3(apart, apart);
    if (square >= reach * reach || square == 0.0)
        return;
    double distance = sqrt(square);
    vec3 normal = scale3(1.0 / distance, apart);
    double mass_a = a->radius * a->radius * a->radius;
    double mass_b = b->radius * b->radius * b->radius;
    double share_a = mass_b / (mass_a + mass_b);
    double share_b = mass_a / (mass_a + mass_b);
    double move = 0.4 * (reach - distance);
    a->at = step3(a->at, -share_a * move, normal);
    b->at = step3(b->at, share_b * move, normal);
    double approach = dot3(sub3(a->speed, b->speed), normal);
    if (approach > 0.0) {
        a->speed = step3(a->speed, -(1.0 + restitution) * share_a * approach, normal);
        b->speed = step3(b->speed, (1.0 + restitution) * share_b * approach, normal);
    }
}

// All pairs of one grain with the later ones of a cell.
static void bounce_in_cell(grains *g, int32_t index, int64_t cell)
{
    for (int32_t k = g->first[cell]; k < g->first[cell + 1]; ++k)
        if (g->order[k] > index)
            bounce_pair(&g->data[index], &g->data[g->order[k]], g->restitution);
}

static void bounce_neighbours(grains *g, int32_t index)
{
    int64_t cell = cell_of(g, g->data[index].at);
    int64_t x = cell % g->cells[0];
    int64_t y = cell / g->cells[0] % g->cells[1];
    int64_t z = cell / g->cells[0] / g->cells[1];
    for (int64_t k = z > 0 ? z - 1 : 0; k <= z + 1 && k < g->cells[2]; ++k)
        for (int64_t j = y > 0 ? y - 1 : 0; j <= y + 1 && j < g->cells[1]; ++j)
            for (int64_t i = x > 0 ? x - 1 : 0; i <= x + 1 && i < g->cells[0]; ++i)
                bounce_in_cell(g, index, (k * g->cells[1] + j) * g->cells[0] + i);
}

static void bounce_axis(double *at, double *speed, double low, double high, double restitution)
{
    if (*at < low) {
        *at = low;
        *speed = *speed < 0.0 ? -restitution * *speed : *speed;
    } else if (*at > high) {
        *at = high;
        *speed = *speed > 0.0 ? -restitution * *speed : *speed;
    }
}

// On the floor a grain slides less and less, and begins to roll.
static void rub_floor(const grains *g, grain *a)
{
    double keep = 1.0 - g->friction;
    a->speed.x *= keep;
    a->speed.y *= keep;
    vec3 rolling = {-a->speed.y, a->speed.x, 0.0};
    double turns = 0.159 / a->radius; // 1 / (2 pi r)
    a->spin = add3(scale3(0.8, a->spin), scale3(0.2 * turns, rolling));
}

static void bounce_walls(const grains *g, grain *a)
{
    double r = a->radius;
    if (g->friction > 0.0 && a->at.z < g->low.z + r)
        rub_floor(g, a);
    bounce_axis(&a->at.x, &a->speed.x, g->low.x + r, g->high.x - r, g->restitution);
    bounce_axis(&a->at.y, &a->speed.y, g->low.y + r, g->high.y - r, g->restitution);
    bounce_axis(&a->at.z, &a->speed.z, g->low.z + r, g->high.z - r, g->restitution);
}

static void move_freely(const grains *g, grain *a, double step)
{
    a->speed.z -= g->gravity * step;
    a->at = step3(a->at, step, a->speed);
    double turns = length3(a->spin);
    if (turns == 0.0)
        return;
    turn3 turn = scene_turn(scale3(1.0 / turns, a->spin), turns * step);
    vec3 x = apply3(&turn, a->pose.x);
    vec3 y = apply3(&turn, a->pose.y);
    a->pose.x = unit3(x); // made orthonormal again, so that rounding does not add up
    a->pose.y = unit3(reject3(y, a->pose.x));
    a->pose.z = cross3(a->pose.x, a->pose.y);
}

void grains_step(grains *g, double step, bool bounce)
{
    for (int64_t i = 0; i < g->count; ++i)
        move_freely(g, &g->data[i], step);
    if (bounce) {
        sort_into_cells(g);
        for (int64_t i = 0; i < g->count; ++i)
            bounce_neighbours(g, (int32_t)i);
    }
    for (int64_t i = 0; i < g->count; ++i)
        bounce_walls(g, &g->data[i]);
}
