#!/usr/bin/env bash
# Installs the Debian packages that are missing: packages.sh build|test|engines|radios|words|desktop|changelog|bench
# Says which. Without the right to install, prints the one command that does it, and ends with 1.
set -euo pipefail
# Started by the tests alone: see below.
servers=(caddy nginx-light postgresql-15 pgbouncer bluez)
build=(libsqlite3-dev zlib1g-dev libwebsockets-dev libwebsockets-evlib-uv libuv1-dev libssl-dev libvips-dev
  libseccomp-dev libzxing-dev libxml2-dev libsystemd-dev
  pkg-config zopfli binaryen)
# What the program of changelogs reads and speaks.
changelog=(libyaml-dev libpq-dev)
# What the agent of a desktop asks an X server with, and one to try it on.
desktop=(libxcb1-dev libxcb-screensaver0-dev libxcb-ewmh-dev)
screen=(dbus xvfb openbox xdotool xterm x11-apps)
radios=(dbus qemu-system-x86 bluez bluez-test-tools busybox-static cpio kmod)
# Lists of words, which the race reads; with its package each of /usr/share/dict does.
words=(wamerican wngerman)
test=(nodejs chromium-headless-shell python3-venv curl sqlite3 "${words[@]}" "${servers[@]}" "${radios[@]}"
  "${changelog[@]}" "${desktop[@]}" "${screen[@]}")
# What benchmarks compare us with.
bench=(mosquitto)
engines=(chromium firefox-esr webkit2gtk-driver xvfb locales)
case "${1:-build}" in
  build) wanted=("${build[@]}") ;;
  test) wanted=("${build[@]}" "${test[@]}") ;;
  engines) wanted=("${engines[@]}") ;;
  words) wanted=("${words[@]}") ;;
  desktop) wanted=("${desktop[@]}") ;;
  changelog) wanted=("${changelog[@]}") ;;
  bench) wanted=("${bench[@]}") ;;
  radios) wanted=("${build[@]}" python3-venv "${radios[@]}") ;;
  *) echo "packages.sh: say build, test, engines, radios, words, desktop, changelog or bench" >&2; exit 2 ;;
esac

if ! command -v swift >/dev/null; then
  echo "The Swift 6.3 toolchain is missing. Install it from swift.org, and put it on the PATH." >&2
  exit 1
fi
missing=()
for package in "${wanted[@]}"; do
  # A node that is there already, from wherever, is good enough.
  if [ "$package" = nodejs ] && command -v node >/dev/null; then continue; fi
  # So is the administrator's nginx, whichever it is.
  if [ "$package" = nginx-light ] && [ -x /usr/sbin/nginx ]; then continue; fi
  # Two lists may name the same one.
  [[ " ${missing[*]} " != *" $package "* ]] || continue
  state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$state" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

echo "Installing Debian packages: ${missing[*]}"
command="apt-get install -y --no-install-recommends ${missing[*]}"
if [ "$(id -u)" = 0 ]; then
  root=()
elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
  root=(sudo)
else
  echo "This needs an administrator. Run this, and then the same make again:" >&2
  echo "  sudo apt-get update && sudo $command" >&2
  exit 1
fi
# Debian starts a server as soon as it is installed, now and with the machine. A masked one is left alone, and
# one that was here before is none of ours.
units=()
for package in "${missing[@]}"; do
  case " ${servers[*]} ${bench[*]} " in *" $package "*) ;; *) continue ;; esac
  unit=${package%-light}
  [ "$unit" != bluez ] || unit=bluetooth
  unit=${unit%-15}.service
  for folder in /etc /lib /usr/lib; do
    if [ -e "$folder/systemd/system/$unit" ] || [ -L "$folder/systemd/system/$unit" ]; then continue 2; fi
  done
  units+=("$unit")
done
unmask() {
  for unit in "${units[@]}"; do
    "${root[@]}" rm -f "/etc/systemd/system/$unit"
    if command -v systemctl >/dev/null; then "${root[@]}" systemctl disable "$unit" >/dev/null 2>&1 || true; fi
  done
}
trap unmask EXIT
for unit in "${units[@]}"; do
  "${root[@]}" mkdir -p /etc/systemd/system
  "${root[@]}" ln -s /dev/null "/etc/systemd/system/$unit"
done
"${root[@]}" apt-get update -qq
DEBIAN_FRONTEND=noninteractive "${root[@]}" $command >/dev/null
