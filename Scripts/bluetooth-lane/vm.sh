#!/bin/sh
# Inside the machine: vm.sh SECONDS PROGRAM FOLDER CHANNELS PYTHON [OPTIONS...]
# The services as Debian has them, virtual controllers, and the story as an ordinary user.
limit=$1 program=$2 folder=$3 channels=$4 python=$5
shift 5
mark() { echo "    vm: $* after $(cut -d' ' -f1 /proc/uptime) s"; }
# Without those of random numbers the kernel has no elliptic curves for LE.
modprobe -a hci_vhci ecb ctr cbc sha512_generic sha3_generic drbg jitterentropy_rng algif_hash algif_skcipher cmac
mark "the modules are loaded"
# 0: as Debian has it, which is three channels of EATT.
[ "$channels" = 0 ] || sed -i "s/^#Channels = .*/Channels = $channels/" /etc/bluetooth/main.conf
getent passwd walker > /dev/null || echo 'walker:x:4711:4711::/tmp:/bin/sh' >> /etc/passwd
# In memory until the end: each write to this machine's disk costs time.
logs=/run/logs
mkdir $logs
dbus-uuidgen --ensure
dbus-daemon --system --nofork --nopidfile > $logs/dbus.log 2>&1 &
btvirt -s > $logs/btvirt.log 2>&1 &
until [ -S /run/dbus/system_bus_socket ] && [ -S /tmp/bt-server-le ]; do sleep .1; done
dbus-monitor --system "type='error'" > $logs/errors.log 2>&1 &
"$program" air --controllers 2 --socket /run/air --log $logs/bluetoothd.log \
  --trace $logs/trace.btsnoop &
until [ -S /run/air ]; do sleep .1; done
mark "the air is there"
# An ordinary user may use this machine's Python, wherever it is.
folders=$(realpath "$python" 2> /dev/null)
while [ "$python" != none ] && [ "${folders:-/}" != / ]; do folders=$(dirname "$folders"); chmod o+x "$folders"; done
[ "$python" = none ] || set -- --python "$python" --bleak "$folder/bleak_central.py" "$@"
uptime=$(cut -d. -f1 /proc/uptime)
timeout $((limit - uptime)) setpriv --reuid 4711 --regid 4711 --clear-groups "$program" story --socket /run/air "$@"
code=$?
mark "the story is over"
[ $code != 124 ] || echo "✘ the story was not over within $limit s"
cp $logs/* /out/
exit $code
