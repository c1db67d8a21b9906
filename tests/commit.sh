#!/usr/bin/env bash
# What a row's program is known by: a commit that has these very sources, else a hash of them.
#   commit.sh CMAKE SOURCE
# shellcheck disable=SC2015,SC2034,SC2154 # fail() after && and || is meant for either; program.sh reads and sets
set -u
cmake=$1 script=$2/cmake/commit.cmake
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a GIT_CONFIG_GLOBAL=/dev/null
unset COURSE_COMMIT
program='' # no program is started
# shellcheck source=/dev/null
. "$(dirname "$0")/program.sh"

mkdir -p round/course/{90_mine,tests} && cd round/course || exit 1
known() { "$cmake" "-DSOURCE=$PWD" "-DOUT=$folder/commit.hpp" -DCOMPILER=x -P "$script" && sed -n 's/.*COMMIT "\(.*\)"/\1/p' "$folder/commit.hpp"; }
saved() { git -C "$1" init -q && git -C "$1" add -A && git -C "$1" commit -qm "$1"; }
edit() { echo "$2" >"$1"; }

edit CMakeLists.txt 1 && edit 90_mine/gemm.cpp 1
archive=$(known)
[[ $archive =~ ^unknown\+[0-9a-f]{6}$ ]] || fail "an archive: $archive"
edit 90_mine/gemm.cpp 2 && [ "$(known)" != "$archive" ] || fail "an edit in an archive is not seen"
edit 90_mine/gemm.cpp 1 && edit 90_mine/README.md 1 && edit tests/test.cpp 1 && [ "$(known)" = "$archive" ] || fail "notes and tests count"
saved .. && [ "$(known)" = "$archive" ] || fail "in another repository: $(known)"
saved . && [ "$(known)" = "$(git rev-parse --short=10 HEAD)" ] || fail "a clean repository: $(known)"
mkdir b && edit b/built.cpp 1 && edit 90_mine/README.md 2 && [ "$(known)" = "$(git rev-parse --short=10 HEAD)" ] || fail "notes count: $(known)"
edit 90_mine/more.cpp 1 && new=$(known) && edit 90_mine/more.cpp 2 && [ "$new" != "$(known)" ] || fail "a file that git does not know: $new"
exit $((failures > 0))
