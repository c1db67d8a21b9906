# Writes OUT (commit.hpp) when the commit or the source's difference from it changed; run at every build.
# Notes and pictures do not count: they change no number.
set(commit unknown)
find_package(Git QUIET)
if(DEFINED ENV{COURSE_COMMIT})  # a copy without its repository, on a lent machine
  set(commit $ENV{COURSE_COMMIT})
elseif(GIT_FOUND)
  execute_process(COMMAND ${GIT_EXECUTABLE} -c safe.directory=* rev-parse --short=10 HEAD WORKING_DIRECTORY ${SOURCE}
                  OUTPUT_VARIABLE head OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
  if(NOT failed)
    set(commit ${head})
    execute_process(COMMAND ${GIT_EXECUTABLE} -c safe.directory=* diff HEAD -- . ":!*.md" ":!*.svg" ":!*.gp" ":!plots" ":!tools"
                    WORKING_DIRECTORY ${SOURCE} OUTPUT_VARIABLE difference ERROR_QUIET)
    if(NOT difference STREQUAL "")
      string(SHA1 hash "${difference}")
      string(SUBSTRING ${hash} 0 6 hash)
      set(commit "${commit}+${hash}")
    endif()
  endif()
endif()
set(text "#define COURSE_COMMIT \"${commit}\"\n#define COURSE_COMPILER \"${COMPILER}\"\n")
if(EXISTS ${OUT})
  file(READ ${OUT} old)
endif()
if(NOT "${old}" STREQUAL "${text}")
  file(WRITE ${OUT} "${text}")
endif()
