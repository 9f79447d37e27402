#!/usr/bin/env bash
# Builds ReunionCore as a WebAssembly module: build.sh OUT.wasm [-DREGISTERS_ONLY]
#
# With -DREGISTERS_ONLY it is a sixth smaller, for models without counters, sets and lists: it keeps
# and forwards their cells whole, as those of a newer version.
# Source of the recipe: Embedded Swift with the stock toolchain; about 3 s.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
out=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tools=$(dirname "$(readlink -f "$(command -v swiftc)")")
mapfile -t sources < <(find "$root/Sources/ReunionCore" -name '*.swift' | sort)

swiftc -target wasm32-unknown-none-wasm -enable-experimental-feature Embedded \
  -enable-experimental-feature Extern -swift-version 6 -module-name ReunionCore \
  -wmo -Osize -parse-as-library "$@" -c "${sources[@]}" -o "$work/core.o"
"$tools/clang" --target=wasm32-unknown-none-wasm -O2 -nostdlib -ffreestanding \
  -fno-builtin -mbulk-memory -c "$root/Web/core/runtime.c" -o "$work/runtime.o"
exports=()
for name in core_reserve core_release core_call hash_start hash_update hash_finish; do
  exports+=("--export=$name")
done
"$tools/wasm-ld" "$work/core.o" "$work/runtime.o" --no-entry --gc-sections --strip-all \
  -O3 --compress-relocations "${exports[@]}" -o "$work/core.wasm"
mkdir -p "$(dirname "$out")"
mv "$work/core.wasm" "$out"
