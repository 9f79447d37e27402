#!/usr/bin/env bash
# Makes .build/venv with what the browser journeys need.
set -euo pipefail
cd "$(dirname "$0")/.."
wanted="playwright==1.65.2 axe-playwright-python==0.1.8 pillow pillow-heif websockets zxing-cpp pyvips bleak==3.1.0"
# Its photographs, and not what it computes with.
pictures=scikit-image==0.26.0
# For benchmarks, the libraries beside which the store is measured.
[ "${1:-}" != bench ] || wanted="$wanted pycrdt loro numpy"
stamp=.build/venv/.made
case "$(cat $stamp 2>/dev/null)" in "$wanted $pictures"*) exit 0 ;; esac
echo "Installing Python packages: $wanted"
python3 -m venv .build/venv
.build/venv/bin/pip install --quiet --disable-pip-version-check $wanted
.build/venv/bin/pip install --quiet --disable-pip-version-check --no-deps $pictures
echo "$wanted $pictures" > $stamp
