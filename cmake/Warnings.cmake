# One interface target holds the flags every target of this project is compiled with.
add_library(sotto_flags INTERFACE)
target_compile_features(sotto_flags INTERFACE cxx_std_20)
target_link_libraries(sotto_flags INTERFACE sotto_hardening)
# No contraction and no relaxed arithmetic: the bits of a sum must not depend on the CPU level.
target_compile_options(sotto_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
                       -Wnon-virtual-dtor -Werror -ffp-contract=off -fno-fast-math
                       # GCC 12 takes "text" + std::string() for overlapping copies at -O3 (its bug 105651).
                       $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-restrict>)
if(SOTTO_SANITIZE)
  target_compile_options(sotto_flags INTERFACE -fsanitize=${SOTTO_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(sotto_flags INTERFACE -fsanitize=${SOTTO_SANITIZE})
endif()
if(SOTTO_COVERAGE)
  target_compile_options(sotto_flags INTERFACE --coverage -fprofile-abs-path -fprofile-update=atomic)
  target_link_options(sotto_flags INTERFACE --coverage)
endif()
