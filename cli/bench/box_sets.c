// Makes sets of boxes that are easy, or hard, for one broad phase or another.

#include "box_sets.h"

#include "toi/random.h"

#include <math.h>
#include <string.h>

// Two boxes overlap on an axis when their centres are no farther apart than the mean of their
// lengths. If these are d, and the centres uniform in [0, 1], that has the probability 1 - (1 -
// d)^2. Lengths are drawn for each axis around d, which hardly changes it.
static double small_length(int64_t count, int axes)
{
    double overlap = pow(fmin(1, (double)BOX_SET_PARTNERS / (double)count), 1.0 / axes);
    return 1 - sqrt(1 - overlap);
}

static void fill_uniform(toi_random *random, int64_t count, double length, toi_box *boxes)
{
    for (int64_t i = 0; i < count; ++i)
        for (int k = 0; k < 3; ++k) {
            double centre = toi_random_unit(random);
            double half = 0.5 * length * toi_random_range(random, 0.5, 1.5);
            boxes[i].lo[k] = centre - half;
            boxes[i].hi[k] = centre + half;
        }
}

static void make_uniform(toi_random *random, int64_t count, toi_box *boxes)
{
    fill_uniform(random, count, small_length(count, 3), boxes);
}

// 0.1 is no float: methods that compare floats get no answer on this axis without the doubles.
static void make_flat(toi_random *random, int64_t count, toi_box *boxes)
{
    fill_uniform(random, count, small_length(count, 2), boxes);
    for (int64_t i = 0; i < count; ++i)
        boxes[i].lo[2] = boxes[i].hi[2] = 0.1;
}

// Cells that are cut from the bounds of all boxes hold everything in one.
static void make_outliers(toi_random *random, int64_t count, toi_box *boxes)
{
    const int64_t outliers = count < 8 ? count : 8;
    const double far = 1e6;
    fill_uniform(random, count, small_length(count, 3), boxes);
    for (int64_t n = 0; n < outliers; ++n) {
        toi_box *box = &boxes[count / outliers * n];
        for (int k = 0; k < 3; ++k) {
            double shift = toi_random_range(random, -far, far);
            box->lo[k] += shift;
            box->hi[k] += shift;
        }
    }
}

// A giant stands in many cells, and its interval on an axis holds a tenth of all boxes.
static void make_giants(toi_random *random, int64_t count, toi_box *boxes)
{
    const int64_t one_in = 200;
    const double length = 0.1;
    fill_uniform(random, count, small_length(count, 3), boxes);
    for (int64_t i = 0; i < count; i += one_in)
        fill_uniform(random, 1, length, &boxes[i]);
}

static const struct
{
    const char *name;
    const char *about;
    void (*make)(toi_random *random, int64_t count, toi_box *boxes);
} sets[] = {
    {"uniform", "small boxes anywhere in a cube", make_uniform},
    {"flat", "small boxes in the plane z = 0.1", make_flat},
    {"outliers", "uniform, but for eight boxes up to a million times as far away", make_outliers},
    {"giants", "uniform, but every 200th is as long as a tenth of the scene", make_giants},
};

enum
{
    SET_COUNT = sizeof sets / sizeof *sets
};

const char *box_set_name(int set)
{
    return set >= 0 && set < SET_COUNT ? sets[set].name : NULL;
}

const char *box_set_about(int set)
{
    return set >= 0 && set < SET_COUNT ? sets[set].about : NULL;
}

int find_box_set(const char *name)
{
    for (int i = 0; i < SET_COUNT; ++i)
        if (strcmp(sets[i].name, name) == 0)
            return i;
    return -1;
}

void make_box_set(int set, uint64_t seed, int64_t count, toi_box *boxes)
{
    toi_random random = {seed};
    sets[set].make(&random, count, boxes);
}
