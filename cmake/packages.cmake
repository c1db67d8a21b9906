# course_package(NAME TARGET URL COMMIT HEADERS [VERSION]): the package that the machine has, else its sources, fetched at the
# commit of a release. Of these only the headers are used: no other project's options, tests and warnings come along.
# Without a network: -DFETCHCONTENT_SOURCE_DIR_FMT=folder, and so on (install/README.md).
include(FetchContent)
function(course_package name target url commit headers)
  find_package(${name} ${ARGN} QUIET NO_MODULE)
  if(NOT TARGET ${target})
    string(TOLOWER ${name} lower)
    string(TOUPPER ${name} upper)
    FetchContent_Declare(${name} GIT_REPOSITORY ${url} GIT_TAG ${commit} GIT_SHALLOW TRUE SOURCE_SUBDIR none)
    message(STATUS "${name} is not installed; its sources come from ${url}")
    FetchContent_MakeAvailable(${name})
    add_library(${target} INTERFACE IMPORTED)
    target_include_directories(${target} INTERFACE ${${lower}_SOURCE_DIR}/${headers})
    target_compile_definitions(${target} INTERFACE ${upper}_HEADER_ONLY)  # fmt asks for it
  endif()
endfunction()
course_package(CLI11 CLI11::CLI11 https://github.com/CLIUtils/CLI11.git 6c7b07a878ad834957b98d0f9ce1dbe0cb204fc9 include)  # 2.4.2
course_package(Eigen3 Eigen3::Eigen https://gitlab.com/libeigen/eigen.git 3147391d946bb4b6c68edd901f2add6ac1f31f8c . 3.4)  # 3.4.0
course_package(fmt fmt::fmt https://github.com/fmtlib/fmt.git f5e54359df4c26b6230fc61d38aa294581393084 include)  # 10.1.1
if(BUILD_TESTING)
  find_package(doctest QUIET)
endif()
if(BUILD_TESTING AND COURSE_FETCH_DOCTEST)
  course_package(doctest doctest::doctest https://github.com/doctest/doctest.git ae7a13539fb71f270b87eb2e874fbac80bc8dda2 .)  # 2.4.11
endif()
