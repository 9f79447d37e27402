#!/usr/bin/env bash
# Measures screentime-agent on a real X server: screentime-bench.sh AGENT REUNION [SECONDS]
# Somebody types, and changes the window every five seconds, while a server is there. Prints processor time and memory.
set -euo pipefail
agent=$(realpath "$1")
reunion=$(realpath "$2")
seconds=${3:-120}
work=$(mktemp -d)
started=()
end() {
  for id in "${started[@]}"; do kill "$id" 2>/dev/null || true; done
  wait
  rm -rf "$work"
}
trap end EXIT
export HOME=$work XDG_STATE_HOME=$work/state
port=$((20000 + RANDOM % 20000))
"$reunion" serve "$work/server" --port "$port" >"$work/server.log" 2>&1 & started+=($!)
Xvfb -displayfd 4 -screen 0 800x600x24 -nolisten tcp -noreset 4>"$work/display" >"$work/x.log" 2>&1 & started+=($!)
until [ -s "$work/display" ] && grep -q "port $port" "$work/server.log"; do sleep 0.1; done
export DISPLAY=:$(cat "$work/display")
openbox --sm-disable >/dev/null 2>&1 & started+=($!)
xterm -geometry 30x10+20+40 -e cat >/dev/null 2>&1 & started+=($!)
xcalc -geometry 200x200+450+300 >/dev/null 2>&1 & started+=($!)
until xdotool search --onlyvisible --class xterm >/dev/null && xdotool search --onlyvisible --class xcalc >/dev/null; do
  sleep 0.1
done
link() { "$reunion" invite "$work/server" --role "$1" --space "$2" | grep -o 'http://[^ ]*' | head -1; }
"$agent" "$(link add use)" "$(link view limits)" >"$work/agent.log" 2>&1 & id=$!
started+=($id)
memory() {
  awk '/^Rss:/ {rss = $2} /^Pss:/ {pss = $2} /^Anonymous:/ {own = $2} END {
    printf "memory: %.1f MB of its own, and %.1f MB of programs and libraries that are mapped: ", own / 1024,
      (rss - own) / 1024
    printf "%.1f MB resident, %.1f MB as its share (PSS)\n", rss / 1024, pss / 1024 }' "/proc/$id/smaps_rollup"
}
sleep 10 # It starts, joins and sends.
memory
ticks() { awk '{print $14 + $15}' "/proc/$id/stat"; }
before=$(ticks)
begin=$(date +%s%N)
for ((second = 0; second < seconds; second += 5)); do
  if ((second / 5 % 2)); then xdotool mousemove 100 120 click 1; else xdotool mousemove 550 480 click 1; fi
  for _ in 1 2 3 4 5; do
    xdotool key 1
    sleep 1
  done
done
spent=$(($(ticks) - before))
took=$(($(date +%s%N) - begin))
awk -v spent="$spent" -v hertz="$(getconf CLK_TCK)" -v took="$took" 'BEGIN {
  printf "processor: %.2f %% of one core (%.2f s in %.0f s)\n", spent / hertz / took * 1e11, spent / hertz,
    took / 1e9 }'
# Without the server, which shares its libraries with the agent.
kill "${started[0]}"
sleep 1
memory
uses=$("$reunion" sql "$work/state/screentime-agent/replica" 'select count(*) from use' | tail -1)
echo "uses kept: $uses"
