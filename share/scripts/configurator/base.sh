# Words, clean-up and the environment: what every script begins with.

say() { printf 'manager: %s\n' "$*" >&2; }

# stop WHAT: the one line that says why nothing further is done.
stop() {
  say "$script stopped: $*"
  exit 1
}

# reason: the last line that a failed command wrote.
reason() { grep '[^ ]' "$tmp/error" 2>/dev/null | tail -n 1; }

have() { command -v "$1" >/dev/null 2>&1; }

# need VARIABLE…: each must be set and hold nothing that could lead an address astray.
need() {
  for name in "$@"; do
    eval "value=\${$name:-}"
    [ -n "$value" ] || stop "$name is not set"
    case $value in *[!A-Za-z0-9._:-]*) stop "$name may hold letters, digits, dot, dash, underscore and colon: $value" ;; esac
  done
}

open_environment() {
  PATH=${PATH:-/usr/bin:/bin}:/usr/local/sbin:/usr/sbin:/sbin
  tmp='' lock='' stage='' handed=''
  trap close_environment EXIT
  trap 'exit 129' HUP
  trap 'exit 130' INT
  trap 'exit 143' TERM
  umask 022
  need MANAGER_CLUSTER_NAME MANAGER_HOST_NAME MANAGER_HOST_PORT
  case ${MANAGER_URL:-} in
    http://?* | https://?*) url=${MANAGER_URL%/} ;;
    '') stop 'MANAGER_URL is not set' ;;
    *) stop "MANAGER_URL must begin with http:// or https://: $MANAGER_URL" ;;
  esac
  case $url in *[[:space:]\"\\]*) stop 'MANAGER_URL holds a blank, a quote or a backslash' ;; esac
  tmp=$(mktemp -d "${TMPDIR:-/tmp}/manager.XXXXXX") || stop "no temporary folder can be made below ${TMPDIR:-/tmp}"
  tree=$tmp/tree
  address=/api/clusters/$MANAGER_CLUSTER_NAME/servers/$MANAGER_HOST_NAME/$MANAGER_HOST_PORT
}

close_environment() {
  [ -z "$stage" ] || rm -rf "$stage"
  [ -z "$handed" ] || rm -rf "$handed"
  [ -z "$tmp" ] || rm -rf "$tmp"
  [ -z "$lock" ] || rm -rf "$lock"
}

# take_lock FOLDER: two scripts must not work on one server. A lock whose owner is gone is taken over.
take_lock() {
  mkdir -p "$1" || stop "$1 cannot be made"
  wanted=$1/.manager-lock
  if ! mkdir "$wanted" 2>/dev/null; then
    owner=$(cat "$wanted/pid" 2>/dev/null || :)
    if [ -n "$owner" ] && kill -0 "$owner" 2>/dev/null; then
      stop "process $owner works on this server already"
    fi
    rm -rf "$wanted"
    mkdir "$wanted" 2>/dev/null || stop "$wanted cannot be made: is the disk full or read-only?"
  fi
  lock=$wanted
  echo "$$" >"$lock/pid" || stop "$lock cannot be written: is the disk full?"
}
