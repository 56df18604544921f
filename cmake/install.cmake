# What `make install` puts in place: headers, both libraries, find_package and pkg-config files, the program.
include(CMakePackageConfigHelpers)

# What must be built before it, and nothing else: no tests.
add_custom_target(toi_installed DEPENDS toi toi_static toi_io toi_io_static $<TARGET_NAME_IF_EXISTS:toi_cli>
    $<TARGET_NAME_IF_EXISTS:toi_cuda>)

install(TARGETS toi toi_static toi_io toi_io_static EXPORT toi_targets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/toi DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(FILES ${CMAKE_BINARY_DIR}/include/toi/version.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/toi)
if(TARGET toi_cuda) # nobody links it
    get_target_property(toi_cuda_library toi_cuda toi_library)
    install(FILES ${toi_cuda_library} DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
if(TARGET toi_cli)
    install(TARGETS toi_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/toi)
install(EXPORT toi_targets NAMESPACE toi:: DESTINATION ${package_dir})
configure_package_config_file(cmake/toi-config.cmake.in ${CMAKE_BINARY_DIR}/toi-config.cmake
    INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/toi-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/toi-config.cmake ${CMAKE_BINARY_DIR}/toi-config-version.cmake cmake/FindGMP.cmake
    DESTINATION ${package_dir})

# What a program that links the static libraries needs beside them.
set(toi_pc_private "-pthread -lgmp -lm -ldl")
cmake_path(GET GMP_LIBRARY PARENT_PATH gmp_dir)
if(NOT gmp_dir IN_LIST CMAKE_C_IMPLICIT_LINK_DIRECTORIES)
    string(PREPEND toi_pc_private "-L${gmp_dir} ")
endif()
if(TOI_OPENMP)
    string(PREPEND toi_pc_private "${OpenMP_C_FLAGS} ")
endif()

# Relative to the file itself, so that `cmake --install --prefix` and moving the tree both work.
file(RELATIVE_PATH toi_prefix_from_pc /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
foreach(name toi toi_io)
    configure_file(cmake/${name}.pc.in ${CMAKE_BINARY_DIR}/${name}.pc @ONLY)
    install(FILES ${CMAKE_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()
