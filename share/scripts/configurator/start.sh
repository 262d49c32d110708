# A later start: downloads when the manager says so, adds what is missing in the data folder, starts.

main() {
  open_environment
  [ "$(id -u)" -eq 0 ] || stop 'only root may start a server'
  base='' conf=/etc/mysql data=/var/lib/mysql seconds=${MANAGER_SECONDS:-120}
  take_lock /run/manager
  remember_mains
  choose_client
  choose_programs || stop 'neither mariadbd nor mysqld is installed: run the bootstrap script first'
  [ -d "$data/mysql" ] || stop "$data holds no system tables: run the bootstrap script first"
  if wants_fetch; then
    download
    check_place "$data"
    place_host_configuration
    place_data "$tree" "$data" "$owner:"
    allow_access
  fi
  [ -s "$conf/my.cnf" ] || stop "$conf/my.cnf is missing: run the bootstrap script first"
  start_server
}

main "$@" </dev/null
