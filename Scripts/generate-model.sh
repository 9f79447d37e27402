#!/usr/bin/env bash
# Builds the tool that makes code of models with the compiler alone: generate-model.sh OUT
# That takes 7 s of a processor; SwiftPM, which plans the whole package, takes 31.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

build() { # the module's name, its folder, and further arguments
  find "$root/$2" -name '*.swift' -print0 | sort -z | xargs -0 swiftc -swift-version 6 \
    -enable-upcoming-feature ExistentialAny -enable-upcoming-feature InternalImportsByDefault \
    -enable-upcoming-feature MemberImportVisibility -package-name reunion -module-name "$1" \
    -wmo -Onone -I "$work" "${@:3}"
}
for module in ReunionCore ReunionModel; do
  build $module Sources/$module -parse-as-library -emit-module -emit-module-path "$work/$module.swiftmodule" \
    -c -o "$work/$module.o"
done
build generate_model Commands/generate-model "$work/ReunionCore.o" "$work/ReunionModel.o" -o "$1"
