# Dumps the database of tramita into BACKUP_DIR now and every BACKUP_EVERY_SECONDS, and removes dumps that are older than
# BACKUP_KEEP_DAYS. A dump has its name only when it is whole. With --once: one dump. With --check: is the newest one young?
set -eu
newest() { find "$BACKUP_DIR" -maxdepth 1 -name 'tramita-*.dump' -mmin "-$((BACKUP_EVERY_SECONDS / 60 + 60))" | grep -q .; }
dump() {
  name="tramita-$(date -u +%Y%m%dT%H%M%SZ).dump"
  pg_dump --format=custom --file="$BACKUP_DIR/$name.part" "$(cat "$DATABASE_URL_FILE")"
  # It can be read to its end.
  pg_restore --list "$BACKUP_DIR/$name.part" > /dev/null
  mv "$BACKUP_DIR/$name.part" "$BACKUP_DIR/$name"
  find "$BACKUP_DIR" -maxdepth 1 -name 'tramita-*.dump*' -mtime "+$BACKUP_KEEP_DAYS" -delete
  echo "$name"
}
case "${1:-}" in
  --check) newest ;;
  --once) dump ;;
  *)
    trap 'exit 0' TERM INT
    while :; do
      dump
      sleep "$BACKUP_EVERY_SECONDS" &
      wait $!
    done
    ;;
esac
