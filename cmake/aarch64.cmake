# Builds for ARM on another machine, and runs the tests under qemu-user: Debian's g++-aarch64-linux-gnu and qemu-user.
# COURSE_ARM_ROOT names an arm64 root with libraries (tests/arm.sh makes it); without one, no MPI, hwloc or emulator.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(arm_root $ENV{COURSE_ARM_ROOT})
if(NOT arm_root)
  set(arm_root /usr/aarch64-linux-gnu)
  set(CMAKE_DISABLE_FIND_PACKAGE_MPI ON)
endif()
set(CMAKE_FIND_ROOT_PATH ${arm_root})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE BOTH)  # headers without code of a machine are this one's
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE BOTH)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -L ${arm_root})
set(fmt_DIR ${CMAKE_CURRENT_LIST_DIR}/arm)  # its headers alone
set(COURSE_NATIVE -mcpu=neoverse-n1 CACHE STRING "")
