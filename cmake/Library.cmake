# sotto_library(<name> [<library of the project>...]): the library sotto::<name> from the sources below sotto/ of the current
# folder, linked to the named ones, installed with its headers. Every library of the project is made here.
function(sotto_library name)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/sotto/*.cpp)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/sotto/*.h)
  add_library(sotto_${name} STATIC ${sources})
  add_library(sotto::${name} ALIAS sotto_${name})
  set_target_properties(sotto_${name} PROPERTIES EXPORT_NAME ${name} POSITION_INDEPENDENT_CODE ON)
  target_compile_features(sotto_${name} PUBLIC cxx_std_20)
  target_sources(sotto_${name} PUBLIC FILE_SET HEADERS BASE_DIRS ${CMAKE_CURRENT_SOURCE_DIR} FILES ${headers})
  list(TRANSFORM ARGN PREPEND sotto::)
  target_link_libraries(sotto_${name} PUBLIC ${ARGN} PRIVATE $<BUILD_INTERFACE:sotto_flags> fmt::fmt
                        nlohmann_json::nlohmann_json $<BUILD_INTERFACE:Boost::headers>)
  if(NOT SKBUILD)
    install(TARGETS sotto_${name} EXPORT sottoTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
            FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  endif()
endfunction()
