# Builds for ARM on another machine: Debian's cross compiler, and libraries from an arm64 root, as tests/arm.sh makes it.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_FIND_ROOT_PATH $ENV{COURSE_ARM_ROOT})
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE BOTH)  # headers without code of a machine are this one's
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE BOTH)
set(COURSE_NATIVE -mcpu=neoverse-n1 CACHE STRING "")
