# Red Hat and derived distributions: dnf, microdnf or yum. Their servers read /etc/my.cnf, which includes the configuration here.

family=redhat

install_packages() {
  for tool in dnf microdnf yum; do
    have "$tool" || continue
    say "installing $*"
    "$tool" install -y "$@" >"$tmp/packages" 2>"$tmp/error" || stop "$tool cannot install $*: $(reason)"
    return 0
  done
  stop "neither dnf, microdnf nor yum is installed: is this a host of the $family family?"
}

# shellcheck disable=SC2086 # names of packages
install_database() { install_packages ${MANAGER_DB_PACKAGES:-mariadb-server mariadb mariadb-backup}; }

place_family() {
  printf '%s: leads to the main file.\n!include %s/my.cnf\n' "$marker" "$conf" >/etc/.manager-new 2>"$tmp/error" ||
    stop "/etc/my.cnf cannot be written: $(reason)"
  place_main /etc/.manager-new /etc/my.cnf
  # The folder of the socket is gone after a boot; systemd creates it again from this.
  if [ -d /etc/tmpfiles.d ]; then echo "d /run/mysqld 0755 $owner $owner -" >/etc/tmpfiles.d/manager-mysqld.conf; fi
  if has_systemd; then mkdir -p /run/mysqld && chown "$owner" /run/mysqld; fi
}
