#!/usr/bin/env bash
# Builds the programs as they are shipped, and looks for the name of every seeded bug in them: none is
# there. A program that tests build has them, which is the control.
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# Those of the library, and those of the family's app, which declares its own.
sed -nE 's/.*static var (\w+): Self \{ Self\(\) \}.*/\1/p' $(find Sources -name '*Bugs.swift') > "$work/names"
awk '/^enum [A-Za-z]*Bug:/ { is = 1 } is { print } /}/ { is = 0 }' $(find Apps/ScreenTime/Sources -name '*.swift') \
  | grep -oE '\bcase .*' | sed -E 's/case |[ }]//g' | tr ',' '\n' >> "$work/names"
sort -u -o "$work/names" "$work/names"
count=$(grep -c . "$work/names")
[ "$count" -gt 120 ] || { echo "Only $count names of seeded bugs were found in the sources." >&2; exit 1; }
# The names in a program, one a line.
found() {
  [ -x "$1" ] || { echo "✘ $1 was not built." >&2; exit 1; }
  strings -a "$1" | grep -oFf "$work/names" | sort -u || true
}

scratch=.build/shipped
programs=()
build() { # package products…
  # All packages are built in one folder, and SwiftPM would take the last one's plan for the next one's.
  rm -f $scratch/release.yaml
  for product in "${@:2}"; do
    swift build -c release --package-path "$1" --scratch-path $scratch --product "$product" 2>&1 | tail -1
    programs+=("$product")
  done
}
build . reunion reunion-serve reunion-bluetooth
build Apps Albums Quakes Sudoku Words ScreenTime screentime-agent
build Changelog reunion-changelog
bad=0
for program in "${programs[@]}"; do
  left=$(found $scratch/release/$program)
  [ -z "$left" ] || { echo "✘ $program holds seeded bugs:" $left; bad=1; }
done
held=$(found .build/release/simulate | grep -c .)
[ "$held" -gt 50 ] || { echo "✘ The control, a program of the tests, holds $held seeded bugs." ; bad=1; }
[ $bad = 0 ] && echo "✓ none of $count seeded bugs is in the programs that are shipped; a test's has $held"
exit $bad
