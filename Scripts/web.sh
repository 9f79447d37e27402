#!/usr/bin/env bash
# Puts the browser's files together: web.sh OUT makes OUT/page (the album), OUT/quakes, OUT/sudoku,
# OUT/words, OUT/screentime, OUT/reunion and their .gz forms.
#
# The sources run as they are; here they only lose their comments and blanks, which saves a
# guest's phone a fifth of the bytes.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
out=$1
rm -rf "$out.new"
mkdir -p "$out.new/page" "$out.new/quakes" "$out.new/sudoku" "$out.new/words" "$out.new/screentime"

bare() { sed -E '/^ *\/\*\*.*\*\/$/d; /^ *\/\*\*/,/\*\/$/d; s/(^| +)\/\/ .*$//; s/^ +//; /^$/d' "$1"; }
lean() { bare "$1" | perl -0p "$root/Scripts/lean.pl" > "$2"; }
tight() { sed -E 's/^ +//; s/ *([{};]) */\1/g; s/([:,]) /\1/g' "$1" | tr -d '\n' > "$2"; }
# The module of an app's model is made here and stands in no tree of sources.
"$root/Scripts/generate-model.sh" "$out.new/generate-model"
# What the pages of all apps share goes with each of them.
kit="$root/Apps/Shared/Page"
page() { # an app, the folder where its page goes, and where its model is
  local sources="$root/Apps/$1/Page" to="$out.new/$2" file
  for file in "$sources"/*.js; do lean "$file" "$to/$(basename "$file")"; done
  "$out.new/generate-model" "$root/Apps/$1/Sources/$3.reunionmodel" "$to/whole.js" --javascript
  lean "$to/whole.js" "$to/model.js"
  rm "$to/whole.js"
  for file in "$sources"/*.html; do bare "$file" > "$to/$(basename "$file")"; done
  perl "$root/Scripts/frame.pl" "$root/Web" "$kit" "$sources" | bare /dev/stdin > "$to/index.html"
  for file in "$sources"/*.css; do tight "$file" "$to/$(basename "$file")"; done
  mkdir "$to/kit"
  for file in "$kit"/*.js; do lean "$file" "$to/kit/$(basename "$file")"; done
  for file in "$kit"/*.css; do tight "$file" "$to/kit/$(basename "$file")"; done
}
page Albums page Albums/Album
page Quakes quakes Quakes/Quakes
page Sudoku sudoku Sudoku/Sudoku
page Words words WordsUmpire/Words
page ScreenTime screentime ScreenTimeBook/ScreenTime
rm "$out.new/generate-model"
(cd "$root/Web" && find . -name '*.js') | while read -r file; do
  mkdir -p "$out.new/reunion/$(dirname "$file")"
  lean "$root/Web/$file" "$out.new/reunion/$file"
done
"$root/Web/core/build.sh" "$out.new/reunion/conversation.wasm" -DCONVERSATION
"$root/Web/core/build.sh" "$out.new/reunion/core.wasm"
SOURCES="$root/Apps/Sudoku/Sources/SudokuCore" "$root/Web/core/build.sh" "$out.new/sudoku/sudoku.wasm"
SOURCES="$root/Apps/Words/Sources/WordsCore" "$root/Web/core/build.sh" "$out.new/words/words.wasm"
# The models of all apps have registers alone.
"$root/Web/core/build.sh" "$out.new/reunion/registers.wasm" -DREGISTERS_ONLY

# Zopfli finds the smallest deflate stream: 3 % less for every guest to load.
(cd "$out.new" && find page quakes sudoku words screentime reunion -type f ! -name '*.gz' -exec zopfli --i15 {} +)
rm -rf "$out"
mv "$out.new" "$out"
