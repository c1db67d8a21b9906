#!/usr/bin/env bash
# Without root: what is missing is fetched at the commits of cmake/packages.cmake, here from a mirror made of what is
# installed; and setup.sh goes on without what the course can do without.
#   packages.sh CMAKE COMPILER SOURCE
set -u
cmake=$1 compiler=$2 source=$3 status=0
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fail() {
  echo "$*"
  status=1
}

cd "$folder" && mkdir bin project
export GIT_CONFIG_GLOBAL=$folder/gitconfig
git config --global user.name nobody && git config --global user.email nobody@localhost
cp "$source/cmake/packages.cmake" project
for package in CLIUtils/CLI11=include/CLI libeigen/eigen=Eigen fmtlib/fmt=include/fmt doctest/doctest=doctest; do
  url=${package%=*} headers=${package#*=} mirror=mirror/${package%=*}.git
  for place in /usr/include /usr/include/eigen3; do
    [ ! -d "$place/${headers#include/}" ] || { mkdir -p "$(dirname "$mirror/$headers")" && cp -r "$place/${headers#include/}" "$mirror/$headers"; }
  done
  [ -d "$mirror" ] || { echo "no ${headers#include/} in /usr/include to make a mirror of" && exit 77; }
  git -C "$mirror" init -q && git -C "$mirror" add . && git -C "$mirror" commit -qm release && git -C "$mirror" tag release
  git -C "$mirror" commit -q --allow-empty -m "after it"
  sed -i "s|\($url.git\) [0-9a-f]\{40\}|\1 $(git -C "$mirror" rev-parse release)|" project/packages.cmake
done
for host in github gitlab; do git config --global --add "url.file://$folder/mirror/.insteadOf" "https://$host.com/"; done
cat >project/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.25)
project(fetched LANGUAGES CXX)
set(CMAKE_CXX_STANDARD 20)
include(packages.cmake)
add_executable(main main.cpp)
target_link_libraries(main PRIVATE CLI11::CLI11 Eigen3::Eigen fmt::fmt doctest::doctest)
END
cat >project/main.cpp <<'END'
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <Eigen/Core>
int main() { fmt::print("{} {} {}\n", Eigen::Vector2i(3, 4).squaredNorm(), CLI11_VERSION_MAJOR, FMT_HEADER_ONLY + 0); }
END
hidden=()
for package in CLI11 Eigen3 fmt doctest; do hidden+=("-DCMAKE_DISABLE_FIND_PACKAGE_$package=ON"); done
if "$cmake" -S project -B build -DBUILD_TESTING=ON -DCOURSE_FETCH_DOCTEST=ON -DCMAKE_CXX_COMPILER="$compiler" "${hidden[@]}" >log 2>&1 &&
  "$cmake" --build build >>log 2>&1; then
  [ "$(build/main)" = "25 2 1" ] || fail "the program says $(build/main)"
  [ "$(grep -c "is not installed; its sources come from https" log)" -eq 4 ] || fail "not four are fetched: $(cat log)"
else
  fail "$(cat log)"
fi

# A machine without apt.
for tool in sh tr sed dirname grep cat id env; do ln -s "$(command -v $tool)" bin/; done
said() { PATH=$folder/bin "$source/setup.sh" 2>&1; }
lacking=$(said) && fail "setup.sh goes on without a compiler: $lacking"
[[ $lacking == *"please install these (Debian's names): "*"g++ cmake make git python3"* ]] || fail "$lacking"
for tool in g++ cmake make git python3 nm; do ln -s "$(type -P true)" "bin/$tool"; done
lacking=$(said) || fail "setup.sh ends with $?: $lacking"
[[ $lacking == *"what needs these is left out: "*"gnuplot-nox "*"ninja-build "* ]] || fail "$lacking"
exit $status
