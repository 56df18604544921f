// Names, counts and places of pairs of faces.

#include "overlap_text.h"

#include <stdio.h>

const char *overlap_method_choice(int index)
{
    return toi_overlap_method_name((toi_overlap_method)index);
}

const char *cell_hash_choice(int index)
{
    return toi_cell_hash_name((toi_cell_hash)index);
}

const char *overlap_class_choice(int index)
{
    return toi_overlap_class_name((toi_overlap_class)index);
}

void print_classes(const int64_t counts[TOI_OVERLAP_CLASS_COUNT])
{
    const char *comma = "";
    for (int i = 0; i < TOI_OVERLAP_CLASS_COUNT; ++i)
        if (counts[i] > 0) {
            printf("%s%s %s", comma, count_text(counts[i]).at, overlap_class_choice(i));
            comma = ", ";
        }
}

json_t *json_classes(const int64_t counts[TOI_OVERLAP_CLASS_COUNT])
{
    json_t *object = json_object();
    for (int i = 0; i < TOI_OVERLAP_CLASS_COUNT; ++i)
        json_object_set_new(object, overlap_class_choice(i), json_integer(counts[i]));
    return object;
}

json_t *json_point(const double point[3])
{
    return json_pack("[f, f, f]", point[0], point[1], point[2]);
}

toi_status place_overlap(const toi_mesh *mesh, int32_t a, int32_t b, double place[3])
{
    toi_overlap_figure figure;
    toi_status status = toi_find_overlap_figure(mesh, a, b, &figure);
    for (int k = 0; k < 3; ++k) {
        place[k] = 0;
        for (int i = 0; i < figure.count && status == TOI_OK; ++i)
            place[k] += figure.points[i][k] / figure.count; // no sum overflows
    }
    return status;
}
