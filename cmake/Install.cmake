# The program, and a package: find_package(sotto) gives sotto::core, sotto::report and sotto::audit.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/sotto)

install(TARGETS sotto_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(EXPORT sottoTargets NAMESPACE sotto:: DESTINATION ${package_dir})

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/sottoConfig.cmake.in
  ${PROJECT_BINARY_DIR}/sottoConfig.cmake INSTALL_DESTINATION ${package_dir})
# Before 1.0 a minor version may change anything.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/sottoConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/sottoConfig.cmake ${PROJECT_BINARY_DIR}/sottoConfigVersion.cmake
        ${CMAKE_CURRENT_LIST_DIR}/FindXxhash.cmake DESTINATION ${package_dir})
