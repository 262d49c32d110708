# The logs of the server: each is sent to the manager and goes on empty; what was sent is kept here for eight days.

most=4194304 # bytes of a log that one run sends; the rest follows with the next one

# log_file KIND: where the server writes it; empty when it writes none to a file.
log_file() {
  case $1 in
    error) variable='@@log_error' ;;
    slow) variable='@@slow_query_log_file' ;;
    audit) variable="(SELECT VARIABLE_VALUE FROM information_schema.GLOBAL_VARIABLES WHERE VARIABLE_NAME = 'SERVER_AUDIT_FILE_PATH')" ;;
    sql-error) variable="(SELECT VARIABLE_VALUE FROM information_schema.GLOBAL_VARIABLES WHERE VARIABLE_NAME = 'SQL_ERROR_LOG_FILENAME')" ;;
  esac
  file=$(sql "SELECT $variable;") || return 1
  case $file in
    '' | NULL | stderr) ;;
    /*) printf '%s' "$file" ;;
    *) printf '%s/%s' "$data" "$file" ;;
  esac
}

# send_log KIND: what was written since the last time.
send_log() {
  kind=$1
  file=$(log_file "$kind") || stop "the server does not say where its $kind log is"
  if [ -z "$file" ] || [ ! -f "$file" ]; then
    echo "the server writes no $kind log to a file"
    [ "$peer_port" -eq 0 ] || send true
    return 0
  fi
  echo "log: $file"
  part=$file.sending
  set_aside
  head -c "$most" "$part" >"$job/part"
  if [ "$peer_port" -gt 0 ]; then send cat "$job/part"; else deliver "$job/part"; fi
  cat "$job/part" >>"$file-$(date +%Y%m%d)" || stop "$file-$(date +%Y%m%d) cannot be written: is the disk full?"
  tail -c "+$((most + 1))" "$part" >"$part.rest" && mv "$part.rest" "$part"
  [ -s "$part" ] || rm -f "$part"
  keep_days
}

# deliver FILE: to the reader of this run, at its end; else to the manager in batches, each of which it confirms.
deliver() {
  [ -s "$1" ] || return 0
  if [ "$mode" = direct ]; then
    base64 <"$1" | tr -d '\n' | fold -w 1800 | sed 's/^/@log /' >"$job/data"
    echo >>"$job/data"
    return 0
  fi
  if [ -z "$url" ] || [ -z "$(param token)" ]; then stop "the manager cannot be reached over HTTP: its address is not in the order of the job"; fi
  batch=200 sent=0
  total=$(wc -l <"$1")
  while [ "$sent" -lt "$total" ]; do
    ship_batch "$(sed -n "$((sent + 1)),$((sent + batch))p" "$1")" || stop 'the manager does not take the log'
    sent=$((sent + batch))
  done
}

# set_aside: what an earlier run could not send stays at the front. The server opens the log again where it can; the files of
# plugins are emptied.
set_aside() {
  [ -e "$part" ] || : >"$part"
  case $kind in
    error | slow)
      mv "$file" "$file.moved" || stop "$file cannot be moved"
      word=$(printf '%s' "$kind" | tr '[:lower:]' '[:upper:]')
      sql "FLUSH NO_WRITE_TO_BINLOG $word LOGS;" || {
        mv "$file.moved" "$file"
        stop "the server does not open its $kind log again"
      }
      cat "$file.moved" >>"$part" || stop "$part cannot be written: is the disk full?"
      rm -f "$file.moved"
      ;;
    *)
      cat "$file" >>"$part" || stop "$part cannot be written: is the disk full?"
      : >"$file"
      ;;
  esac
}

keep_days() {
  today=$file-$(date +%Y%m%d)
  for old in "$file"-[0-9]*; do
    case $old in "$today" | *.gz | "$file-[0-9]*") ;; *) gzip -f "$old" 2>/dev/null || : ;; esac
  done
  find "$(dirname "$file")" -maxdepth 1 -name "$(basename "$file")-*.gz" -mtime +8 -delete 2>/dev/null || :
}
