#!/usr/bin/env bash
# Builds the programs as they are shipped, and looks for the name of every seeded bug in them: none is
# there. A program that tests build has them, which is the control.
set -euo pipefail
cd "$(dirname "$0")/.."
names=$(sed -nE 's/.*static var (\w+): Self \{ Self\(\) \}.*/\1/p' $(find Sources -name '*Bugs.swift'))
names+=$'\n'$(sed -nE 's/^(enum \w+Bug: .*\{)? *case (.*)[ }]*$/\2/p' \
  <(sed -n '/^enum [A-Za-z]*Bug:/,/}/p' $(find Apps -path '*/Sources/*' -name '*.swift')) \
  | tr -d ' }' | tr ',' '\n')
count=$(sort -u <<< "$names" | grep -c .)
[ "$count" -gt 100 ] || { echo "Only $count names of seeded bugs were found in the sources." >&2; exit 1; }
# The names in a program, one a line.
found() { strings -a "$1" | grep -oFf <(sort -u <<< "$names") | sort -u || true; }

scratch=.build/shipped
for product in reunion reunion-serve reunion-bluetooth; do
  swift build -c release --scratch-path $scratch --product $product 2>&1 | tail -1
done
for app in Albums ScreenTime; do
  rm -f $scratch/release.yaml
  swift build -c release --package-path Apps/$app --scratch-path $scratch --product $app 2>&1 | tail -1
done
bad=0
for program in reunion reunion-serve reunion-bluetooth Albums ScreenTime; do
  left=$(found $scratch/release/$program)
  [ -z "$left" ] || { echo "✘ $program holds seeded bugs:" $left; bad=1; }
done
[ "$(found .build/release/simulate | grep -c .)" -gt 50 ] \
  || { echo "✘ The control, a program of the tests, holds no seeded bugs either." ; bad=1; }
[ $bad = 0 ] && echo "✓ none of $count seeded bugs is in the programs that are shipped"
exit $bad
