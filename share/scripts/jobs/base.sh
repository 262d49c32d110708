# Words, the lock, programs and SQL: what every job begins with.
set -u
umask 077

table="${MANAGER_JOBS_SCHEMA:-manager_schema}.jobs"
mode=${MANAGER_JOBS_MODE:-sql}
batch=${MANAGER_LOG_BATCH:-5}
base=${MANAGER_BASEDIR:-}
seconds=${MANAGER_SECONDS:-120} # longest start or stop of the server
limit=60000                     # bytes of a job's output that are kept: its end
url='' address='' token=''
known='jobs-check mariabackup xtrabackup reseedmariabackup reseedxtrabackup flashbackmariabackup flashbackxtrabackup
reseedmysqldump flashbackmysqldump errorlog slowquery auditlog sqlerrors optimize analyze zfssnapback stop start restart
print-defaults'

say() { printf 'dbjobs_new: %s\n' "$*" >&2; }

stop() {
  say "$*"
  exit 1
}

# reason: the last line that a failed command wrote.
reason() { grep '[^ ]' "$tmp/error" 2>/dev/null | tail -n 1; }

have() { command -v "$1" >/dev/null 2>&1; }

# first_program NAME…: the first that is installed, below the server's own folder or on the path.
first_program() {
  for name in "$@"; do
    for place in ${base:+"$base/bin" "$base/usr/bin"}; do
      if [ -x "$place/$name" ]; then
        echo "$place/$name"
        return 0
      fi
    done
    command -v "$name" && return 0
  done
  return 1
}

# sql TEXT: the rows that the statements give, columns parted by tabs. Nothing of it is replicated.
sql() {
  printf 'SET sql_log_bin=0;\n%s\n' "$1" |
    "$client_program" --defaults-file="$conf/my.cnf" --user="${MYSQL_ROOT_USER:-root}" --batch --skip-column-names --connect-timeout=10
}

# hex FILE: its last bytes as SQL, whatever they are.
hex() {
  printf "CONVERT(UNHEX('%s') USING utf8mb4)" "$(tail -c "$limit" "$1" | od -An -v -tx1 | tr -d ' \n')"
}

# bounded PROGRAM…: ended at the deadline of the job, whatever it does; the server goes before it on the processor and the disk.
bounded() {
  left=$((ends_at - $(date +%s)))
  [ "$left" -gt 0 ] || stop 'the deadline of the job has passed'
  if have timeout; then set -- timeout -k 10 "$left" "$@"; fi
  if have ionice && ionice -c 2 -n 7 true 2>/dev/null; then set -- ionice -c 2 -n 7 "$@"; fi
  if have nice; then set -- nice -n 10 "$@"; fi
  "$@"
}

# One run at a time: the lock is a folder, and that of a run that was killed is taken over. A task that was given to this
# run waits for its turn.
lock=${TMPDIR:-/tmp}/dbjobs_new.$(id -u)$(printf '%s' "$conf" | tr / .)
take_lock() {
  waited=0
  until mkdir "$lock" 2>/dev/null; do
    if kill -0 "$(cat "$lock/pid" 2>/dev/null)" 2>/dev/null; then
      [ "$mode" = direct ] || exit 0
      [ "$waited" -lt "${MANAGER_LOCK_SECONDS:-60}" ] || stop "another run (process $(cat "$lock/pid")) works on this server"
      waited=$((waited + 1))
      sleep 1
    elif [ -d "$lock" ]; then
      rm -rf "$lock"
    else
      stop "cannot make the lock $lock"
    fi
  done
  trap 'rm -rf "$lock"' EXIT
  trap 'exit 1' HUP INT TERM
  echo $$ >"$lock/pid" || stop "cannot write to $lock: is the disk full?"
  tmp=$lock/run
  mkdir "$tmp" || stop "cannot make $tmp"
  tree=$tmp/tree
}
