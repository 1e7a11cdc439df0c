# What every target is compiled and linked with so that an error of memory ends the program instead of serving whoever
# caused it. sotto_flags brings it to C++ targets of the project; the C sources of the extension take it by themselves.
# tools/check_hardening.py reads the result.
include(CheckCompilerFlag)
include(CheckCXXSourceCompiles)
include(CheckPIESupported)
option(SOTTO_HARDENING "Stack protector, FORTIFY, full RELRO, PIE, assertions of the standard library" ON)
add_library(sotto_hardening INTERFACE)
# Assertions help most where a sanitizer cannot see: inside containers. So every build has them. Kernels leave them out
# (core/CMakeLists.txt), except under sanitizers, where time does not matter.
if(SOTTO_HARDENING OR SOTTO_SANITIZE)
  target_compile_definitions(sotto_hardening INTERFACE _GLIBCXX_ASSERTIONS)
endif()
if(NOT SOTTO_HARDENING OR SOTTO_SANITIZE OR SOTTO_COVERAGE)
  return()  # FORTIFY hides calls from the address sanitizer, which finds more than all of this
endif()

# A target that brings sanitizers of its own says so by its property SOTTO_SANITIZED.
set(plain $<NOT:$<BOOL:$<TARGET_PROPERTY:SOTTO_SANITIZED>>>)
check_pie_supported()
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
foreach(flag -fstack-protector-strong -fstack-clash-protection -fcf-protection)  # the last one: x86 only
  string(MAKE_C_IDENTIFIER "SOTTO_HAS${flag}" found)
  check_compiler_flag(CXX ${flag} ${found})
  if(${found})
    target_compile_options(sotto_hardening INTERFACE ${flag})
  endif()
endforeach()

# Level 3 knows sizes that are known at run time only. It needs GCC 12 and glibc 2.34; level 2 is everywhere.
set(CMAKE_REQUIRED_FLAGS "-O2 -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3 -Werror")
check_cxx_source_compiles("
#include <cstdio>
#if !defined(__USE_FORTIFY_LEVEL) || __USE_FORTIFY_LEVEL < 3
#error not known here
#endif
int main() {}" SOTTO_HAS_FORTIFY_3)
unset(CMAKE_REQUIRED_FLAGS)
set(level $<IF:$<BOOL:${SOTTO_HAS_FORTIFY_3}>,3,2>)
# It works on optimised code only. A distribution's compiler may define another level itself.
target_compile_options(sotto_hardening INTERFACE
                       "$<$<AND:${plain},$<NOT:$<CONFIG:Debug>>>:-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=${level}>")
target_link_options(sotto_hardening INTERFACE -Wl,-z,relro,-z,now,-z,noexecstack)
