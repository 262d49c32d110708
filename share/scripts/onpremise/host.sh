# One small step on a database host, chosen by MANAGER_STEP; MANAGER_DATADIR is the data folder; `tail` shows the last
# MANAGER_BYTES of MANAGER_FILE, `options` the option files below MANAGER_CONFIGDIR. POSIX sh.
# shellcheck shell=sh
set -eu

mark="$MANAGER_DATADIR/.made-by-manager"

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

case "$MANAGER_STEP" in
  inspect) inspect ;;
  settle) settle ;;
  mark) [ ! -d "$MANAGER_DATADIR" ] || : >"$mark" ;;
  aside)
    settle
    kept="$MANAGER_DATADIR.kept-$(date -u +%Y%m%dT%H%M%S)"
    mv "$MANAGER_DATADIR" "$kept"
    echo "the data that was there lies in $kept now"
    ;;
  remove)
    settle
    [ ! -d "$MANAGER_DATADIR" ] || find "$MANAGER_DATADIR" -mindepth 1 -delete
    echo "$MANAGER_DATADIR is empty"
    ;;
  tail)
    [ -f "$MANAGER_FILE" ] || die "$MANAGER_FILE is no plain file on this host"
    tail -c "$MANAGER_BYTES" -- "$MANAGER_FILE"
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
