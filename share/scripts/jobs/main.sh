# One run: every job that is asked for gets an answer.

# Says what this script works with.
check_jobs() {
  echo "tasks: $known" | tr '\n' ' '
  echo
  for name in mariadb mysql mariadb-backup mariabackup xtrabackup mbstream xbstream mariadb-dump mysqldump socat openssl curl wget gzip; do
    command -v "$name" || echo "$name is not installed"
  done
}

# check_tables OPTION: the client's checker on all tables, not replicated.
check_tables() {
  checker=$(first_program mariadb-check mysqlcheck) || stop 'neither mariadb-check nor mysqlcheck is installed'
  bounded "$checker" --defaults-file="$conf/my.cnf" --user="${MYSQL_ROOT_USER:-root}" "$1" --all-databases --skip-write-binlog
}

# print_defaults: the options that the server starts with, without passwords.
print_defaults() {
  printer=$(first_program my_print_defaults) || stop 'my_print_defaults is not installed'
  "$printer" --defaults-file="$conf/my.cnf" mysqld server mariadb mariadbd mysqld-"$(sql 'SELECT @@version;' | cut -d . -f 1,2)" |
    grep -v -i password
}

# roll_back: the file system of the data goes back to its newest snapshot, or to the newest from before the second that the
# job names; what was written since then is lost. A job that only asks for the snapshot changes nothing.
roll_back() {
  have zfs || stop 'zfs is not installed: there is no snapshot to go back to'
  choose_programs || stop 'neither mariadbd nor mysqld is installed'
  dataset=$(zfs list -H -o name "$data") || stop "$data is not on ZFS"
  before=$(param before)
  snapshot=$(zfs list -H -p -t snapshot -o creation,name -s creation -d 1 "$dataset" |
    awk -v before="${before:-0}" 'before == 0 || $1 < before { name = $2 } END { print name }')
  [ -n "$snapshot" ] || stop "$dataset has no snapshot${before:+ from before second $before}"
  if [ "$(param only)" = ask ]; then
    echo "snapshot: $snapshot"
    return 0
  fi
  (stop_server) || stop 'the server does not stop'
  zfs rollback -r "$snapshot" || stop "$dataset cannot go back to $snapshot"
  echo "$dataset is back at $snapshot"
  (start_server) 5>&- || stop 'the server does not start'
}

serve() {
  choose_programs || stop 'neither mariadbd nor mysqld is installed'
  case $1 in
    stop) stop_server ;;
    start) (start_server) 5>&- ;;
    restart) stop_server && (start_server) 5>&- ;;
  esac
}

run_task() {
  case $task in
    jobs-check) check_jobs ;;
    mariabackup | xtrabackup) copy_server ;;
    reseedmariabackup | reseedxtrabackup | flashbackmariabackup | flashbackxtrabackup) replace_data ;;
    reseedmysqldump | flashbackmysqldump) load_dump ;;
    errorlog | error) send_log error ;;
    slowquery) send_log slow ;;
    auditlog) send_log audit ;;
    sqlerrors) send_log sql-error ;;
    optimize) check_tables --optimize ;;
    analyze) check_tables --analyze ;;
    zfssnapback) roll_back ;;
    stop | start | restart) serve "$task" ;;
    print-defaults) print_defaults ;;
    *) stop "the task $task is not known here; known: $known" ;;
  esac
}

# run_job ID TASK PORT SERVER PAYLOAD
run_job() {
  id=$1 task=$2 peer_port=$3 peer=$4 payload=$5
  job=$tmp/$id
  mkdir "$job" || stop "cannot make $job"
  out=$job/out
  : >"$out"
  deadline=$(param deadline)
  ends_at=$(($(date +%s) + ${deadline:-86400}))
  # A manager that cannot be reached over HTTP gets no lines while the job runs: they are in its result.
  if [ "$mode" = sql ] && (reach_manager) 2>>"$out"; then reach_manager; fi
  begin_job
  case $? in 0) ;; 2) return 0 ;; *) return 1 ;; esac
  ship_output &
  shipper=$!
  if (run_task) </dev/null >>"$out" 2>&1; then state=3; else state=5; fi
  : >"$job/ended"
  wait "$shipper"
  [ ! -s "$job/data" ] || cat "$job/data" >&5
  end_job "$state"
}

# run_table: the open rows of the job table.
run_table() {
  make_table || stop 'the job table cannot be reached or made'
  sql "SELECT CONCAT_WS('|', id, task, port, server, COALESCE(payload, '')) FROM $table WHERE done = 0 AND state = 0 ORDER BY id;" \
    >"$tmp/jobs" || stop 'the job table cannot be read'
  failed=0
  while IFS='|' read -r id task port server payload; do
    run_job "$id" "$task" "$port" "$server" "$payload" </dev/null || failed=1
  done <"$tmp/jobs"
  [ "$failed" = 0 ] || stop 'the end of a job could not be written to the job table'
}

# run_direct: the one job of the environment, MANAGER_JOB: id, task, port, server and payload, parted by |.
run_direct() {
  rest=$MANAGER_JOB
  unset MANAGER_JOB
  set --
  for _ in id task port server; do
    set -- "$@" "${rest%%|*}"
    rest=${rest#*|}
  done
  run_job "$@" "$rest"
  [ "$state" = 3 ]
}

# run_api: what the manager has for this server.
run_api() {
  payload=''
  reach_manager
  [ -n "$url" ] || stop 'MANAGER_URL is not set: without it there is no job to ask for'
  ask "$address/needs/jobs" "$tmp/tasks"
  [ "$status" = 200 ] || return 0
  [ -n "$token" ] || log_in
  while read -r task; do
    ask_again "$address/actions/receive-task/$task" "$tmp/order" || continue
    [ "$status" = 200 ] || continue
    IFS='|' read -r id task port server payload <"$tmp/order"
    run_job "$id" "$task" "$port" "$server" "$payload" </dev/null || say "the end of $task could not be reported"
  done <"$tmp/tasks"
}

main() {
  [ -r "$conf/my.cnf" ] || stop "cannot read $conf/my.cnf"
  client_program=$(first_program mariadb mysql) || stop 'neither mariadb nor mysql is installed: a client is needed'
  take_lock
  [ -z "${MYSQL_ROOT_PASSWORD:-}" ] || export MYSQL_PWD="$MYSQL_ROOT_PASSWORD"
  unset MYSQL_ROOT_PASSWORD
  case $mode in
    direct)
      exec 5>&1
      run_direct
      ;;
    api) run_api ;;
    sql) run_table ;;
    *) stop "MANAGER_JOBS_MODE must be sql, api or direct: $mode" ;;
  esac
}

main "$@" </dev/null
