# First provisioning: downloads, removes what is in the data folder, places everything, installs the system tables, starts.

main() {
  open_environment
  [ "$(id -u)" -eq 0 ] || stop 'only root may provision a server'
  base='' conf=/etc/mysql data=/var/lib/mysql seconds=${MANAGER_SECONDS:-120}
  take_lock /run/manager
  remember_mains
  missing=''
  have curl || have wget || missing="$missing curl ca-certificates"
  for tool in tar gzip; do have "$tool" || missing="$missing $tool"; done
  # shellcheck disable=SC2086 # names of packages
  [ -z "$missing" ] || install_packages $missing
  choose_client
  download
  choose_programs || install_database
  choose_programs || stop 'the packages are installed, but neither mariadbd nor mysqld is there'
  check_place "$data"
  place_host_configuration
  stop_server
  mkdir -p "$data" || stop "$data cannot be made"
  empty_folder "$data"
  place_data "$tree" "$data" "$owner:"
  allow_access
  install_tables
  start_server
  say "$MANAGER_HOST_NAME:$MANAGER_HOST_PORT of $MANAGER_CLUSTER_NAME is provisioned"
}

main "$@" </dev/null
