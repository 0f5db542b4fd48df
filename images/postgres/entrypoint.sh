#!/bin/sh
# Makes the database at the first start, then becomes the server, as the user `postgres`.
set -eu

if [ "$(id -u)" = 0 ]; then
  mkdir -p "$PGDATA" /var/run/postgresql
  chown postgres:postgres "$PGDATA" /var/run/postgresql
  chmod 700 "$PGDATA"
  exec setpriv --reuid=postgres --regid=postgres --init-groups sh "$0" "$@"
fi

if [ ! -s "$PGDATA/PG_VERSION" ]; then
  user=${POSTGRES_USER:-postgres}
  password=${POSTGRES_PASSWORD:-}
  [ -z "${POSTGRES_PASSWORD_FILE:-}" ] || password=$(cat "$POSTGRES_PASSWORD_FILE")
  [ -n "$password" ] || { echo 'set POSTGRES_PASSWORD or POSTGRES_PASSWORD_FILE' >&2; exit 1; }
  # A file is the only way in that no process list shows.
  secret=$(mktemp)
  printf '%s\n' "$password" > "$secret"
  initdb --username="$user" --pwfile="$secret" --auth-local=trust --auth-host=scram-sha-256 --encoding=UTF8 > /dev/null
  rm "$secret"
  echo 'host all all all scram-sha-256' >> "$PGDATA/pg_hba.conf"
  # Reached over its socket alone until it is complete: whoever connects over the network finds the whole of it.
  pg_ctl --wait --silent --options="-c listen_addresses=''" start
  database=${POSTGRES_DB:-$user}
  [ "$database" = postgres ] || createdb --username="$user" "$database"
  pg_ctl --wait --silent --mode=fast stop
fi

exec "$@" -c listen_addresses='*'
