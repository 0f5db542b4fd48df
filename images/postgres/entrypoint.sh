#!/bin/sh
# Creates the database at the first start, then executes the server, as the user `postgres`.
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
  # Process lists show arguments and variables, so the password goes through a file.
  secret=$(mktemp)
  printf '%s\n' "$password" > "$secret"
  initdb --username="$user" --pwfile="$secret" --auth-local=trust --auth-host=scram-sha-256 --encoding=UTF8 > /dev/null
  rm "$secret"
  echo 'host all all all scram-sha-256' >> "$PGDATA/pg_hba.conf"
  # Until the database is complete, the server listens on its socket only. Clients on the network never see half of it.
  pg_ctl --wait --silent --options="-c listen_addresses=''" start
  database=${POSTGRES_DB:-$user}
  [ "$database" = postgres ] || createdb --username="$user" "$database"
  pg_ctl --wait --silent --mode=fast stop
fi

exec "$@" -c listen_addresses='*'
