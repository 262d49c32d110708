# Talks to the manager: by curl or wget, TLS always verified, secrets in files and never among arguments.

tries=3

# choose_client: settles what speaks HTTP, and whom it trusts.
choose_client() {
  if have curl; then
    client=curl
  elif have wget; then
    client=wget
    if ! wget --version 2>/dev/null | grep -q 'GNU Wget'; then client=plain_wget; fi
  else
    stop 'neither curl nor wget is installed'
  fi
  case $url in
    http://*) [ -z "${MANAGER_CA_FILE:-}${MANAGER_FINGERPRINT:-}" ] || stop "a CA or fingerprint is given, but $url is not encrypted: use https" ;;
    https://*) [ "$client" != plain_wget ] || stop 'this wget does not verify certificates: install curl or GNU wget' ;;
  esac
  [ -z "${MANAGER_CA_FILE:-}" ] || [ -r "$MANAGER_CA_FILE" ] || stop "MANAGER_CA_FILE $MANAGER_CA_FILE cannot be read"
  pin='' trusted='' token=${MANAGER_TOKEN:-}
  case ${MANAGER_FINGERPRINT:-} in
    '') trusted=yes ;;
    sha256//*) ;;
    *)
      have openssl || stop 'the fingerprint of a certificate needs openssl; a pin of its key (sha256//…) does not'
      wanted=$(printf '%s' "$MANAGER_FINGERPRINT" | sed 's/^[Ss][Hh][Aa]256[:=]//; s/://g' | tr 'A-F' 'a-f')
      case $wanted in *[!0-9a-f]*) stop 'MANAGER_FINGERPRINT is no SHA-256 fingerprint' ;; esac
      ;;
  esac
}

# trust_pin: settles the pin of the manager's key before the first request. Fails where the manager does not answer.
trust_pin() {
  case $MANAGER_FINGERPRINT in
    sha256//*) found_pin=$MANAGER_FINGERPRINT ;;
    *) compare_fingerprint || return 1 ;;
  esac
  if [ "$client" = wget ]; then
    # One that lets a wrong pin pass would let anybody pass.
    pin=sha256//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA= code=0
    ask_by_wget / "$tmp/answer" || code=$?
    [ "$code" -ne 4 ] || return 1
    [ "$code" -eq 5 ] || stop 'this wget does not check pins: install curl'
  fi
  pin=$found_pin
  trusted=yes
}

# compare_fingerprint: the certificate must be the expected one; its key becomes the pin of all that follows.
compare_fingerprint() {
  place=${url#https://}
  place=${place%%/*}
  case $place in *]:* | [!\[]*:*) ;; *) place=$place:443 ;; esac
  set -- openssl s_client -connect "$place"
  if have timeout; then set -- timeout 15 "$@"; fi
  "$@" </dev/null >"$tmp/hello" 2>"$tmp/error" || :
  openssl x509 -in "$tmp/hello" -out "$tmp/certificate" 2>/dev/null || return 1
  found=$(openssl x509 -in "$tmp/certificate" -noout -fingerprint -sha256 | sed 's/.*=//; s/://g' | tr 'A-F' 'a-f')
  [ "$found" = "$wanted" ] || stop "the certificate of $place has another fingerprint: $found"
  openssl x509 -in "$tmp/certificate" -noout -pubkey >"$tmp/key" 2>"$tmp/error" || stop "$(reason)"
  found_pin=sha256//$(openssl pkey -pubin -in "$tmp/key" -outform DER | openssl dgst -sha256 -binary | openssl base64)
}

# ask ADDRESS FILE [BODY]: one request, a POST when there is a body. Sets `status`, 000 when there was no answer; stops
# when there was one that cannot be trusted.
ask() {
  code=0 status=000
  : >"$tmp/error"
  [ -n "$trusted" ] || trust_pin || return 0
  code=0
  "ask_by_$client" "$@" || code=$?
  case $client$code in
    curl35 | curl51 | curl58 | curl59 | curl60 | curl66 | curl77 | curl83 | curl90 | curl91 | wget5)
      stop "$url cannot be trusted: $(reason)"
      ;;
    curl23 | wget3) stop "$2 cannot be written, is the disk full: $(reason)" ;;
  esac
}

ask_by_curl() {
  {
    echo 'silent'
    echo 'show-error'
    echo 'connect-timeout = 10'
    echo 'max-time = 120'
    echo 'speed-time = 30'
    echo 'speed-limit = 1'
    echo 'header = "Accept: text/html, */*"'
    [ -z "${MANAGER_CA_FILE:-}" ] || printf 'cacert = "%s"\n' "$MANAGER_CA_FILE"
    [ -z "$pin" ] || printf 'insecure\npinnedpubkey = "%s"\n' "$pin"
    [ -z "$token" ] || printf 'header = "Authorization: Bearer %s"\n' "$token"
    [ $# -lt 3 ] || printf 'header = "Content-Type: application/json"\ndata-binary = "@%s"\n' "$3"
  } >"$tmp/curl"
  status=$(curl -q -K "$tmp/curl" -o "$2" -w '%{http_code}' "$url$1" 2>"$tmp/error") || {
    code=$?
    status=000
    return "$code"
  }
}

ask_by_wget() {
  {
    echo 'timeout = 30'
    echo 'connect_timeout = 10'
    echo 'tries = 1'
    echo 'max_redirect = 0'
    echo 'header = Accept: text/html, */*'
    [ -z "${MANAGER_CA_FILE:-}" ] || printf 'ca_certificate = %s\n' "$MANAGER_CA_FILE"
    [ -z "$pin" ] || printf 'check_certificate = off\npinned_pubkey = %s\n' "$pin"
    [ -z "$token" ] || printf 'header = Authorization: Bearer %s\n' "$token"
    [ $# -lt 3 ] || printf 'header = Content-Type: application/json\npost_file = %s\n' "$3"
  } >"$tmp/wget"
  code=0
  WGETRC=$tmp/wget wget --no-hsts -nv -S -O "$2" "$url$1" 2>"$tmp/error" || code=$?
  read_status "$code"
}

# BusyBox's: plain HTTP only. It takes headers as arguments; what it is given lives as long as the request.
ask_by_plain_wget() {
  target=$1 file=$2 body=${3:-}
  set -- wget -q -S -O "$file" --header 'Accept: text/html, */*'
  [ -z "$token" ] || set -- "$@" --header "Authorization: Bearer $token"
  [ -z "$body" ] || set -- "$@" --header 'Content-Type: application/json' --post-file "$body"
  code=0
  if have timeout; then set -- timeout 120 "$@"; fi # its own -T crashes where BusyBox is linked with glibc
  "$@" "$url$target" 2>"$tmp/error" || code=$?
  read_status "$code"
}

# read_status CODE: the status among the lines of wget. A body that broke off is no answer.
read_status() {
  status=$(sed -n 's/.*HTTP\/[0-9.]* \([0-9][0-9][0-9]\).*/\1/p' "$tmp/error" | tail -n 1)
  if [ -z "$status" ] || { [ "$1" -ne 0 ] && [ "$status" -lt 300 ]; }; then status=000; fi
  return "$1"
}

# ask_again ADDRESS FILE [BODY]: like `ask`; a manager that is away or busy is asked a few times.
ask_again() {
  attempt=1
  while :; do
    ask "$@"
    case $status in 000 | 502 | 503 | 504) ;; *) break ;; esac
    [ "$attempt" -lt "$tries" ] || break
    say "no answer from $url (attempt $attempt of $tries): $(reason)"
    attempt=$((attempt + 1))
    sleep 2
  done
  [ "$status" != 000 ]
}

# log_in: a session token for user and password.
log_in() {
  { [ -n "${MANAGER_USER:-}" ] && [ -n "${MANAGER_PASSWORD:-}" ]; } ||
    stop "$url wants a login: set MANAGER_USER and MANAGER_PASSWORD, or MANAGER_TOKEN"
  case $MANAGER_USER$MANAGER_PASSWORD in *[[:cntrl:]]*) stop 'MANAGER_USER or MANAGER_PASSWORD holds a control character' ;; esac
  quoted() { printf '%s' "$1" | sed 's/\\/\\\\/g; s/"/\\"/g'; }
  printf '{"username":"%s","password":"%s"}' "$(quoted "$MANAGER_USER")" "$(quoted "$MANAGER_PASSWORD")" >"$tmp/login"
  token=''
  ask_again /api/login "$tmp/token" "$tmp/login" || stop "no answer to the login at $url: $(reason)"
  rm -f "$tmp/login"
  case $status in
    200) token=$(tr -d '\r\n' <"$tmp/token") ;;
    401) stop "the manager refuses the login of $MANAGER_USER: MANAGER_USER or MANAGER_PASSWORD is wrong" ;;
    429) stop "the manager refuses the login of $MANAGER_USER for now: too many failed logins" ;;
    *) stop "the login of $MANAGER_USER failed with status $status: $(head -n 1 "$tmp/token")" ;;
  esac
}

# wants_fetch: whether the manager says that the configuration is to be downloaded. No manager, no download.
wants_fetch() {
  case ${MANAGER_FETCH:-} in true) return 0 ;; false) return 1 ;; esac
  ask "$address/need-config-fetch" "$tmp/answer"
  [ "$status" != 000 ] || say "no answer from $url, the files on disk are used: $(reason)"
  [ "$status" = 200 ]
}

# download: fetches the archive and unpacks it into `tree`; until then nothing on this host has changed.
download() {
  config=$address/config
  answered=yes
  ask_again "$config" "$tmp/config.tar.gz" || answered=''
  if [ -n "$answered" ] && [ -z "${MANAGER_TOKEN:-}" ]; then
    case $status in
      401 | 403)
        log_in
        ask_again "$config" "$tmp/config.tar.gz" || answered=''
        ;;
    esac
  fi
  [ -n "$answered" ] || stop "the download of $url$config broke off: $(reason)"
  case $status in
    200) ;;
    401) stop "the manager refuses the token for $config: is it spent or expired?" ;;
    403) stop "${MANAGER_USER:-the token} may not download $config" ;;
    404) stop "the manager has no archive of $MANAGER_HOST_NAME:$MANAGER_HOST_PORT yet" ;;
    *) stop "the manager answers $status for $config: is $MANAGER_HOST_NAME:$MANAGER_HOST_PORT a server of $MANAGER_CLUSTER_NAME?" ;;
  esac
  unpack
}

# unpack: the archive must be whole, lead nowhere else and hold what a server starts from.
unpack() {
  archive=$tmp/config.tar.gz
  gzip -t "$archive" 2>"$tmp/error" || stop "the archive is damaged: $(reason)"
  gzip -dc "$archive" | tar -tf - >"$tmp/names" 2>"$tmp/error" || stop "the archive is damaged: $(reason)"
  while IFS= read -r name; do
    case /$name/ in */../* | //*) stop "the archive holds $name, which leads out of it" ;; esac
  done <"$tmp/names"
  for wanted in etc/mysql/my.cnf etc/mysql/rc.d/ data/.system/; do
    grep -qx "$wanted" "$tmp/names" || stop "the archive holds no $wanted"
  done
  mkdir "$tree" || stop "$tree cannot be made: is the disk full?"
  (cd "$tree" && gzip -dc "$archive" | tar -xpof -) 2>"$tmp/error" ||
    stop "the archive cannot be unpacked, is $tmp full: $(reason)"
  # what a full disk did not let tar write does not always show in its status
  [ -s "$tree/etc/mysql/my.cnf" ] || stop "the archive cannot be unpacked: is $tmp full?"
}
