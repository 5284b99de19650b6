# Compiles with the clang of `pip install ziglang`, which brings the headers and stubs of every libc it knows:
# the wheel then runs on Linux systems far older than the one it is made on. See the README beside this file.
#   ZIG_TARGET  what to compile for, such as x86_64-linux-gnu.2.28 (the oldest glibc that will do)

if(NOT DEFINED ZIG_TARGET)
  set(ZIG_TARGET "$ENV{ZIG_TARGET}")
endif()
if(NOT ZIG_TARGET)
  set(ZIG_TARGET "x86_64-linux-gnu.2.28")
endif()
if(NOT ZIG)
  find_package(Python COMPONENTS Interpreter QUIET)
  execute_process(
    COMMAND "${Python_EXECUTABLE}" -c "import pathlib, ziglang; print(pathlib.Path(ziglang.__file__).with_name('zig'))"
    OUTPUT_STRIP_TRAILING_WHITESPACE OUTPUT_VARIABLE ZIG COMMAND_ERROR_IS_FATAL ANY)
endif()
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES ZIG ZIG_TARGET)

set(CMAKE_CXX_COMPILER "${ZIG}" c++ -target ${ZIG_TARGET})
# Unlike other compilers, zig takes precompiled headers for sources.
set(CMAKE_DISABLE_PRECOMPILE_HEADERS ON)
