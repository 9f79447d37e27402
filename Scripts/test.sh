#!/usr/bin/env bash
# Runs every test, or those named: test.sh [swift] [web] [journeys] [radios]
# All is built first; then the parts run side by side, since each waits for much. Ends with what failed, said once
# more, and a line "N passed, N failed, N skipped" over all of them.
# What needs a disk of its own, or not to be root, is skipped where this machine has it not.
set -uo pipefail
cd "$(dirname "$0")/.."
parts=("$@")
[ ${#parts[@]} -gt 0 ] || parts=(swift web journeys radios)
work=$(mktemp -d)
# Stops a process and all that it has begun.
stop() { # process
  local child
  for child in $(pgrep -P "$1"); do stop "$child"; done
  kill "$1" 2> /dev/null
}
end() {
  local job
  for job in $(jobs -p); do stop "$job"; done
  wait
  rm -rf "$work"
}
trap end EXIT
trap 'exit 130' INT TERM

began=$SECONDS
# Notes the seconds since the part before ended, or since a moment.
took() { # label [moment]
  echo "$((SECONDS - ${2:-$began})) s  $1" >> "$work/seconds"
  began=$SECONDS
}
wants() { [[ " ${parts[*]} " == *" $1 "* ]]; }
quiet() { grep -v --line-buffered -e 'prohibited flag' -e '^\[[0-9]*/[0-9]*\]'; }
count() { # label passed failed skipped
  echo "$1: $2 passed, $3 failed, ${4:-0} skipped"
  echo "$2 $3 ${4:-0}" >> "$work/counts"
}

# Tests run on the threads of the pool, as many as there are cores: what awaits takes turns with few
# others, and not with all that have not begun.
export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=4
# By its lock the parts know of each other: what failed runs once more with nothing beside it.
export REUNION_TURNS=$work/turns
: > "$REUNION_TURNS"
# Journeys start the programs that stand beside the tests.
export REUNION_APPS=.build/release
export REUNION_SECONDS=${REUNION_SECONDS:-30}
# The same for all, so that nothing is built twice.
options=(-c release -Xswiftc -enable-testing -Xswiftc -DSEEDED_BUGS)
# The library, the apps, which use it from outside, and the changelogs.
packages=(Apps . Changelog)
# All are built in one folder, so that nothing is built twice, and SwiftPM would take the last one's plan for
# the next one's. The apps come first: their plugins' tools are compiled for a build of their own, and what is built
# later takes them as they are.
build() { # package options…
  rm -f .build/release.yaml
  swift build --package-path "$1" --scratch-path .build "${options[@]}" "${@:2}"
}
build_all() { # options…
  local package
  for package in "${packages[@]}"; do
    build "$package" "$@" 2>&1 | quiet
    [ "${PIPESTATUS[0]}" = 0 ] || return 1
    took "build of $([ "$package" = . ] && echo the library || echo "$package")"
  done
}

swift_tests() {
  local bundles=() package good bad not
  for package in reunion apps changelog; do bundles+=(".build/release/${package}PackageTests.xctest"); done
  Scripts/swift-tests.py "$work/swift.counts" "$work/swift.failures" "${bundles[@]}" | tee "$work/swift.told"
  grep '^unsteady: ' "$work/swift.told" >> "$work/unsteady"
  read -r good bad not < "$work/swift.counts" 2> /dev/null || { good=0; bad=1; not=0; }
  count "Swift tests" "$good" "$bad" "$not"
}
node_tests() {
  local good bad
  node --test Web/tests/*.test.mjs Apps/*/Page/tests/*.test.mjs > "$work/node.told" 2>&1 \
    || grep -E '^ *(not ok|✖)|Error' "$work/node.told" | head -20 > "$work/node.failures"
  good=$(awk '/^. pass|^# pass/ {print $3}' "$work/node.told" | tail -1)
  bad=$(awk '/^. fail|^# fail/ {print $3}' "$work/node.told" | tail -1)
  cat "$work/node.failures" 2> /dev/null
  grep -oE 'fuzz: .*' "$work/node.told"
  count "node tests" "${good:-0}" "${bad:-1}"
}
journeys() {
  local good bad not
  .build/venv/bin/python Tests/Journeys/run.py "$work/journeys.counts" | tee "$work/journeys.told"
  grep '^✘' "$work/journeys.told" > "$work/journeys.failures"
  grep '^unsteady: ' "$work/journeys.told" >> "$work/unsteady"
  read -r good bad not < "$work/journeys.counts" 2> /dev/null || { good=0; bad=1; not=0; }
  count "journeys" "$good" "$bad" "$not"
}
radios() {
  local good bad status
  if ! command -v qemu-system-x86_64 > /dev/null; then
    echo "Skipped: this machine has no QEMU (Scripts/packages.sh radios)."
    count "radios" 0 0 1
    return
  fi
  lane() { Scripts/bluetooth-lane.sh .build/release/bluetooth-lane short > "$work/lane" 2>&1; }
  (flock -s 9 && lane) 9< "$REUNION_TURNS"
  status=$?
  if [ $status != 0 ]; then
    grep -E '^(✓|✘)' "$work/lane"
    tail -5 "$work/lane"
    echo "== The radios once more"
    (flock -x 9 && lane) 9< "$REUNION_TURNS"
    status=$?
    [ $status != 0 ] || echo "unsteady: the radios" | tee -a "$work/unsteady"
  fi
  grep -E '^(✓|✘)' "$work/lane"
  grep '^✘' "$work/lane" > "$work/radios.failures"
  good=$(grep -c '^✓' "$work/lane" || true)
  bad=$(grep -c '^✘' "$work/lane" || true)
  # One that broke off has told nothing of it.
  [ $status = 0 ] || [ "$bad" -gt 0 ] || { tail -5 "$work/lane" | tee -a "$work/radios.failures"; bad=1; }
  count "radios" "$good" "$bad"
}

part() { # name title act
  local begin=$SECONDS
  echo "== $2"
  "$3"
  took "$1" "$begin"
}

echo "== Build"
make --no-print-directory -j2 .build/web/.made > "$work/pages" 2>&1 &
pages=$!
Scripts/venv.sh > "$work/venv" 2>&1 &
venv=$!
tests=()
! wants swift || tests=(--build-tests)
if ! build_all "${tests[@]}"; then
  count "build" 0 1
elif ! wait "$pages"; then
  tail -20 "$work/pages" | tee "$work/pages.failures"
  count "build of the pages" 0 1
elif ! wait "$venv"; then
  tail -20 "$work/venv" | tee "$work/venv.failures"
  count "Python of the journeys" 0 1
else
  took "pages, where they took longer than Swift"
  # Radios compute as much as Swift's tests do, in a machine that is emulated: they take their turn after those.
  # The first part is told as it comes, and the others after it.
  running=()
  (
    ! wants swift || part swift "Swift: tests, and $REUNION_SECONDS s of the hostile world" swift_tests
    ! wants radios || part radios "A real BlueZ with virtual radios" radios
  ) &
  running+=($!)
  if wants journeys; then
    part journeys "The apps in a browser, and under kills" journeys > "$work/1.said" 2>&1 &
    running+=($!)
  fi
  if wants web; then
    part web "Browser library: vectors and units in node" node_tests > "$work/2.said" 2>&1 &
    running+=($!)
  fi
  wait "${running[@]}"
  cat "$work"/*.said 2> /dev/null
fi

read -r passed failed skipped < <(awk '{a += $1; b += $2; c += $3} END {print a + 0, b + 0, c + 0}' "$work/counts")
echo "== How long it took"
cat "$work/seconds"
echo "$SECONDS s  in all"
[ ! -s "$work/unsteady" ] || { echo "== What passed at its second try alone"; cat "$work/unsteady"; }
[ "$failed" = 0 ] || { echo "== What failed"; cat "$work"/*.failures 2> /dev/null; }
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
