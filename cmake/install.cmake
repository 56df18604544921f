# What `make install` puts in place: headers, both libraries, find_package and pkg-config files, the program.
include(CMakePackageConfigHelpers)

install(TARGETS toi toi_static toi_io toi_io_static EXPORT toi_targets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/toi DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(FILES ${CMAKE_BINARY_DIR}/include/toi/version.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/toi)
if(TARGET toi_cli)
    install(TARGETS toi_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/toi)
install(EXPORT toi_targets NAMESPACE toi:: DESTINATION ${package_dir})
configure_package_config_file(cmake/toi-config.cmake.in ${CMAKE_BINARY_DIR}/toi-config.cmake
    INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/toi-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/toi-config.cmake ${CMAKE_BINARY_DIR}/toi-config-version.cmake
    DESTINATION ${package_dir})

# Relative to the file itself, so that `cmake --install --prefix` and moving the tree both work.
file(RELATIVE_PATH toi_prefix_from_pc /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
foreach(name toi toi_io)
    configure_file(cmake/${name}.pc.in ${CMAKE_BINARY_DIR}/${name}.pc @ONLY)
    install(FILES ${CMAKE_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()
