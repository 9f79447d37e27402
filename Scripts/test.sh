#!/usr/bin/env bash
# Runs every test, or those named: test.sh [swift] [web] [journeys] [radios]
# Ends with what failed, said once more, and a line "N passed, N failed, N skipped" over all of them.
# What needs a disk of its own, or not to be root, is skipped where this machine has it not.
set -uo pipefail
cd "$(dirname "$0")/.."
parts=("$@")
[ ${#parts[@]} -gt 0 ] || parts=(swift web journeys radios)
passed=0
failed=0
skipped=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

began=$SECONDS
# Notes the seconds since the part before ended.
took() { # label
  echo "$((SECONDS - began)) s  $1" >> "$work/seconds"
  began=$SECONDS
}
wants() { [[ " ${parts[*]} " == *" $1 "* ]]; }
quiet() { grep -v --line-buffered -e 'prohibited flag' -e '^\[[0-9]*/[0-9]*\]'; }
count() { # label passed failed skipped
  echo "$1: $2 passed, $3 failed, ${4:-0} skipped"
  passed=$((passed + $2))
  failed=$((failed + $3))
  skipped=$((skipped + ${4:-0}))
}

# Tests run on the threads of the pool, as many as there are cores: what awaits takes turns with few
# others, and not with all that have not begun.
export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=4
# The same for all, so that nothing is built twice.
options=(-c release -Xswiftc -enable-testing -Xswiftc -DSEEDED_BUGS)
# The library, the apps, which use it from outside, and the changelogs.
packages=(. Apps Changelog)
# All are built in one folder, so that nothing is built twice, and SwiftPM would take the last one's plan for
# the next one's.
build() { # package options…
  rm -f .build/release.yaml
  swift build --package-path "$1" --scratch-path .build "${options[@]}" "${@:2}"
}
# Builds of each package all, or all with the tests.
build_all() { # options…
  local package
  for package in "${packages[@]}"; do
    build "$package" "$@" 2>&1 | quiet
    [ "${PIPESTATUS[0]}" = 0 ] || return 1
  done
}
# The tests of the browser library, beside whatever comes next.
begin_node() {
  node --test Web/tests/*.test.mjs Apps/*/Page/tests/*.test.mjs > "$work/node" 2>&1 &
  node=$!
}
node=
built=
if wants swift; then
  # Browsers take part in the simulations where node is there.
  ! command -v node > /dev/null || make --no-print-directory .build/web/.made
  echo "== Swift: build"
  if ! build_all --build-tests; then
    count "swift build" 0 1
    took "pages, and a build of Swift and its tests that failed"
  else
    took "pages, and the build of Swift and its tests"
    built=yes
    # Half of what Swift tests is a wait for something.
    ! wants web || begin_node
    export REUNION_SECONDS=${REUNION_SECONDS:-90}
    echo "== Swift: tests, and $REUNION_SECONDS s of the hostile world"
    for package in reunion apps changelog; do
      rm -f "$work/counts" "$work/swift"
      Scripts/swift-tests.py "$work/counts" "$work/swift" ".build/release/${package}PackageTests.xctest" \
        | tee "$work/told"
      grep '^unsteady: ' "$work/told" >> "$work/unsteady"
      cat "$work/swift" >> "$work/failures" 2> /dev/null
      read -r good bad not < "$work/counts" 2> /dev/null || { good=0; bad=1; not=0; }
      count "Swift tests of $package" "$good" "$bad" "$not"
      took "Swift tests of $package"
    done
  fi
fi

if wants web; then
  echo "== Browser library: vectors and units in node"
  [ -n "$node" ] || { make --no-print-directory .build/web/.made; begin_node; }
  wait "$node" \
    || grep -E '^ *(not ok|✖)|Error' "$work/node" | head -20 | tee -a "$work/failures"
  grep -oE 'fuzz: .*' "$work/node"
  good=$(awk '/^. pass|^# pass/ {print $3}' "$work/node" | tail -1)
  bad=$(awk '/^. fail|^# fail/ {print $3}' "$work/node" | tail -1)
  count "node tests" "${good:-0}" "${bad:-1}"
  took "node tests, where they took longer than Swift's"
fi

if wants journeys; then
  echo "== The apps in a browser, and under kills"
  # In the folder of the tests, so that the libraries are not built again.
  export REUNION_APPS=.build/release
  # The build of the tests has made all programs.
  if make --no-print-directory .build/web/.made && Scripts/venv.sh && { [ -n "$built" ] || build_all; }; then
    took "pages and programs, where the tests have not built them"
    .build/venv/bin/python Tests/Journeys/run.py "$work/journeys" | tee "$work/told"
    grep '^✘' "$work/told" >> "$work/failures"
    grep '^unsteady: ' "$work/told" >> "$work/unsteady"
    read -r good bad not < "$work/journeys" 2>/dev/null || { good=0; bad=1; not=0; }
    count "journeys" "$good" "$bad" "$not"
  else
    count "build of the apps" 0 1
  fi
  took "journeys"
fi

if wants radios; then
  echo "== A real BlueZ with virtual radios"
  if ! command -v qemu-system-x86_64 > /dev/null; then
    echo "Skipped: this machine has no QEMU (Scripts/packages.sh radios)."
    count "radios" 0 0 1
  elif Scripts/venv.sh && { [ -n "$built" ] \
    || { build . --product bluetooth-lane && build . --product reunion-bluetooth; } > "$work/lane" 2>&1; }; then
    radios() {
      Scripts/bluetooth-lane.sh .build/release/bluetooth-lane short > "$work/lane" 2>&1
      status=$?
      grep -E '^(✓|✘)' "$work/lane"
    }
    radios
    [ $status = 0 ] || {
      tail -5 "$work/lane"
      echo "== The radios once more"
      radios
      [ $status != 0 ] || echo "unsteady: the radios" | tee -a "$work/unsteady"
    }
    grep '^✘' "$work/lane" >> "$work/failures"
    good=$(grep -c '^✓' "$work/lane" || true)
    bad=$(grep -c '^✘' "$work/lane" || true)
    # One that broke off has told nothing of it.
    [ $status = 0 ] || [ "$bad" -gt 0 ] || { tail -5 "$work/lane" | tee -a "$work/failures"; bad=1; }
    count "radios" "$good" "$bad"
  else
    tail -5 "$work/lane" | tee -a "$work/failures"
    count "build of the radios" 0 1
  fi
  took "radios, and their build"
fi

echo "== How long it took"
cat "$work/seconds"
[ ! -s "$work/unsteady" ] || { echo "== What passed at its second try alone"; cat "$work/unsteady"; }
[ "$failed" = 0 ] || { echo "== What failed"; cat "$work/failures" 2> /dev/null; }
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
