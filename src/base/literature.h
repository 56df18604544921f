// Methods of the literature, which a build may leave out (TOI_LITERATURE in CMakeLists.txt).

#ifndef TOI_BASE_LITERATURE_H
#define TOI_BASE_LITERATURE_H

#include "toi/base.h"

// A function of such a method, for a table of methods; NULL where it is left out.
#ifdef TOI_NO_LITERATURE
#define TOI_LITERATURE(function) NULL
#else
#define TOI_LITERATURE(function) function
#endif

// `phase` is "broad" or "narrow", `other` a method that is in every build.
static inline toi_status toi_fail_left_out(const char *phase, const char *name, const char *other)
{
    return toi_fail(TOI_ERROR_UNSUPPORTED,
                    "the %s phase '%s' is not in this build; use '%s', or build the library with "
                    "TOI_LITERATURE=ON",
                    phase, name, other);
}

#endif
