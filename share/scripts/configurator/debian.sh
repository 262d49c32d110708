# Debian and derived distributions: apt.

family=debian

install_packages() {
  have apt-get || stop "apt-get is not installed: is this a host of the $family family?"
  say "installing $*"
  DEBIAN_FRONTEND=noninteractive
  export DEBIAN_FRONTEND
  { apt-get update -qq && apt-get install -y -qq --no-install-recommends "$@"; } >"$tmp/packages" 2>"$tmp/error" ||
    stop "apt-get cannot install $*: $(reason)"
}

# shellcheck disable=SC2086 # names of packages
install_database() { install_packages ${MANAGER_DB_PACKAGES:-mariadb-server mariadb-client mariadb-backup}; }

# place_family: the server reads /etc/mysql/my.cnf by default.
place_family() { :; }
