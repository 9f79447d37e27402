#!/usr/bin/env bash
# A real BlueZ with virtual radios, in a machine of QEMU: bluetooth-lane.sh PROGRAM short|whole [CHANNELS]
# PROGRAM is the built bluetooth-lane, with reunion-bluetooth beside it. CHANNELS are those of EATT: 0 leaves
# Debian's three, 1 has none. Prints what the story says, and ends with its code, or with 3 without QEMU. What
# it leaves is in .build/bluetooth-lane/out: the log of bluetoothd, and a trace of the controllers for btmon or
# Wireshark.
set -euo pipefail
cd "$(dirname "$0")/.."
program=$(realpath "$1")
length=$2
channels=${3:-0}
work=$PWD/.build/bluetooth-lane
scripts=$PWD/Scripts/bluetooth-lane
for tool in qemu-system-x86_64 busybox cpio btvirt /usr/libexec/bluetooth/bluetoothd; do
  command -v "$tool" > /dev/null || { echo "The lane needs $tool: Scripts/packages.sh radios installs it."; exit 3; }
done
mkdir -p "$work"

# The kernel of Debian, unpacked and not installed.
package=$(apt-cache depends linux-image-amd64 | awk '/Depends:/ {print $2; exit}')
if [ "$(cat "$work/kernel/.made" 2> /dev/null)" != "$package" ]; then
  rm -rf "$work/kernel"
  mkdir -p "$work/kernel/download"
  echo "Fetching $package"
  if ! (cd "$work/kernel/download" && apt-get download "$package" > /dev/null 2>&1); then
    echo "✘ Debian's kernel could not be fetched. Run apt-get update, and then the same again."
    exit 1
  fi
  # What the lane loads, and no drivers of cards.
  dpkg-deb --fsys-tarfile "$work"/kernel/download/*.deb | tar -x -C "$work/kernel" --wildcards \
    './boot/vmlinuz*' './lib/modules/*/modules.*' './lib/modules/*/kernel/crypto' './lib/modules/*/kernel/lib' \
    './lib/modules/*/kernel/arch' './lib/modules/*/kernel/fs' './lib/modules/*/kernel/net' \
    './lib/modules/*/kernel/drivers/bluetooth' './lib/modules/*/kernel/drivers/virtio' \
    './lib/modules/*/kernel/drivers/char'
  rm -r "$work/kernel/download"
  /sbin/depmod -b "$work/kernel" "$(ls "$work/kernel/lib/modules")"
  echo "$package" > "$work/kernel/.made"
fi
version=$(ls "$work/kernel/lib/modules")

# A first file system, with what it takes to mount this machine's root.
stage=$work/initrd
rm -rf "$stage"
mkdir -p "$stage"/{bin,proc,sys,dev,modules}
cp /bin/busybox "$stage/bin/busybox"
cp "$scripts/init" "$stage/init"
: > "$stage/order"
add() {
  local file name other
  file=$(find "$work/kernel/lib/modules/$version" -name "$1.ko*" | head -1)
  [ -n "$file" ] || return 0
  for other in $(/sbin/modinfo -F depends "$file" | tr ',' ' '); do add "$other"; done
  name=$(basename "$file")
  [ -e "$stage/modules/$name" ] || { cp "$file" "$stage/modules/"; echo "$name" >> "$stage/order"; }
}
for module in virtio_pci 9pnet_virtio 9p overlay; do add $module; done
(cd "$stage" && find . | cpio -o -H newc --quiet | gzip -1) > "$work/initrd.gz"

out=$work/out
rm -rf "$out"
mkdir -p "$out"
python=none
[ ! -x .build/venv/bin/python ] || python=$PWD/.build/venv/bin/python
options=
[ "$length" != whole ] || options=,--whole
# This folder may not be found again by a program that is no administrator's: it runs a copy.
install -m 755 "$program" "$work/program"
install -m 755 "$(dirname "$program")/reunion-bluetooth" "$work/command"
# Far more than it takes, which is about 300 s and 60 s: others may use the processor too.
limit=$([ "$length" = whole ] && echo 1800 || echo 900)
arguments=$((limit - 60)),$work/program,$PWD/Tests/Fixtures/BluetoothLane,$channels,$python$options
code=0
timeout "$limit" qemu-system-x86_64 -M q35 -accel tcg,thread=multi -cpu max -smp 2 -m 1024 -nodefaults \
  -no-user-config -no-reboot -display none -serial "file:$out/console" \
  -kernel "$work/kernel/boot/vmlinuz-$version" -initrd "$work/initrd.gz" \
  -append "console=ttyS0 quiet panic=-1 cryptomgr.notests lane.modules=$work/kernel/lib/modules \
lane.clone=$PWD lane.script=$scripts/vm.sh lane.arguments=$arguments" \
  -virtfs local,path=/,mount_tag=host,security_model=none,readonly=on,multidevs=remap \
  -virtfs "local,path=$out,mount_tag=out,security_model=none" || code=$?
cat "$out/told" 2> /dev/null || tail -20 "$out/console"
[ "$code" = 0 ] || { echo "✘ the machine did not end by itself within $limit s"; exit 1; }
exit "$(cat "$out/code" 2> /dev/null || echo 1)"
