# Restores one dump of BACKUP_DIR (the newest, or the one that is named) into a new database under the old name. The broken
# database is renamed and kept: it may know more than the dump. Refuses while somebody is connected.
set -eu
url="$(cat "$DATABASE_URL_FILE")"
name="${1:-$(cd "$BACKUP_DIR" && ls tramita-*.dump | sort | tail -n 1)}"
[ -f "$BACKUP_DIR/$name" ] || { echo "restore: there is no $BACKUP_DIR/$name" >&2; exit 1; }
database="${url##*/}"; database="${database%%\?*}"
owner="${url#*://}"; owner="${owner%%:*}"
host="${url##*@}"; host="${host%%/*}"
PGPASSWORD="$(cat "$ADMIN_PASSWORD_FILE")"; export PGPASSWORD
kept="${database}_broken_$(date -u +%Y%m%dT%H%M%SZ)"
# Roles are not in a dump. The owner makes them, as on the first day: from PostgreSQL 16 on only who made a role, or has its
# admin option, gives it a login, and migrate does that as the owner.
psql -q -v ON_ERROR_STOP=1 -v database="$database" -v owner="$owner" -v kept="$kept" \
  "postgresql://$ADMIN_USER@$host/postgres" <<'SQL'
set role :"owner";
select format('create role %I', name) from unnest(array['tramita_bridge', 'tramita_codec', 'tramita_reader']) as name
where not exists (select from pg_roles where rolname = name) \gexec
reset role;
alter database :"database" rename to :"kept";
create database :"database" owner :"owner";
SQL
unset PGPASSWORD
pg_restore --no-owner --exit-on-error --dbname="$url" "$BACKUP_DIR/$name"
echo "restored $name; the database of before is $kept"
