# The start of a server that is installed below a folder of its own. Without system tables it makes them: there is no
# other script that would.

place_family() { :; }

main() {
  open_environment
  base=${MANAGER_BASEDIR:-/var/lib/manager/$MANAGER_CLUSTER_NAME/${MANAGER_HOST_NAME}_$MANAGER_HOST_PORT}
  conf=$base/etc/mysql data=$base/var/lib/mysql seconds=${MANAGER_SECONDS:-120}
  take_lock "$base"
  remember_mains
  choose_client
  choose_programs || stop "neither mariadbd nor mysqld is below $base or on the path"
  if wants_fetch || [ ! -s "$conf/my.cnf" ]; then
    download
    check_place "$data"
    place_host_configuration
    place_data "$tree" "$data" "$owner:"
    allow_access
  fi
  [ -s "$conf/my.cnf" ] || stop "$conf/my.cnf is missing"
  [ -d "$data/mysql" ] || install_tables
  start_server
}

main "$@" </dev/null
