# The database program of a host: its system tables, its first accounts, its start and its stop.

# find_program NAME…: the first that is installed; empty when none is.
find_program() {
  for name in "$@"; do
    for folder in "$base" "$base/usr"; do
      for place in sbin bin libexec scripts; do
        if [ -x "$folder/$place/$name" ] && [ ! -d "$folder/$place/$name" ]; then
          echo "$folder/$place/$name"
          return 0
        fi
      done
    done
  done
  for name in "$@"; do
    if have "$name"; then
      command -v "$name"
      return 0
    fi
  done
}

choose_programs() {
  server=$(find_program mariadbd mysqld)
  [ -n "$server" ] || return 1
  # A server below a folder of its own finds its messages and scripts from there.
  home=''
  if [ -n "$base" ]; then
    case $server in
      "$base"/usr/*) home=$base/usr ;;
      "$base"/*) home=$base ;;
    esac
  fi
  owner=$(id -un)
  if [ "$owner" = root ] && id mysql >/dev/null 2>&1; then owner=mysql; fi
}

has_systemd() { [ -d /run/systemd/system ] && have systemctl; }

# find_unit: the unit that starts the database here.
find_unit() {
  for unit in mariadb mysql mysqld; do
    if systemctl cat "$unit.service" >/dev/null 2>&1; then
      echo "$unit"
      return 0
    fi
  done
  stop 'systemd knows no unit mariadb, mysql or mysqld'
}

# running_server: the process whose working folder is the data folder; empty when there is none.
running_server() {
  where=$(cd "$data" 2>/dev/null && pwd -P) || return 0
  for process in /proc/[0-9]*; do
    [ "$(readlink "$process/cwd" 2>/dev/null)" = "$where" ] || continue
    case $(cat "$process/comm" 2>/dev/null) in
      mariadbd | mysqld)
        echo "${process#/proc/}"
        return 0
        ;;
    esac
  done
}

# is_alive PROCESS: one that has ended and whose status was not collected is not.
is_alive() {
  case $(sed -n 's/^State:[^A-Z]*//p' "/proc/$1/status" 2>/dev/null) in '' | Z* | X*) return 1 ;; esac
}

# option_of NAME: what the server's configuration says in the end.
option_of() {
  "$server" --defaults-file="$conf/my.cnf" ${home:+"--basedir=$home"} --user="$owner" --verbose --help 2>/dev/null |
    sed -n "s/^$1  *\([^ ].*\)/\1/p" | tail -n 1
}

# install_tables: an empty database. Its root is the system's root until an account is made.
install_tables() {
  write_accounts
  installer=$(find_program mariadb-install-db mysql_install_db)
  if [ -n "$installer" ]; then
    run_installer 'the system tables cannot be installed' "$installer" --defaults-file="$conf/my.cnf" ${home:+"--basedir=$home"} \
      --datadir="$data" --user="$owner" --skip-test-db \
      --auth-root-authentication-method=socket --auth-root-socket-user=root
    [ ! -s "$tmp/accounts" ] ||
      run_installer 'the accounts cannot be made' "$server" --defaults-file="$conf/my.cnf" ${home:+"--basedir=$home"} \
        --datadir="$data" --user="$owner" --bootstrap <"$tmp/accounts"
  else
    initialise
  fi
  rm -f "$tmp/accounts"
}

# run_installer WHY PROGRAM…: its errors are the reason when it fails.
run_installer() {
  why=$1
  shift
  "$@" >"$tmp/install" 2>&1 || {
    grep -i 'error' "$tmp/install" >"$tmp/error" || cp "$tmp/install" "$tmp/error"
    stop "$why: $(reason)"
  }
}

# initialise: a server of MySQL creates its tables and accounts, in a folder with nothing but names that begin with
# a dot, as the user that it runs as. Its own root has no password and is locked where another account has all rights.
# That user gets a folder with the accounts alone: what is beside them (the login at the manager, keys) stays closed.
initialise() {
  [ ! -s "$tmp/accounts" ] || [ "$MYSQL_ROOT_USER" = root ] || echo 'ALTER USER root@localhost ACCOUNT LOCK;' >>"$tmp/accounts"
  handed=$(mktemp -d "${TMPDIR:-/tmp}/manager.XXXXXX") || stop "no temporary folder can be made below ${TMPDIR:-/tmp}"
  mv "$tmp/accounts" "$handed/accounts"
  chown -R "$owner" "$handed"
  [ ! -e "$data/init" ] || mv "$data/init" "$tmp/init"
  run_installer 'the system tables cannot be installed' "$server" --defaults-file="$conf/my.cnf" ${home:+"--basedir=$home"} \
    --datadir="$data" --user="$owner" --log-error=stderr --initialize-insecure --init-file="$handed/accounts"
  rm -rf "$handed"
  [ ! -e "$tmp/init" ] || mv "$tmp/init" "$data/init"
}

# write_accounts: MANAGER_INIT_SQL as it is, and an account with all rights for MYSQL_ROOT_PASSWORD. Made before the server
# can be reached; no binary log holds them.
write_accounts() {
  : >"$tmp/accounts"
  chmod 0600 "$tmp/accounts"
  [ -n "${MANAGER_INIT_SQL:-}${MYSQL_ROOT_PASSWORD:-}" ] || return 0
  case ${MYSQL_ROOT_USER:=root}${MYSQL_ROOT_PASSWORD:-} in *[[:cntrl:]]*) stop 'MYSQL_ROOT_PASSWORD holds a control character' ;; esac
  {
    echo 'SET sql_log_bin = 0;'
    echo 'FLUSH PRIVILEGES;'
    if [ -n "${MYSQL_ROOT_PASSWORD:-}" ]; then
      for from in localhost 127.0.0.1 ::1 %; do
        account=$(printf "'%s'@'%s'" "$(sql_text "$MYSQL_ROOT_USER")" "$from")
        printf "CREATE USER IF NOT EXISTS %s;\nALTER USER %s IDENTIFIED BY '%s';\n" "$account" "$account" "$(sql_text "$MYSQL_ROOT_PASSWORD")"
        printf 'GRANT ALL PRIVILEGES ON *.* TO %s WITH GRANT OPTION;\n' "$account"
      done
    fi
    [ -z "${MANAGER_INIT_SQL:-}" ] || printf '%s\n' "$MANAGER_INIT_SQL"
  } >"$tmp/accounts"
}

sql_text() { printf '%s' "$1" | sed "s/\\\\/\\\\\\\\/g; s/'/''/g"; }

stop_server() {
  if has_systemd && [ -z "$base" ]; then
    unit=$(find_unit)
    systemctl stop "$unit" 2>"$tmp/error" || stop "$unit cannot be stopped: $(reason)"
  fi
  pid=$(running_server)
  [ -n "$pid" ] || return 0
  kill "$pid" || ! is_alive "$pid" || stop "the server (process $pid) cannot be stopped"
  waited=0
  while is_alive "$pid"; do
    [ "$waited" -lt "$seconds" ] || stop "the server (process $pid) does not end within $seconds s"
    sleep 1
    waited=$((waited + 1))
  done
}

# start_server: running already is success, and nothing is interrupted.
start_server() {
  pid=$(running_server)
  if [ -n "$pid" ]; then
    say "the server runs already (process $pid); what is new takes effect at its next start"
    return 0
  fi
  if has_systemd && [ -z "$base" ]; then
    unit=$(find_unit)
    systemctl enable "$unit" >/dev/null 2>&1 || :
    systemctl start "$unit" 2>"$tmp/error" || stop "$unit does not start: $(reason)$(last_errors)"
    say "$unit runs"
  else
    start_directly
  fi
}

start_directly() {
  socket=$(option_of socket)
  pid_file=$(option_of pid-file)
  case $pid_file in /*) ;; *) pid_file=$data/$pid_file ;; esac
  for folder in "${socket%/*}" "${pid_file%/*}"; do
    [ -d "$folder" ] || { mkdir -p "$folder" && chown "$owner" "$folder"; } || stop "$folder cannot be made"
  done
  output=$data/.system/logs/output.log
  [ -d "${output%/*}" ] || output=/dev/null
  set -- "$server" --defaults-file="$conf/my.cnf" ${home:+"--basedir=$home"} --user="$owner"
  if have setsid; then set -- setsid "$@"; fi
  (cd / && exec nohup "$@" </dev/null >>"$output" 2>&1) &
  waited=0
  until [ -S "$socket" ] && [ -s "$pid_file" ] && [ -n "$(running_server)" ]; do
    is_alive "$!" || [ -n "$(running_server)" ] || stop "the server ended soon after its start$(last_errors)"
    [ "$waited" -lt "$seconds" ] || stop "the server does not answer within $seconds s; it was left running$(last_errors)"
    sleep 1
    waited=$((waited + 1))
  done
  say "the server runs (process $(running_server))"
}

# last_errors: what the server wrote, for the line that says why it does not start.
last_errors() {
  log=$(option_of log-error)
  for file in "$log" "$data/.system/logs/output.log"; do
    [ -f "$file" ] || continue
    words=$(grep '\[ERROR\]' "$file" 2>/dev/null | tail -n 2 | sed 's/.*\[ERROR\] //' | tr '\n' ';')
    [ -z "$words" ] || { printf ': %s' "$words"; return 0; }
  done
}

# place_host_configuration: the unpacked files into the configuration of this host.
place_host_configuration() {
  place_configuration "$tree/etc/mysql" "$conf" "$(id -un):"
  [ ! -d "$conf/ssl" ] || chown -R "$owner" "$conf/ssl"
  place_family
}

# allow_access: what SELinux must know of new files.
allow_access() {
  if have restorecon; then restorecon -R "$conf" "$data" >/dev/null 2>&1 || :; fi
}
