# Physical copies: made from the running server, and put in place of its data.

# tool_for TASK: the program of the copy, and of its stream.
tool_for() {
  case $1 in
    *xtrabackup)
      tool=$(first_program xtrabackup) || stop 'xtrabackup is not installed on this host'
      unpack_with=$(first_program xbstream) || stop 'xbstream is not installed on this host'
      format=xbstream
      ;;
    *)
      tool=$(first_program mariadb-backup mariabackup) || stop 'mariadb-backup is not installed on this host'
      unpack_with=$(first_program mbstream) || stop 'mbstream is not installed on this host'
      format=mbstream
      ;;
  esac
}

# copy_server: a consistent copy as a stream, with its position at the end of the output.
copy_server() {
  tool_for "$task"
  mkdir "$job/target"
  throttle=$(param throttle)
  case $format-$(param lockddl) in
    mbstream-on) lock=--lock-ddl-per-table ;;
    xbstream-on) lock=--lock-ddl=ON ;;
    xbstream-off) lock=--lock-ddl=OFF ;;
    *) lock='' ;;
  esac
  send bounded "$tool" --defaults-file="$conf/my.cnf" --backup --stream="$format" --user="${MYSQL_ROOT_USER:-root}" \
    --databases-exclude=.system --target-dir="$job/target" ${throttle:+"--throttle=$throttle"} ${lock:+"$lock"}
  grep -q 'completed OK!' "$out" || stop 'the tool ended without "completed OK!": the copy is not whole'
}

# replace_data: takes a copy, prepares it beside the data, then the server stops and changes over. The old data are kept; if
# the server does not start on the copy, they are restored.
replace_data() {
  tool_for "$task"
  choose_programs || stop 'neither mariadbd nor mysqld is installed'
  [ ! -L "$data" ] || stop "$data is a link and cannot be moved aside: name the folder itself"
  disk=$(df -Pk "$data" | tail -n 1)
  [ "${disk##*% }" != "$data" ] || stop "$data is a mount point and cannot be moved aside: mount the disk one folder higher"
  copy=$data.reseed
  rm -rf "$copy" "$data".reseeded-*
  mkdir "$copy" || stop "cannot make $copy"
  take "$unpack_with" -x -C "$copy"
  [ -e "$copy/xtrabackup_checkpoints" ] || [ -e "$copy/mariadb_backup_checkpoints" ] || stop 'what was received is no physical copy'
  bounded "$tool" --prepare --target-dir="$copy" || stop "the copy cannot be prepared (status $?): the data are as they were"
  change_over
}

change_over() {
  cat "$copy/xtrabackup_binlog_info" "$copy/mariadb_backup_binlog_info" 2>/dev/null | sed 's/^/position of the copy: /'
  time=$(date -u +%Y%m%dT%H%M%SZ)
  (stop_server) || stop 'the server does not stop: its data are as they were'
  mv "$data" "$data.reseeded-$time" || stop "$data cannot be moved aside"
  if fill_data && start_closed; then
    echo "the copy is in place; the old data are kept in $data.reseeded-$time until the next copy"
    rm -rf "$copy"
    return 0
  fi
  (stop_server) || :
  rm -rf "$data"
  mv "$data.reseeded-$time" "$data"
  (start_server) 5>&- || stop 'the server starts neither on the copy nor on its old data, which are restored'
  stop 'the server does not start on the copy: its old data are restored'
}

# start_closed: read-only, whatever the configuration says: no application writes to it before the manager has set its position.
# The next start is as configured.
start_closed() {
  closed=$conf/custom.d/zzzz-filled.cnf
  mkdir -p "$conf/custom.d" && printf '[mysqld]\nread_only = ON\n' >"$closed" && chmod 0644 "$closed" || return 1
  (start_server) 5>&-
  started=$?
  rm -f "$closed"
  return "$started"
}

# fill_data: the copy where the configuration wants its parts, in the folders that the old data had.
fill_data() {
  old=$data.reseeded-$time
  mkdir "$data" || return 1
  (cd "$old" && for folder in .system init; do [ ! -d "$folder" ] || find "$folder" -type d; done) |
    while read -r folder; do mkdir -p "$data/$folder"; done
  [ ! -d "$old/init" ] || cp -RPp "$old/init/." "$data/init/"
  [ ! -d "$old/.system/logs" ] || cp -RPp "$old/.system/logs/." "$data/.system/logs/"
  for mark in .made-by-manager .filled-by-manager; do [ ! -e "$old/$mark" ] || cp -p "$old/$mark" "$data/"; done
  bounded "$tool" --defaults-file="$conf/my.cnf" --move-back --force-non-empty-directories \
    --target-dir="$copy" --datadir="$data" || return 1
  chmod --reference="$old" "$data" 2>/dev/null || chmod 0750 "$data"
  [ "$(id -u)" != 0 ] || chown -R "$owner:" "$data"
  if have restorecon; then restorecon -R "$data" >/dev/null 2>&1 || :; fi
}

# load_dump: statements of a logical copy, run here. They are no transactions of this server.
load_dump() {
  take "$client_program" --defaults-file="$conf/my.cnf" --user="${MYSQL_ROOT_USER:-root}" \
    --init-command='SET SESSION sql_log_bin = 0' --max-allowed-packet=1G
}
