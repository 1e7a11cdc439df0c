# The program, and a package: find_package(sotto) gives sotto::core, sotto::report and sotto::audit.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/sotto)

install(TARGETS sotto_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
# Written beside the program when it is built (cli/CMakeLists.txt).
set(manual ${PROJECT_BINARY_DIR}/cli/manual)
install(DIRECTORY ${manual}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR} OPTIONAL)
install(FILES ${manual}/bash/sotto DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions OPTIONAL)
install(FILES ${manual}/zsh/_sotto DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions OPTIONAL)
install(FILES ${manual}/fish/sotto.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d OPTIONAL)
install(EXPORT sottoTargets NAMESPACE sotto:: DESTINATION ${package_dir})

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/sottoConfig.cmake.in
  ${PROJECT_BINARY_DIR}/sottoConfig.cmake INSTALL_DESTINATION ${package_dir})
# Before 1.0 a minor version may change anything.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/sottoConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/sottoConfig.cmake ${PROJECT_BINARY_DIR}/sottoConfigVersion.cmake
        ${CMAKE_CURRENT_LIST_DIR}/FindXxhash.cmake DESTINATION ${package_dir})
