# Where jobs come from and where their states go: the job table, the manager's API, or the environment of this run.

make_table() {
  sql "
    CREATE DATABASE IF NOT EXISTS ${table%.*};
    CREATE TABLE IF NOT EXISTS $table (
      id INT NOT NULL AUTO_INCREMENT PRIMARY KEY,
      task VARCHAR(20) NOT NULL UNIQUE,
      port INT NOT NULL DEFAULT 0,
      server VARCHAR(255) NOT NULL DEFAULT '',
      done TINYINT NOT NULL DEFAULT 0,
      state TINYINT NOT NULL DEFAULT 0,
      result MEDIUMTEXT,
      payload MEDIUMTEXT,
      \`start\` DATETIME,
      \`end\` DATETIME,
      KEY (task, done),
      KEY (result(1), task),
      KEY (task, state)
    ) ENGINE=InnoDB;"
}

# param NAME: a word of the job's payload; empty when it has none.
param() {
  for pair in $payload; do
    case $pair in "$1="*)
      printf '%s' "${pair#*=}"
      return 0
      ;;
    esac
  done
}

# begin_job: state 1. What the payload holds is used once: it is taken out of the table.
begin_job() {
  case $mode in
    direct) echo '@manager state 1' >&5 ;;
    api) post_state processing ;;
    *)
      changed=$(sql "UPDATE $table SET state = 1, result = 'processing', payload = NULL, \`start\` = NOW(), \`end\` = NULL
        WHERE id = $id AND state = 0; SELECT ROW_COUNT();") || return 1
      [ "$changed" = 1 ] || return 2 # cancelled meanwhile
      ;;
  esac
}

# await_stream TEXT: state 2, the script listens; TEXT is the port and the certificate of the listener.
await_stream() {
  case $mode in
    direct) echo "@manager state 2 $1" >&5 ;;
    api) post_state waiting "$1" ;;
    *) sql "UPDATE $table SET state = 2, result = '$1' WHERE id = $id;" ;;
  esac
}

# end_job STATE: 3 finished here, 5 failed.
end_job() {
  [ ! -s "$job/bytes" ] || echo "bytes: $(cat "$job/bytes")" >>"$out"
  case $mode in
    direct) echo "@manager state $1 $(cat "$job/bytes" 2>/dev/null)" >&5 ;;
    api) if [ "$1" = 3 ]; then post_state 'done'; else post_state error; fi ;;
    *) sql "UPDATE $table SET state = $1, done = 1, result = $(hex "$out"), \`end\` = NOW() WHERE id = $id;" ;;
  esac
}

# post_state WORD [TEXT]: to the manager, with the end of the output.
post_state() {
  json_text "${2:-$(tail -c 2000 "$out")}" >"$tmp/text"
  printf '{"text":"%s","bytes":%s}' "$(cat "$tmp/text")" "$(cat "$job/bytes" 2>/dev/null || echo 0)" >"$tmp/state"
  ask_again "$address/actions/job-state/$task/$1" "$tmp/answer" "$tmp/state" && [ "$status" = 200 ]
}

# json_text TEXT: between the quotes of JSON.
json_text() {
  printf '%s\n' "$1" | tr -d '\000-\010\013-\037\177' | sed "s/\\\\/\\\\\\\\/g; s/\"/\\\\\"/g; s/$tab/\\\\t/g" |
    tr '\n' '\001' | sed "s/$start_of_heading/\\\\n/g"
}
tab=$(printf '\t')
start_of_heading=$(printf '\001')

# ship_output: lines of the output, until the job has ended: to the reader of this run, or to the manager in batches.
ship_output() {
  shipped=0
  while :; do
    ended=''
    [ ! -e "$job/ended" ] || ended=yes
    total=$(wc -l <"$out")
    while [ "$shipped" -lt "$total" ]; do
      last=$((shipped + batch))
      [ "$last" -le "$total" ] || last=$total
      ship_batch "$(sed -n "$((shipped + 1)),${last}p" "$out")" || break 2
      shipped=$last
    done
    [ -z "$ended" ] || break
    sleep 1
  done
}

# ship_batch LINES: what the manager does not take is in the result of the job all the same.
ship_batch() {
  if [ "$mode" = direct ]; then
    printf '%s\n' "$1" | sed 's/^@/ @/' >&5
    return 0
  fi
  [ -n "$url" ] && [ -n "$(param token)" ] || return 1
  printf '{"server":"%s","log":"%s"}' "$log_server" "$(json_text "$1")" >"$tmp/batch"
  (
    token=$(param token)
    ask_again "$address/write-log/$task" "$tmp/logged" "$tmp/batch" && [ "$status" = 200 ]
  )
}

# reach_manager: its address, and how it is trusted, from the payload or the environment.
reach_manager() {
  MANAGER_URL=${MANAGER_URL:-$(param url)}
  MANAGER_CLUSTER_NAME=${MANAGER_CLUSTER_NAME:-$(param cluster)}
  MANAGER_HOST_NAME=${MANAGER_HOST_NAME:-$(param host)}
  MANAGER_HOST_PORT=${MANAGER_HOST_PORT:-$(param hostport)}
  MANAGER_FINGERPRINT=${MANAGER_FINGERPRINT:-$(param pin)}
  batch=${MANAGER_LOG_BATCH:-$(param batch)}
  batch=${batch:-5}
  url=${MANAGER_URL%/}
  [ -n "$url" ] || return 0
  address=/api/clusters/$MANAGER_CLUSTER_NAME/servers/$MANAGER_HOST_NAME/$MANAGER_HOST_PORT
  log_server=$MANAGER_HOST_NAME:$MANAGER_HOST_PORT
  choose_client
  token=${MANAGER_TOKEN:-$(param token)}
}
