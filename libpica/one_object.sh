#!/bin/sh
# A static library of one object in which no names but those of the public functions are global:
# one_object.sh OUT IN OBJCOPY AR COMPILER...
set -e
out=$1 in=$2 objcopy=$3 ar=$4
shift 4
"$@" -r -nostdlib -Wl,--whole-archive "$in" -o "$out.o"
"$objcopy" --wildcard --keep-global-symbol='pica_*' "$out.o"
rm -f "$out"
"$ar" rcs "$out" "$out.o"
rm "$out.o"
