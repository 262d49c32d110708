# One small step on a database host, chosen by MANAGER_STEP; MANAGER_DATADIR is the data folder, MANAGER_CONFIGDIR where
# my.cnf lies, MANAGER_BASEDIR the folder of a server that has one of its own (empty for programs of the system); `tail`
# shows the last MANAGER_BYTES of MANAGER_FILE, `options` the option files of the server. POSIX sh.
# shellcheck shell=sh
set -eu

mark="$MANAGER_DATADIR/.made-by-manager"
# The copy from another server is complete, and the server was started on it.
filled="$MANAGER_DATADIR/.filled-by-manager"
# Where the old data are on their way aside.
moving="$MANAGER_DATADIR.moving"
# Of the scripts that make and start the server here.
lock="${MANAGER_BASEDIR:-/run/manager}/.manager-lock"

die() { printf '%s\n' "$*" >&2; exit 1; }

# What the host is and what lies in its data folder, as `name=value` lines.
inspect() {
  family=unknown
  if [ -r /etc/os-release ]; then
    # shellcheck disable=SC1091
    case " $(. /etc/os-release; printf '%s %s' "${ID-}" "${ID_LIKE-}") " in
      *' debian '* | *' ubuntu '*) family=debian ;;
      *' rhel '* | *' fedora '* | *' centos '*) family=redhat ;;
    esac
  fi
  data=none
  [ ! -d "$MANAGER_DATADIR/mysql" ] || data=foreign
  [ "$data" = none ] || [ ! -e "$mark" ] || data=made
  client=${MANAGER_SSH_CLIENT-${SSH_CONNECTION-}}
  printf 'family=%s\ndata=%s\nuid=%s\nclient=%s\n' "$family" "$data" "$(id -u)" "${client%% *}"
  printf 'renewal=%s\n' "$(renewal)"
}

# before FOLDER: the newest that was moved aside from there; empty when none was.
before() {
  found=''
  for folder in "$1".before-*; do [ ! -d "$folder" ] || [ -L "$folder" ] || found=$folder; done
  printf '%s' "$found"
}

# How far a server is that is rebuilt. A folder of old data shows that a rebuild was started.
renewal() {
  if [ -z "$(before "$MANAGER_DATADIR")" ]; then
    echo none
  elif [ -e "$filled" ]; then
    echo filled
  else
    echo started
  fi
}

# A database server works in its data folder: as long as a process does, it has not ended.
workers() {
  for process in /proc/[0-9]*; do
    [ "$(readlink "$process/cwd" 2>/dev/null)" != "$MANAGER_DATADIR" ] || printf '%s ' "${process#/proc/}"
  done
}

settle() {
  left=300
  while [ -n "$(workers)" ]; do
    left=$((left - 1))
    [ "$left" -gt 0 ] || die "process $(workers)still runs in $MANAGER_DATADIR after 30 s"
    sleep 0.1
  done
}

kilobytes() { [ ! -d "$1" ] || du -sk "$1" 2>/dev/null | cut -f 1; }

# The data folder can be moved aside, and the disk has room for new data about as large as the old ones; logs and their
# similar files are not copied.
room() {
  [ -d "$MANAGER_DATADIR/mysql" ] || die "$MANAGER_DATADIR contains no data: nothing to recreate"
  [ ! -L "$MANAGER_DATADIR" ] || die "$MANAGER_DATADIR is a link and cannot be moved aside: name the folder itself"
  [ ! -e "$moving" ] || die "$moving is left of a move that failed: check whether it or $MANAGER_DATADIR is complete"
  disk=$(df -Pk "$MANAGER_DATADIR" | tail -n 1)
  [ -n "$disk" ] || die "df does not report the free space of the disk of $MANAGER_DATADIR"
  [ "${disk##*% }" != "$MANAGER_DATADIR" ] ||
    die "$MANAGER_DATADIR is a mount point and cannot be moved aside: mount the disk one folder higher"
  all=$(kilobytes "$MANAGER_DATADIR") logs=$(kilobytes "$MANAGER_DATADIR/.system")
  needed=$((all - ${logs:-0}))
  # shellcheck disable=SC2086 # the words of one line
  set -- $disk
  [ "$4" -ge "$needed" ] ||
    die "the disk of $MANAGER_DATADIR has $(($4 / 1024)) MB left, and the new data need about $((needed / 1024 + 1)) MB"
}

# copy_folder FROM TO: what is in it, as it is.
copy_folder() {
  mkdir -p "$2"
  cp -RPp "$1/." "$2/"
}

# The configuration first, as a copy, the data after it: a copy without data beside it stands for nothing.
keep() {
  settle
  room
  drop
  time=$(date -u +%Y%m%dT%H%M%SZ)
  (umask 077 && copy_folder "$MANAGER_CONFIGDIR" "$MANAGER_CONFIGDIR.manager-draft")
  mv "$MANAGER_CONFIGDIR.manager-draft" "$MANAGER_CONFIGDIR.before-$time"
  # By two steps: where a layered file system makes a copy of the first one, half a copy is never taken for the old data.
  mv "$MANAGER_DATADIR" "$moving"
  mv "$moving" "$MANAGER_DATADIR.before-$time"
  echo "the old data are kept in $MANAGER_DATADIR.before-$time until the new server has caught up"
}

# Copies of the configuration, and what an act that broke off has left.
drop() { rm -rf "$MANAGER_CONFIGDIR".before-* "$MANAGER_CONFIGDIR.manager-draft" "$MANAGER_DATADIR.leaving"; }

# The script that makes or starts the server, with all it started: its process group. One that a person or a timer of the
# host began is not ended here.
script_group() {
  owner=$(cat "$lock/pid" 2>/dev/null) || return 0
  grep -qs 'the script did not arrive whole' "/proc/$owner/cmdline" || return 0
  sed 's/.*) //' "/proc/$owner/stat" 2>/dev/null | cut -d ' ' -f 3
}

# Programs that were begun on this configuration and do not work in the data folder yet. The pattern is none of itself.
starters() {
  grep -ls -e "[-]-defaults-file=$MANAGER_CONFIGDIR/my.cnf" /proc/[0-9]*/cmdline |
    sed 's|/proc/||; s|/cmdline||' | tr '\n' ' '
}

# signal_all SIGNAL: to all that makes, fills or is the server.
signal_all() {
  for group in $(script_group); do kill -s "$1" -- "-$group" 2>/dev/null || :; done
  for process in $(workers) $(starters); do kill -s "$1" "$process" 2>/dev/null || :; done
}

# A unit is stopped as one, so that nothing starts its server again.
stop_unit() {
  { [ -z "$MANAGER_BASEDIR" ] && [ -d /run/systemd/system ] && command -v systemctl >/dev/null; } || return 0
  for unit in mariadb mysql mysqld; do
    systemctl cat "$unit.service" >/dev/null 2>&1 || continue
    systemctl stop --no-block "$unit"
    sleep 1
    systemctl kill -s KILL "$unit" 2>/dev/null || :
    systemctl stop "$unit"
    systemctl reset-failed "$unit" 2>/dev/null || :
    return 0
  done
}

# Ends a server that is thrown away, in whatever state: what it has is worth nothing, and one that is asked to end while it
# starts may hang. So it is killed after a second.
throw_away() {
  signal_all TERM
  stop_unit
  left=300
  while [ -n "$(script_group)$(workers)$(starters)" ]; do
    left=$((left - 1))
    [ "$left" -gt 0 ] || die "process $(workers)$(starters)does not end, not even by SIGKILL"
    [ "$left" -gt 290 ] || signal_all KILL
    sleep 0.1
  done
}

# As long as old data lie aside, this has to be done again, from its beginning.
restore() {
  [ -e "$MANAGER_DATADIR" ] || [ ! -d "$moving" ] || mv "$moving" "$MANAGER_DATADIR"
  data=$(before "$MANAGER_DATADIR")
  [ -n "$data" ] || return 0
  throw_away
  rm -f "$filled"
  configuration=$(before "$MANAGER_CONFIGDIR")
  if [ -n "$configuration" ]; then
    [ ! -d "$MANAGER_CONFIGDIR" ] || find "$MANAGER_CONFIGDIR/" -mindepth 1 -delete
    copy_folder "$configuration" "$MANAGER_CONFIGDIR"
    if command -v restorecon >/dev/null; then restorecon -R "$MANAGER_CONFIGDIR" >/dev/null 2>&1 || :; fi
  fi
  rm -rf "$MANAGER_DATADIR.leaving"
  [ ! -e "$MANAGER_DATADIR" ] || mv "$MANAGER_DATADIR" "$MANAGER_DATADIR.leaving"
  mv "$data" "$MANAGER_DATADIR"
  rm -rf "$MANAGER_DATADIR.leaving"
  echo "the old data were restored"
}

# The server was provisioned by hand since and goes on with what it has: old data and configurations aside get a name under
# which nothing puts them back or removes them. The data first: a configuration alone stands for nothing.
release() {
  for folder in "$MANAGER_DATADIR".before-* "$MANAGER_CONFIGDIR".before-*; do
    { [ -d "$folder" ] && [ ! -L "$folder" ]; } || continue
    kept="${folder%.before-*}.kept-${folder##*.before-}"
    [ ! -e "$kept" ] || die "$folder cannot be renamed: $kept is there already"
    mv "$folder" "$kept"
    echo "$folder, left by an interrupted reprovisioning, was renamed to $kept: the manager neither restores nor removes it"
  done
  rm -f "$filled"
}

# What is half removed is never taken for data that can be restored.
finish() {
  data=$(before "$MANAGER_DATADIR")
  rm -rf "$MANAGER_DATADIR.leaving"
  [ -z "$data" ] || mv "$data" "$MANAGER_DATADIR.leaving"
  drop
  rm -f "$filled"
  [ -z "$data" ] || echo 'the old data were removed'
}

case "$MANAGER_STEP" in
  inspect) inspect ;;
  settle) settle ;;
  room) room ;;
  keep) keep ;;
  filled) : >"$filled" ;;
  restore) restore ;;
  drop) drop ;;
  finish) finish ;;
  release) release ;;
  mark) [ ! -d "$MANAGER_DATADIR" ] || : >"$mark" ;;
  aside)
    settle
    kept="$MANAGER_DATADIR.kept-$(date -u +%Y%m%dT%H%M%S)"
    mv "$MANAGER_DATADIR" "$kept"
    echo "the previous data were moved to $kept"
    ;;
  remove)
    settle
    [ ! -d "$MANAGER_DATADIR" ] || find "$MANAGER_DATADIR" -mindepth 1 -delete
    echo "$MANAGER_DATADIR is empty"
    ;;
  tail)
    [ -f "$MANAGER_FILE" ] || die "$MANAGER_FILE is not a regular file on this host"
    tail -c "$MANAGER_BYTES" -- "$MANAGER_FILE"
    ;;
  disks)
    printf '%s\n' "$MANAGER_DIRECTORIES" | while IFS= read -r directory; do
      [ ! -d "$directory" ] || df -P -k -- "$directory" | awk -v path="$directory" 'NR == 2 { print $2, $3, $4, path }'
    done
    ;;
  options)
    for folder in rc.d custom.d; do
      for file in "$MANAGER_CONFIGDIR/$folder"/*.cnf; do
        [ ! -f "$file" ] || { cat -- "$file"; echo; }
      done
    done
    ;;
  *) die "no step is named $MANAGER_STEP" ;;
esac
