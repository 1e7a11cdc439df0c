# Arguments: build, work, consumer, version, generator, compiler.
set(prefix ${work}/prefix)
file(REMOVE_RECURSE ${work})

function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()

run(${CMAKE_COMMAND} --install ${build} --prefix ${prefix})
run(${CMAKE_COMMAND} -S ${consumer} -B ${work}/build -G ${generator} -D CMAKE_CXX_COMPILER=${compiler}
    -D CMAKE_PREFIX_PATH=${prefix} -D CMAKE_BUILD_TYPE=Debug -D sotto_version=${version})
run(${CMAKE_COMMAND} --build ${work}/build)
run(${work}/build/consumer ${version})
if(NOT EXISTS ${prefix}/bin/sotto)
  message(FATAL_ERROR "install: the program is not in ${prefix}/bin")
endif()
foreach(page share/man/man1/sotto.1 share/man/man1/sotto-data-pack.1 share/bash-completion/completions/sotto
        share/zsh/site-functions/_sotto share/fish/vendor_completions.d/sotto.fish)
  if(NOT EXISTS ${prefix}/${page})
    message(FATAL_ERROR "install: there is no ${page}")
  endif()
endforeach()

# The installed files must not lead back to the tree they were built from.
file(GLOB_RECURSE package_files ${prefix}/lib/*.cmake)
foreach(package_file IN LISTS package_files)
  file(READ ${package_file} text)
  string(FIND "${text}" "${build}" position)
  if(NOT position EQUAL -1)
    message(FATAL_ERROR "install: ${package_file} names the build directory")
  endif()
endforeach()
