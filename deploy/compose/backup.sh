# Dumps the database of tramita into BACKUP_DIR now and every BACKUP_EVERY_SECONDS, and removes dumps that are older than
# BACKUP_KEEP_DAYS. A dump has its name only when it is whole; one that fails leaves nothing, and is tried again after five
# minutes. With --once: one dump. With --check: is the newest one young?
set -eu
child=''
part=''
newest() { find "$BACKUP_DIR" -maxdepth 1 -name 'tramita-*.dump' -mmin "-$((BACKUP_EVERY_SECONDS / 60 + 60))" | grep -q .; }
end_child() { [ -z "$child" ] || { kill "$child" 2> /dev/null; wait "$child"; } || true; }
dump() {
  trap 'end_child; [ -z "$part" ] || rm -f "$part"' EXIT
  trap 'exit 143' TERM INT
  # What was killed left them. One that another run of this writes is younger.
  find "$BACKUP_DIR" -maxdepth 1 -name 'tramita-*.dump.part' -mmin +60 -delete
  name="tramita-$(date -u +%Y%m%dT%H%M%SZ).dump"
  part="$BACKUP_DIR/$name.part"
  # In the background: a shell takes a signal only where it waits by itself.
  pg_dump --format=custom --file="$part" "$(cat "$DATABASE_URL_FILE")" &
  child=$!
  wait "$child"
  child=''
  # It can be read to its end.
  pg_restore --list "$part" > /dev/null
  mv "$part" "$BACKUP_DIR/$name"
  find "$BACKUP_DIR" -maxdepth 1 -name 'tramita-*.dump' -mtime "+$BACKUP_KEEP_DAYS" -delete
  echo "$name"
}
case "${1:-}" in
  --check) newest ;;
  --once) dump ;;
  *)
    trap 'end_child; exit 0' TERM INT
    while :; do
      pause="$BACKUP_EVERY_SECONDS"
      sh "$0" --once &
      child=$!
      wait "$child" || { pause=300; echo "backup: the dump failed; it is tried again in $pause seconds" >&2; }
      sleep "$pause" &
      child=$!
      wait "$child"
    done
    ;;
esac
