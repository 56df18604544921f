// The checks of test_apart_filters.c for the stages in double precision.

#define TOI_TEST_DOUBLE
#include "test_apart_filters.c"
