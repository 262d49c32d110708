# Fills an empty MariaDB server from another one: a consistent copy in SQL, from program to program, never in a file.
# Runs on the host of the empty server. POSIX sh. It reads from its environment:
# MANAGER_DONOR_HOST, MANAGER_DONOR_PORT, MANAGER_HOST, MANAGER_PORT, MANAGER_USER, MANAGER_PASSWORD, MANAGER_DATADIR,
# MANAGER_BASEDIR (a server below a folder of its own; empty for programs of the system),
# MANAGER_TLS (true: the sessions use TLS), MANAGER_TLS_CA, MANAGER_TLS_CERT, MANAGER_TLS_KEY (files; may be empty).
# shellcheck shell=sh
set -eu

die() { printf '%s\n' "$*" >&2; exit 1; }

# find_program NAME…: the first that is installed.
find_program() {
  for name in "$@"; do
    for place in ${MANAGER_BASEDIR:+"$MANAGER_BASEDIR/bin" "$MANAGER_BASEDIR/usr/bin"}; do
      if [ -x "$place/$name" ]; then echo "$place/$name"; return 0; fi
    done
    if command -v "$name" 2>/dev/null; then return 0; fi
  done
  die "$1 is not installed on this host (package mariadb-client): it copies the data"
}

# quoted TEXT: a value of an option file.
quoted() { printf '"%s"' "$(printf '%s' "$1" | sed 's/\\/\\\\/g; s/"/\\"/g')"; }

# options HOST PORT [LINE…]: an option file. It goes through a pipe: the password is on no command line and on no disk
# (an older bash writes a here-document to a file).
options() {
  printf '[client]\nhost=%s\nport=%s\nuser=%s\npassword=%s\nprotocol=tcp\ndefault-character-set=utf8mb4\n' \
    "$(quoted "$1")" "$2" "$(quoted "$user")" "$(quoted "$password")"
  if [ "${MANAGER_TLS:-}" = true ]; then
    echo ssl
    [ ! -r "${MANAGER_TLS_CA:-}" ] || printf 'ssl-ca=%s\n' "$(quoted "$MANAGER_TLS_CA")"
    [ ! -r "${MANAGER_TLS_CERT:-}" ] || [ ! -r "${MANAGER_TLS_KEY:-}" ] ||
      printf 'ssl-cert=%s\nssl-key=%s\n' "$(quoted "$MANAGER_TLS_CERT")" "$(quoted "$MANAGER_TLS_KEY")"
  fi
  shift 2
  for line in "$@"; do printf '%s\n' "$line"; done
}

# Statements of the copy are kept out of the binary log of the new server: they are not transactions of its own.
at_target="init-command='SET SESSION sql_log_bin = 0, max_statement_time = 0'"

donor() { options "$donor_host" "$donor_port" | "$client" --defaults-file=/dev/stdin -N -B -e "$1"; }

target() { options "$host" "$port" '[mysql]' "$at_target" | "$client" --defaults-file=/dev/stdin -N -B -e "$1"; }

# What changes outside of the snapshot of a copy: accounts and routines.
outside="CHECKSUM TABLE mysql.global_priv, mysql.user, mysql.db, mysql.tables_priv, mysql.columns_priv, mysql.procs_priv, \
mysql.proxies_priv, mysql.roles_mapping, mysql.proc, mysql.func, mysql.servers, mysql.plugin"

own_schemas="'mysql', 'information_schema', 'performance_schema', 'sys'"

check() {
  from=$(donor 'SELECT @@log_bin, @@version') || die "the donor $donor_host:$donor_port cannot be read"
  case $from in 1*) ;; *) die "the donor $donor_host:$donor_port writes no binary log: a copy would have no position" ;; esac
  to=$(target 'SELECT @@version') || die "the new server $host:$port cannot be read"
  from=${from#*	}
  [ "$(series "$from")" = "$(series "$to")" ] ||
    die "the new server is $to, the donor $from: system tables are copied between equal versions only"
  held=$(target "SELECT COUNT(*) FROM information_schema.SCHEMATA WHERE SCHEMA_NAME NOT IN ($own_schemas, 'test', '#mysql50#.system', '.system')")
  [ "$held" = 0 ] || die "the new server $host:$port is not empty: nothing is copied into it"
  # A copy in one transaction shows these engines at many instants.
  loose=$(donor "SELECT CONCAT(TABLE_SCHEMA, '.', TABLE_NAME, ' (', ENGINE, ')') FROM information_schema.TABLES
    WHERE TABLE_SCHEMA NOT IN ($own_schemas) AND ENGINE IN ('MyISAM', 'Aria', 'ARCHIVE', 'CSV') LIMIT 3" | tr '\n' ' ')
  [ -z "$loose" ] || die "tables without transactions cannot be copied consistently: ${loose}and maybe more; ALTER TABLE … ENGINE = InnoDB"
}

# series VERSION: 10.11 of 10.11.6-MariaDB.
series() { printf '%s' "$1" | sed 's/^\([0-9]*\.[0-9]*\).*/\1/'; }

dump() {
  options "$donor_host" "$donor_port" 'max-statement-time=0' |
    "$dump" --defaults-file=/dev/stdin --all-databases --single-transaction --quick --gtid --master-data=1 \
      --routines --events --triggers --hex-blob --max-allowed-packet=1G --net-buffer-length=1M \
      --ignore-table=mysql.gtid_slave_pos --ignore-table=mysql.innodb_index_stats \
      --ignore-table=mysql.innodb_table_stats --ignore-table=mysql.transaction_registry \
      --ignore-table=mysql.help_topic --ignore-table=mysql.help_category --ignore-table=mysql.help_keyword \
      --ignore-table=mysql.help_relation
}

# load: runs the statements of its standard input, which is 6 while the options come through 3.
load() {
  {
    options "$host" "$port" '[mysql]' "$at_target" |
      "$client" --defaults-file=/dev/fd/3 --max-allowed-packet=1G 3<&0 <&6 6<&-
  } 6<&0
}

# Both ends are heard: the copy is complete when both programs say so.
copy() {
  {
    ended=$(
      {
        {
          set +e
          dump
          echo "$?" >&4
        } | load >&5
      } 4>&1
    ) || die "the copy was interrupted: the new server $host:$port does not accept it"
  } 5>&1
  [ "$ended" = 0 ] || die "the copy was interrupted: the donor $donor_host:$donor_port does not send it (status $ended)"
}

# A line now and then, so that people see it move. Nothing of it outlives the copy.
watch_size() {
  trap 'kill "$!"; exit 0' TERM
  while :; do
    sleep "${MANAGER_SIGN_SECONDS:-10}" &
    wait "$!"
    echo "$(du -sm "$MANAGER_DATADIR" 2>/dev/null | cut -f1) MB are in the new data folder"
  done
}

main() {
  donor_host=$MANAGER_DONOR_HOST donor_port=$MANAGER_DONOR_PORT host=$MANAGER_HOST port=$MANAGER_PORT
  user=$MANAGER_USER password=$MANAGER_PASSWORD
  unset MANAGER_USER MANAGER_PASSWORD
  case $user$password in *[[:cntrl:]]*) die 'the password of the monitor holds a control character' ;; esac
  dump=$(find_program mariadb-dump mysqldump)
  client=$(find_program mariadb mysql)
  check
  before=$(donor "$outside")
  # Nothing of the donor's runs automatically here, and a crash of a half-filled server costs nothing: it is created again.
  target 'SET GLOBAL event_scheduler = OFF, GLOBAL innodb_flush_log_at_trx_commit = 0, GLOBAL sync_binlog = 0'
  echo "copying everything from $donor_host:$donor_port"
  watch_size &
  sign=$!
  trap 'kill $sign 2>/dev/null || :' EXIT
  copy
  [ "$(donor "$outside")" = "$before" ] ||
    die "accounts or routines of $donor_host:$donor_port were changed while they were copied: begin again"
  # Events of a primary are for a primary: as replication would have made them.
  target "RESET SLAVE ALL; UPDATE mysql.event SET status = 'SLAVESIDE_DISABLED' WHERE status = 'ENABLED'; FLUSH TABLES"
  echo "copied up to $(target 'SELECT @@GLOBAL.gtid_slave_pos')"
}

main
