#!/usr/bin/env bash
# Puts the browser's files together: web.sh OUT [PART…] makes OUT/reunion of the part library, OUT/page of Albums,
# OUT/quakes, OUT/sudoku, OUT/words and OUT/screentime, with their .gz forms; without parts all of them.
# MODEL_TOOL names what Scripts/generate-model.sh has built; without it that is built first.
#
# The sources run as they are; here they only lose their comments and blanks, which saves a
# guest's phone a fifth of the bytes.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
out=$1
parts=("${@:2}")
[ ${#parts[@]} -gt 0 ] || parts=(library Albums Quakes Sudoku Words ScreenTime)
mkdir -p "$out"
work=$(mktemp -d "$out/.new.XXXXXX")
jobs=()
end() {
  # What goes on beside would write into the folder again.
  kill "${jobs[@]}" 2> /dev/null || true
  wait
  rm -rf "$work"
}
trap end EXIT

bare() { sed -E '/^ *\/\*\*.*\*\/$/d; /^ *\/\*\*/,/\*\/$/d; s/(^| +)\/\/ .*$//; s/^ +//; /^$/d' "$1"; }
lean() { bare "$1" | perl -0p "$root/Scripts/lean.pl" > "$2"; }
tight() { sed -E 's/^ +//; s/ *([{};]) */\1/g; s/([:,]) /\1/g' "$1" | tr -d '\n' > "$2"; }
# What the pages of all apps share goes with each of them.
kit="$root/Apps/Shared/Page"
# Works go on side by side; the first that fails ends all.
beside() { "$@" & jobs+=($!); }
settle() {
  local job
  for job in "${jobs[@]}"; do wait "$job"; done
  jobs=()
}

page() { # an app, the folder where its page goes, and where its model is
  local sources="$root/Apps/$1/Page" to="$work/$2" file
  mkdir -p "$to/kit"
  for file in "$sources"/*.js; do lean "$file" "$to/$(basename "$file")"; done
  # The module of an app's model is made here and stands in no tree of sources.
  "$MODEL_TOOL" "$root/Apps/$1/Sources/$3.reunionmodel" "$to/whole.js" --javascript
  lean "$to/whole.js" "$to/model.js"
  rm "$to/whole.js"
  for file in "$sources"/*.html; do bare "$file" > "$to/$(basename "$file")"; done
  perl "$root/Scripts/frame.pl" "$root/Web" "$kit" "$sources" | bare /dev/stdin > "$to/index.html"
  for file in "$sources"/*.css; do tight "$file" "$to/$(basename "$file")"; done
  for file in "$kit"/*.js; do lean "$file" "$to/kit/$(basename "$file")"; done
  for file in "$kit"/*.css; do tight "$file" "$to/kit/$(basename "$file")"; done
}
app_core() { # an app, its core, and where that goes
  SOURCES="$root/Apps/$1/Sources/$2" "$root/Web/core/build.sh" "$work/$3"
}
modules() {
  local file
  (cd "$root/Web" && find . -name '*.js') | while read -r file; do
    mkdir -p "$work/reunion/$(dirname "$file")"
    lean "$root/Web/$file" "$work/reunion/$file"
  done
}
core() { "$root/Web/core/build.sh" "$work/reunion/$1.wasm" "${@:2}"; }

if [ "${parts[*]}" != library ] && [ -z "${MODEL_TOOL:-}" ]; then
  MODEL_TOOL=$work/generate-model
  "$root/Scripts/generate-model.sh" "$MODEL_TOOL"
fi
folders=()
for part in "${parts[@]}"; do
  case $part in
    library)
      folders+=(reunion)
      beside core conversation -DCONVERSATION
      beside core core
      # The models of all apps have registers alone.
      beside core registers -DREGISTERS_ONLY
      beside modules
      ;;
    Albums) folders+=(page); beside page Albums page Albums/Album ;;
    Quakes) folders+=(quakes); beside page Quakes quakes Quakes/Quakes ;;
    Sudoku)
      folders+=(sudoku)
      beside page Sudoku sudoku Sudoku/Sudoku
      beside app_core Sudoku SudokuCore sudoku/sudoku.wasm
      ;;
    Words)
      folders+=(words)
      beside page Words words WordsUmpire/Words
      beside app_core Words WordsCore words/words.wasm
      ;;
    ScreenTime) folders+=(screentime); beside page ScreenTime screentime ScreenTimeBook/ScreenTime ;;
    *) echo "web.sh: $part is no part. They are library, Albums, Quakes, Sudoku, Words, ScreenTime." >&2; exit 2 ;;
  esac
done
settle

# Zopfli finds the smallest deflate stream: 3 % less for every guest to load.
(cd "$work" && find "${folders[@]}" -type f -print0 | xargs -0 -n 12 -P "$(nproc)" zopfli --i15)
for folder in "${folders[@]}"; do
  rm -rf "${out:?}/$folder"
  mv "$work/$folder" "$out/$folder"
done
