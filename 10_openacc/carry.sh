#!/usr/bin/env bash
# Takes the program to a machine without an offload compiler: collects it, its libraries and libgomp's plugin for NVIDIA
# GPUs in a folder, with a script of the program's name that runs it there. libgomp and the plugin must be of one release,
# so both travel; the C library and the driver's libcuda stay behind.
#   carry.sh DIR [PROGRAM]     (PROGRAM: build/10_openacc/10_openacc unless given)
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
refuse() { echo "carry.sh: $1" >&2; exit 2; }
if [ $# -lt 1 ] || [ $# -gt 2 ]; then refuse "give a folder, and the program if it is not in build/"; fi
folder=$1
program=${2-$here/../build/10_openacc/10_openacc}
[ -x "$program" ] || refuse "$program is not there; build it first"
mkdir -p "$folder/lib"

libraries=$(ldd "$program" | awk '$3 ~ /^\// {print $3}' | grep -vE '/(libc|libm|libdl|librt|libpthread)\.so')
gomp=$(grep -E '/libgomp\.so' <<<"$libraries")
plugin=$(dirname "$gomp")/libgomp-plugin-nvptx.so.1
[ -e "$plugin" ] || plugin=$(PATH=$PATH:/sbin ldconfig -p | awk '/libgomp-plugin-nvptx\.so\.1 / {print $NF; exit}')
if [ -e "$plugin" ]; then
  libraries="$libraries $plugin"
else
  echo "carry.sh: there is no libgomp-plugin-nvptx.so.1 here: what is carried runs on the host only" >&2
fi
# shellcheck disable=SC2086 # a list of paths
cp -Lf "$program" $libraries "$folder/lib/"

cat >"$folder/10_openacc" <<'EOF'
#!/bin/sh
# Made by carry.sh: the program with the libraries it was built with.
lib=$(cd "$(dirname "$0")" && pwd)/lib
LD_LIBRARY_PATH=$lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} exec "$lib/10_openacc" "$@"
EOF
chmod +x "$folder/10_openacc"
