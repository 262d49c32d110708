# Bytes between a program of this host and the manager: TLS to a known certificate, a secret as the first line, both ends heard.

# peer_certificate: what the manager shows must be this one.
peer_certificate() {
  param certificate | fold -w 64 >"$job/peer.b64"
  {
    echo '-----BEGIN CERTIFICATE-----'
    cat "$job/peer.b64"
    echo
    echo '-----END CERTIFICATE-----'
  } >"$job/peer.pem"
}

# connect: standard input goes to the manager.
connect() {
  client=${MANAGER_SSH_CLIENT-${SSH_CONNECTION-}}
  # The manager names itself by an address that only it has: it is where the session of this run comes from.
  case $peer in localhost | '') [ -z "$client" ] || peer=${client%% *} ;; esac
  case $peer in *:*) place="[$peer]" ;; *) place=$peer ;; esac
  if have socat; then
    bounded socat -u STDIN "OPENSSL:$place:$peer_port,cafile=$job/peer.pem,verify=1,commonname=manager"
  elif openssl s_client -help 2>&1 | grep -q nocommands; then
    bounded openssl s_client -connect "$place:$peer_port" -CAfile "$job/peer.pem" -verify_return_error -verify_quiet \
      -quiet -nocommands -no_ign_eof >/dev/null
  else
    stop 'neither socat nor an openssl with s_client -nocommands is installed: the stream cannot be sent'
  fi
}

# send PROGRAM…: what it writes goes to the manager. Every program must end with 0.
send() {
  secret=$(param secret)
  if [ -z "$secret" ] || [ "$peer_port" -eq 0 ]; then stop 'the job names no port or no secret: nothing to send to'; fi
  peer_certificate
  mkfifo "$job/count" || stop "cannot make $job/count"
  wc -c <"$job/count" >"$job/counted" &
  {
    {
      printf '%s\n' "$secret"
      "$@" 3>&-
      echo "tool $?" >&3
    } | { tee "$job/count" || echo "tee $?" >&3; } | {
      connect 3>&-
      echo "connection $?" >&3
    }
  } 3>"$job/ends"
  wait "$!"
  echo $(($(tr -d ' ' <"$job/counted") - ${#secret} - 1)) >"$job/bytes"
  judge_ends 'connection tool'
}

# judge_ends NAMES: each has ended, with 0.
judge_ends() {
  for name in $1; do
    status=$(sed -n "s/^$name //p" "$job/ends")
    [ "$status" = 0 ] || stop "the stream is not whole: the $name ended with status ${status:-unknown}"
  done
}

# take PROGRAM…: what the manager sends goes into the program. A peer without the secret is dropped, and the next one heard.
take() {
  secret=$(param secret)
  [ -n "$secret" ] || stop 'the job names no secret: nothing is taken from strangers'
  have socat || stop 'socat is not installed: a stream is received with it'
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 7 -subj /CN=manager-host \
    -keyout "$job/listener.key" -out "$job/listener.crt" 2>"$tmp/error" || stop "no certificate can be made: $(reason)"
  cat "$job/listener.key" "$job/listener.crt" >"$job/listener.pem"
  mkfifo "$job/count" || stop "cannot make $job/count"
  : "${peer_port:=4444}"
  report_listener &
  while :; do
    : >"$job/ends"
    {
      {
        bounded socat -u "OPENSSL-LISTEN:$peer_port,reuseaddr,cert=$job/listener.pem,verify=0" STDOUT 3>&-
        echo "connection $?" >&3
      } | take_one "$@"
    } 3>>"$job/ends"
    grep -q '^secret refused' "$job/ends" || break
    say 'a connection without the secret of the job was dropped'
  done
  judge_ends 'connection tool'
}

# report_listener: once the port is open, the manager may send.
report_listener() {
  pattern=$(printf ':%04X 0*:0000 0A ' "$peer_port")
  until grep -q "$pattern" /proc/net/tcp /proc/net/tcp6 2>/dev/null; do
    [ "$(date +%s)" -lt "$ends_at" ] && [ ! -e "$job/ended" ] || return 0
    sleep 1
  done
  await_stream "$peer_port $(grep -v CERTIFICATE "$job/listener.crt" | tr -d '\n')"
}

# take_one PROGRAM…: one connection. As many bytes as the secret has are read, and no more.
take_one() {
  got=$(dd bs=1 count=$((${#secret} + 1)) 2>/dev/null)
  if [ "$got" != "$secret" ]; then
    echo 'secret refused' >&3
    return 0
  fi
  wc -c <"$job/count" >"$job/counted" &
  tee "$job/count" | {
    bounded "$@" 3>&-
    echo "tool $?" >&3
  }
  wait "$!"
  tr -d ' ' <"$job/counted" >"$job/bytes"
}
