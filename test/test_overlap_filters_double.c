// The checks of test_overlap_filters.c for the stage in double precision.

#define TOI_TEST_DOUBLE
#include "test_overlap_filters.c"
