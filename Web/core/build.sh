#!/usr/bin/env bash
# Builds ReunionCore as a WebAssembly module: build.sh OUT.wasm [-DREGISTERS_ONLY | -DCONVERSATION]
# With SOURCES=FOLDER it builds another module, an app's: its Bridge, by AppExports.swift.
#
# With -DCONVERSATION it leads conversations, and does nothing else: what a page loads once it is shown.
# With -DREGISTERS_ONLY it has half the bytes, for models without counters, sets and lists: it keeps and
# forwards their cells whole, as those of a newer version. It lacks the functions that no page calls.
# Source of the recipe: Embedded Swift with the stock toolchain; about 3 s.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
out=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tools=$(dirname "$(readlink -f "$(command -v swiftc)")")
folder=${SOURCES:-$root/Sources/ReunionCore}
mapfile -t sources < <(find "$folder" ${SOURCES:+"$root/Web/core/AppExports.swift"} -name '*.swift' | sort)

swiftc -target wasm32-unknown-none-wasm -enable-experimental-feature Embedded \
  -enable-experimental-feature Extern -swift-version 6 -module-name "$(basename "$folder")" \
  -package-name reunion -wmo -Osize -Xllvm -inline-threshold=0 -parse-as-library "$@" \
  -c "${sources[@]}" -o "$work/core.o"
"$tools/clang" --target=wasm32-unknown-none-wasm -O2 -nostdlib -ffreestanding \
  -fno-builtin -mbulk-memory -c "$root/Web/core/runtime.c" -o "$work/runtime.o"
"$tools/wasm-ld" "$work/core.o" "$work/runtime.o" --no-entry --gc-sections --strip-all \
  -O3 --compress-relocations --global-base=1024 -o "$work/core.wasm"
mkdir -p "$(dirname "$out")"
# A tenth smaller again. Nothing stands below the data, so that offsets may go into loads and stores.
wasm-opt -Oz --converge --low-memory-unused --enable-bulk-memory --enable-sign-ext --enable-mutable-globals \
  --enable-nontrapping-float-to-int "$work/core.wasm" -o "$out"
