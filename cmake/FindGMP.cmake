# Finds GMP, header and library, and makes the target GMP::GMP. Installed beside toi-config.cmake too, since the
# static libraries need GMP where they are linked. GMP_INCLUDE_DIR and GMP_LIBRARY say where it is.
find_path(GMP_INCLUDE_DIR gmp.h)
find_library(GMP_LIBRARY gmp)
mark_as_advanced(GMP_INCLUDE_DIR GMP_LIBRARY)

set(GMP_missing "")
if(NOT GMP_INCLUDE_DIR)
    list(APPEND GMP_missing "its header gmp.h")
endif()
if(NOT GMP_LIBRARY)
    list(APPEND GMP_missing "its library libgmp")
endif()
list(JOIN GMP_missing " and " GMP_missing)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(GMP REQUIRED_VARS GMP_LIBRARY GMP_INCLUDE_DIR REASON_FAILURE_MESSAGE
    "GMP: ${GMP_missing} is missing. On Debian: apt-get install libgmp-dev. Elsewhere give its prefix: \
-DCMAKE_PREFIX_PATH=...")

if(GMP_FOUND AND NOT TARGET GMP::GMP)
    add_library(GMP::GMP UNKNOWN IMPORTED)
    set_target_properties(GMP::GMP PROPERTIES IMPORTED_LOCATION "${GMP_LIBRARY}"
        INTERFACE_INCLUDE_DIRECTORIES "${GMP_INCLUDE_DIR}")
endif()
