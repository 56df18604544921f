// What a sample says about boxes: how large and how far apart they are.

#ifndef TOI_BROAD_BOX_SCALE_H
#define TOI_BROAD_BOX_SCALE_H

#include "broad/broad.h"

enum
{
    TOI_SCALE_SAMPLES = 1024
};

// A few far or enormous boxes change none of it.
typedef struct toi_box_scale
{
    double origin[3];                   // the median of the lower bounds
    double width[3];                    // of the middle seven eighths of the lower bounds
    int count;                          // of the sample
    float points[TOI_SCALE_SAMPLES][3]; // its lower bounds, finite
    float extents[TOI_SCALE_SAMPLES][3];
    // Room for the functions below: stacks may be small.
    float sorted[TOI_SCALE_SAMPLES];
    uint64_t keys[TOI_SCALE_SAMPLES];
} toi_box_scale;

// Give the scale back; NULL after failure.
toi_status toi_measure_boxes(const toi_broad_job *job, toi_box_scale **scale);

// The mean of the boxes' largest extents, without those along `axis` if that is not negative. Boxes
// without extent do not count, nor do those much larger than the median.
toi_status toi_ordinary_extent(const toi_broad_job *job, toi_box_scale *scale, int axis,
                               double *extent);

// The least size to cut space into that makes sense in float.
double toi_least_cell(const toi_box_scale *scale);

// Doubles a size, `least` or the least that makes sense, as long as the mean box finds no more than
// `occupancy` in its cell, itself included. Cells are cubes, or columns along `axis` if that is not
// negative. The number is taken from the sample, where boxes are, so that neither empty space nor
// clusters mislead it.
toi_status toi_grow_cell(const toi_broad_job *job, toi_box_scale *scale, int axis, double least,
                         double occupancy, double *size);

#endif
