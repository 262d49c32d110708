# Fills the volume of a database container before it starts: etc/mysql, data, init and run below one folder. It runs at
# every launch, so only the first one empties the data folder: later ones keep what is there.

main() {
  open_environment
  volume=${MANAGER_BOOTSTRAP_DIR:-/bootstrap} user=${MANAGER_DB_UID:-999}
  conf=$volume/etc/mysql data=$volume/data
  mkdir -p "$volume" 2>"$tmp/error" || stop "$volume cannot be made: $(reason)"
  take_lock "$volume"
  remember_mains
  if ! have curl && have apk; then
    case $url in https://*) apk add --quiet --no-cache curl openssl >/dev/null 2>&1 || : ;; esac
  fi
  choose_client
  if [ -s "$conf/my.cnf" ] || [ -d "$data/mysql" ]; then
    first=''
    if [ -s "$conf/my.cnf" ] && ! wants_fetch; then
      say 'the configuration on the volume is kept'
      return 0
    fi
  else
    first=yes
  fi
  download
  check_place /var/lib/mysql
  mkdir -p "$data" "$volume/run/mysqld" "$volume/init" || stop "the folders of $volume cannot be made"
  [ -z "$first" ] || empty_folder "$data"
  place_data "$tree" "$data" "$user:$user"
  for file in "$tree/init"/*; do
    [ -e "$file" ] || continue
    cp -Pp "$file" "$volume/init/" 2>"$tmp/error" || stop "$volume/init cannot be written: $(reason)"
  done
  chown "$user:$user" "$data" "$volume/run/mysqld" "$volume/init" "$volume/init"/*
  place_configuration "$tree/etc/mysql" "$conf" "$user:$user"
  say "the volume is ready for $MANAGER_HOST_NAME:$MANAGER_HOST_PORT of $MANAGER_CLUSTER_NAME"
}

main "$@" </dev/null
