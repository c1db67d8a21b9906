# course_step(NAME [SOURCES main.cpp gemm.cpp …] [LEVELS O0 … native] [LIBRARIES …] [THREADS] [TILES])
#   builds build/NAME/NAME, one more program NAME-LEVEL for native and, with COURSE_EVERYTHING, for each other level, registers the
#   tests every step has, and writes the program into build/programs.txt, which `make try` and the tests on emulated processors read.
#
# A level changes the flags of gemm*.cpp alone, the kernels' translation unit. main.cpp and common are compiled plainly
# in every program, and nothing is *linked* with -Ofast: linking so would switch on flush-to-zero for the whole process,
# and a template shared between objects of different flags would be kept once, whichever the linker met first. That is
# why a gemm.cpp holds nothing but uniquely named kernels; the test `objects` looks at the symbols.

# Every kernel's loops start at a cache line: where the linker happens to put a short loop, across a line or inside one,
# otherwise decides up to 1.6x of its speed, and a change in another file moves it (notes of 02).
set(course_kernel_flags -falign-loops=64)

# What a kernel knows: its own step's files, and of all others common/view.hpp alone.
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/kernel_headers/common)
file(CREATE_LINK ${CMAKE_SOURCE_DIR}/common/view.hpp ${CMAKE_BINARY_DIR}/kernel_headers/common/view.hpp SYMBOLIC)
add_library(course_kernel_headers INTERFACE)
target_include_directories(course_kernel_headers INTERFACE ${CMAKE_BINARY_DIR}/kernel_headers)

# What is round the kernels need not be fast, and to make it so takes most of a build's time.
set(course_glue_flags $<$<CONFIG:Release>:-O1> $<$<CONFIG:Sanitize>:-O0>)

# The flags a record shows: what the compiler got, less what changes no code.
string(TOUPPER "${CMAKE_BUILD_TYPE}" course_build)
set(course_plain_flags "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${course_build}}")
string(REGEX REPLACE "-D[^ ]+|-g[0-9]*( |$)|-fno-omit-frame-pointer" "" course_plain_flags "${course_plain_flags}")
string(REGEX REPLACE " +" " " course_plain_flags "${course_plain_flags} ${course_kernel_flags}")
string(STRIP "${course_plain_flags}" course_plain_flags)

# PREFIX_sets: the instruction sets that flags switch on here, by the names __builtin_cpu_supports knows: a program asks the
# processor for them before it runs, so that one carried to an older machine is skipped instead of dying. PREFIX_vector: the
# widest registers that the compiler then uses: it may have 512 bits and prefer 256.
file(WRITE ${CMAKE_BINARY_DIR}/width.cpp "void f(float* a, float* b, long n) { for (long i = 0; i < n; ++i) a[i] += b[i]; }")
set(course_every_vector sse2)  # what every such processor has
set(course_native_option -march=native)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
  set(course_every_vector neon)
  set(course_native_option -mcpu=native)
  set(COURSE_ARM ON)
endif()
function(course_sets prefix)
  set(compiler ${CMAKE_CXX_COMPILER} ${CMAKE_CXX_COMPILER_ARG1} ${ARGN})
  execute_process(COMMAND ${compiler} -dM -E -x c++ /dev/null OUTPUT_VARIABLE macros ERROR_QUIET)
  execute_process(COMMAND ${compiler} -O3 -S -o - ${CMAKE_BINARY_DIR}/width.cpp OUTPUT_VARIABLE assembly ERROR_QUIET)
  set(sets "")
  foreach(set avx avx2 fma bmi bmi2 avx512f avx512dq avx512bw avx512vl)
    string(TOUPPER ${set} macro)
    if(macros MATCHES "#define __${macro}__ 1")
      list(APPEND sets ${set})
    endif()
  endforeach()
  string(REPLACE ";" "," sets "${sets}")
  set(vector ${course_every_vector})
  if(assembly MATCHES "%zmm")
    set(vector avx512)
  elseif(assembly MATCHES "%ymm")
    set(vector avx2)
  endif()
  set(${prefix}_sets "${sets}" PARENT_SCOPE)
  set(${prefix}_vector ${vector} PARENT_SCOPE)
endfunction()
# What the level `native` adds. A toolchain file for another machine names that one.
set(COURSE_NATIVE ${course_native_option} CACHE STRING "The compiler's option for the processor that programs of the level native are for")
separate_arguments(course_given_flags UNIX_COMMAND "${CMAKE_CXX_FLAGS}")
course_sets(course_plain ${course_given_flags})
course_sets(course_native ${course_given_flags} ${COURSE_NATIVE})

file(WRITE ${CMAKE_BINARY_DIR}/programs.txt "")

function(course_program program)
  cmake_parse_arguments(ARG "" "LEVEL" "SOURCES;LIBRARIES" ${ARGN})
  set(kernels ${ARG_SOURCES})
  list(FILTER kernels INCLUDE REGEX "^gemm")
  list(REMOVE_ITEM ARG_SOURCES ${kernels})
  add_library(${program}-kernels OBJECT ${kernels})
  add_executable(${program} ${ARG_SOURCES} $<TARGET_OBJECTS:${program}-kernels>)
  set(flags "${course_plain_flags}")
  set(sets "${course_plain_sets}")
  set(vector ${course_plain_vector})
  if(ARG_LEVEL STREQUAL native)
    set(options ${COURSE_NATIVE})
    string(APPEND flags " ${COURSE_NATIVE}")
    set(sets "${course_native_sets}")
    set(vector ${course_native_vector})
    target_compile_definitions(${program} PRIVATE COURSE_NATIVE)
  elseif(ARG_LEVEL STREQUAL avx2)
    set(options -mavx2 -mfma)
    string(APPEND flags " -mavx2 -mfma")
    set(sets avx2,fma)
    set(vector avx2)
  elseif(ARG_LEVEL)
    set(options -${ARG_LEVEL})
    string(REGEX REPLACE "-O[0-3a-z]* ?" "" flags "${flags}")
    set(flags "-${ARG_LEVEL} ${flags}")
  endif()
  target_compile_options(${program} PRIVATE ${course_glue_flags})
  target_compile_options(${program}-kernels PRIVATE ${course_kernel_flags} ${options})
  target_compile_definitions(${program} PRIVATE COURSE_IS_LEVEL=$<BOOL:${ARG_LEVEL}> COURSE_PROGRAM="${program}" COURSE_FLAGS="${flags}"
                                                COURSE_INSTRUCTION_SETS="${sets}" COURSE_VECTOR="${vector}")
  target_link_libraries(${program}-kernels PRIVATE course_kernel_headers ${ARG_LIBRARIES})
  target_link_libraries(${program} PRIVATE runner ${ARG_LIBRARIES})
endfunction()

# For make test STEP=…: what a step's tests start.
file(GLOB course_steps RELATIVE ${CMAKE_SOURCE_DIR} [0-9][0-9]_*/CMakeLists.txt)
list(TRANSFORM course_steps REPLACE /.* "")
foreach(step ${course_steps})
  add_custom_target(test_${step})
endforeach()

# One test that calls the program; 77 is shown as Skipped. Labels are the room's name and, where the sanitizers leave the
# test out, `mechanism` (it counts what the compiler emitted) or `house`; `gcc` if it holds of gcc's code alone, `x86` if it
# reads that instruction set's code.
function(course_test name labels)
  if("gcc" IN_LIST labels AND NOT CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    set(ARGN sh -c "echo 'it reads what gcc emits' && exit 77")
  endif()
  if("x86" IN_LIST labels AND COURSE_ARM)
    set(ARGN sh -c "echo 'it reads instructions of x86' && exit 77")
  endif()
  list(TRANSFORM ARGN REPLACE "^[$]<TARGET_FILE:(.*)>$" "\\1" AT 0)  # a target is started by qemu, if need be
  if("${ARGN}" MATCHES "^[^;]*[.]sh(;|$)")  # a copy without executable bits is tested, too
    list(PREPEND ARGN bash)
  endif()
  add_test(NAME ${name} COMMAND ${ARGN})
  set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77 LABELS "${labels}" TIMEOUT 300)
  string(REGEX MATCHALL "TARGET_(FILE|OBJECTS):[^>,]*" targets "${ARGN}")
  list(TRANSFORM targets REPLACE ".*:" "")
  foreach(label IN LISTS labels)
    foreach(target IN LISTS targets ARGN)
      if(TARGET test_${label} AND TARGET ${target})
        add_dependencies(test_${label} ${target})
      endif()
    endforeach()
  endforeach()
  # Several tests share the cores: who spins at a barrier keeps others from it. And what a script starts may need qemu.
  set(environment OMP_WAIT_POLICY=set:passive OBJDUMP=set:${CMAKE_OBJDUMP} NM=set:${CMAKE_NM} QEMU_LD_PREFIX=set:${arm_root})
  if(labels MATCHES "cuda|emulator")
    list(APPEND environment OMP_NUM_THREADS=set:2)
  endif()
  set_tests_properties(${name} PROPERTIES ENVIRONMENT_MODIFICATION "${environment}")
endfunction()

# Python's tests; the Python that CMake found need not be the one that Debian's packages are for.
set(course_pytest sh -c "echo 'no pytest, jinja2 and numpy here; sh setup.sh test installs them' && exit 77")
set(course_numpy ${Python3_EXECUTABLE})
foreach(candidate /usr/bin/python3 ${Python3_EXECUTABLE})
  execute_process(COMMAND ${candidate} -c "import jinja2, numpy, pytest" RESULT_VARIABLE lacking OUTPUT_QUIET ERROR_QUIET)
  if(lacking STREQUAL 0)
    set(course_numpy ${candidate})
    set(course_pytest ${candidate} -B -m pytest -q -p no:cacheprovider)
  endif()
endforeach()

# Tests that use a GPU run one after the other: one of them takes nearly all of its memory.
function(course_uses_gpu)
  set_tests_properties(${ARGN} PROPERTIES RESOURCE_LOCK gpu)
endfunction()

# course_tests(PROGRAM LABEL [SHAPES 40] [RIGHT options …] [WRONG options …] [FEW])
#   The tests every program has: random shapes, in padded rows with guard bands; each of its broken kernels is found wrong, with
#   options of its own; and, unless they are FEW, exact products and the traps among shapes.
function(course_tests program label)
  cmake_parse_arguments(ARG "FEW" "SHAPES" "RIGHT;WRONG" ${ARGN})
  set(check $<TARGET_FILE:${program}> --repeat 1 --warmup 0 --verify full)
  if(NOT ARG_SHAPES)
    set(ARG_SHAPES 40)
  endif()
  course_random_shapes(random ${ARG_SHAPES} 987654)
  course_random_shapes(other ${ARG_SHAPES} 7)
  course_test(${program}.random ${label} ${check} ${ARG_RIGHT} --shape ${random} --pad 3)
  course_test(${program}.broken ${label} ${check} ${ARG_WRONG} --expect-wrong --pad 2)
  if(NOT ARG_FEW)
    course_test(${program}.digits ${label} ${check} ${ARG_RIGHT} --shape ${other} --fill digits --seed 7)
    course_test(${program}.edges ${label} ${check} ${ARG_RIGHT} --pad 1 --shape
      1x1x1,0x5x3,5x0x3,5x3x0,0x0x0,1x64x64,64x1x64,64x64x1,1x1x97,97x1x1,1x97x1,31x37x41,33x1x100,101x103x107,300x5x700)
  endif()
endfunction()

# What is beyond the end of a row is the next one's first element, on rows without gaps: once for a kind of memory.
function(course_too_far program)
  course_test(${program}.too_far ${program} $<TARGET_FILE:${program}> --repeat 1 --warmup 0 --verify full --expect-wrong --pad 0
    --variant one_column_too_far,one_row_too_far --shape 33x33x33,17x40x23)
endfunction()

function(course_random_shapes result count seed)
  get_property(shapes GLOBAL PROPERTY course_shapes_${count}_${seed})
  if(NOT shapes)  # some thirty tests ask for the same few
    execute_process(COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_SOURCE_DIR}/tests/shapes.py ${count} ${seed} OUTPUT_VARIABLE shapes COMMAND_ERROR_IS_FATAL ANY)
    set_property(GLOBAL PROPERTY course_shapes_${count}_${seed} "${shapes}")
  endif()
  set(${result} ${shapes} PARENT_SCOPE)
endfunction()

function(course_step name)
  cmake_parse_arguments(ARG "THREADS;TILES" "" "SOURCES;LEVELS;LIBRARIES" ${ARGN})
  set(tests RIGHT WRONG --shape 33x33x33,17x40x23)
  if(ARG_THREADS)  # more than there are cores and than there are rows
    set(tests RIGHT --threads 1,3 WRONG --threads 2,5 --shape 33x33x33,17x40x23 SHAPES 20)
  endif()
  if(ARG_TILES)  # smaller than the shapes, so that there are edges
    list(TRANSFORM tests APPEND ";--tile;5,16" REGEX "^(RIGHT|WRONG)$")
  endif()
  course_program(${name} SOURCES ${ARG_SOURCES} LIBRARIES ${ARG_LIBRARIES})
  add_dependencies(course_programs ${name})
  file(APPEND ${CMAKE_BINARY_DIR}/programs.txt "${name} ${name}/${name}\n")
  course_tests(${name} ${name} ${tests})
  if(CMAKE_CXX_FLAGS MATCHES fsanitize)  # of which nobody asks how fast they are
    return()
  elseif(NOT COURSE_EVERYTHING)
    list(FILTER ARG_LEVELS INCLUDE REGEX native)
  endif()
  foreach(level ${ARG_LEVELS})
    course_program(${name}-${level} LEVEL ${level} SOURCES ${ARG_SOURCES} LIBRARIES ${ARG_LIBRARIES})
    add_dependencies(course_programs ${name}-${level})
    if(level STREQUAL native)
      file(APPEND ${CMAKE_BINARY_DIR}/programs.txt "${name}-native ${name}/${name}-native\n")
    endif()
    if(level MATCHES "native|Ofast")
      course_tests(${name}-${level} ${name} ${tests} FEW)
    endif()
  endforeach()
endfunction()

# A program of kernels: SOURCE is compiled by nvcc and, as plain C++, for the emulator; gpu/main.cpp has the main, a further source
# its own options.
function(course_gpu_program name source)
  if(NOT COURSE_CUDA AND NOT TARGET emulator)
    message(STATUS "${name}: neither nvcc nor Boost.Context is here; it is not built")
    return()
  endif()
  add_executable(${name} ${CMAKE_SOURCE_DIR}/gpu/main.cpp ${ARGN})
  target_compile_definitions(${name} PRIVATE $<$<BOOL:${ARGN}>:COURSE_OWN_OPTIONS>)
  target_link_libraries(${name} PRIVATE runner)
  set(definitions COURSE_IS_LEVEL=false COURSE_PROGRAM="${name}" COURSE_INSTRUCTION_SETS="" COURSE_VECTOR="${course_every_vector}")
  if(COURSE_CUDA)
    list(JOIN CMAKE_CUDA_ARCHITECTURES " " architectures)
    set(flags "nvcc ${CMAKE_CUDA_COMPILER_VERSION} ${CMAKE_CUDA_FLAGS} ${CMAKE_CUDA_FLAGS_${course_build}} for ${architectures}")
    string(REGEX REPLACE " +(-DNDEBUG +)?" " " flags "${flags}")
    add_library(${name}-gpu OBJECT ${source})
    target_compile_definitions(${name}-gpu PRIVATE ${definitions} COURSE_FLAGS="${flags}" COURSE_LEAST_CAPABILITY=${course_least_capability})
    target_link_libraries(${name}-gpu PRIVATE runner)
    target_sources(${name} PRIVATE $<TARGET_OBJECTS:${name}-gpu>)
    target_compile_definitions(${name} PRIVATE COURSE_HAS_NVCC)
    target_link_libraries(${name} PRIVATE CUDA::cudart_static)
  endif()
  if(TARGET emulator)
    file(CONFIGURE OUTPUT ${name}.emulated.cpp CONTENT "#include \"${source}\"\n")
    add_library(${name}-emulated OBJECT ${CMAKE_CURRENT_BINARY_DIR}/${name}.emulated.cpp)
    # Checked: what lies beside C is left as it was by adding nothing to it, and no guard would show it.
    target_compile_definitions(${name}-emulated PRIVATE ${definitions} COURSE_FLAGS="${course_plain_flags}" COURSE_CHECKED)
    target_link_libraries(${name}-emulated PRIVATE runner emulator)
    target_sources(${name} PRIVATE $<TARGET_OBJECTS:${name}-emulated>)
    target_compile_definitions(${name} PRIVATE COURSE_HAS_EMULATOR)
    target_link_libraries(${name} PRIVATE emulator)
  endif()
endfunction()

# A step's kernels as a library of the emulator's.
function(course_emulated_library name source)
  file(CONFIGURE OUTPUT ${name}.cpp CONTENT "#include \"${CMAKE_CURRENT_SOURCE_DIR}/${source}\"\n")
  add_library(${name} STATIC ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp)
  target_link_libraries(${name} PRIVATE emulator runner)
endfunction()

# course_gpu_step(NAME [NOT_EMULATED] [OPTIONS the source of its own] [TYPES bf16] [SWEPT --tile 2,4 …] [BROKEN --variant those that a GPU is sure to get wrong: a race need not show]
#   MANY_BLOCKS arguments that need more blocks in y than CUDA starts at once)
function(course_gpu_step name)
  cmake_parse_arguments(ARG NOT_EMULATED "TYPES;OPTIONS" "SWEPT;BROKEN;MANY_BLOCKS" ${ARGN})
  course_gpu_program(${name} ${CMAKE_CURRENT_SOURCE_DIR}/main.cu ${ARG_OPTIONS})
  if(NOT TARGET ${name})
    return()
  endif()
  add_dependencies(course_programs ${name})

  # On the GPU what every step is tested for, and under the emulator, in three orders, what is small; k of three tiles and more.
  set(types f32,f64)
  set(orders forward reversed 987654)
  if(CMAKE_CXX_FLAGS MATCHES fsanitize)  # a switch of fibers costs ten times as much there
    set(types f32)
    set(orders 987654)
  endif()
  if(ARG_TYPES)
    set(types ${ARG_TYPES})
  endif()
  string(REGEX REPLACE ",.*" "" first_type ${types})
  course_tests(${name} ${name} RIGHT ${ARG_SWEPT} WRONG ${ARG_BROKEN} --shape 133x133x133,117x140x123)
  course_uses_gpu(${name}.random ${name}.digits ${name}.edges ${name}.broken)
  if(TARGET emulator AND NOT ARG_NOT_EMULATED)
    set(emulated $<TARGET_FILE:${name}> --repeat 1 --warmup 0 --verify full --emulate)
    course_random_shapes(few 6 7)
    foreach(order ${orders})
      course_test(${name}.emulated_${order} ${name} ${emulated} ${order} --type ${types} ${ARG_SWEPT} --pad 3
        --shape ${few},1x1x1,0x5x3,5x0x3,5x3x0,0x0x0,33x1x100,1x97x1,31x37x97)
      course_test(${name}.emulated_broken_${order} ${name} ${emulated} ${order} --expect-wrong --type ${types} ${ARG_SWEPT} --pad 2
        --shape 33x38x102,17x46x102)  # of three tiles along k and more; rows begin at multiples of 16 bytes, so that copies are asynchronous
    endforeach()
    if(ARG_MANY_BLOCKS AND NOT CMAKE_CXX_FLAGS MATCHES fsanitize)  # more blocks in y than CUDA starts at once, and one
      course_test(${name}.many_blocks ${name} ${emulated} forward --type ${first_type} ${ARG_MANY_BLOCKS})
    endif()
  endif()
endfunction()
