# Puts the unpacked files in their places: first a whole copy on the same disk, then one rename a file, so that at no
# moment there is less than one configuration.

is_generated() {
  IFS= read -r first <"$1" 2>/dev/null || [ -n "$first" ] || return 1
  case $first in "$marker"*) return 0 ;; esac
  return 1
}

# remember_mains: the main files that are there before anything is installed. One that comes with a package while the
# script runs belongs to no process.
remember_mains() {
  mains=' '
  for file in "$conf/my.cnf" /etc/my.cnf; do
    if [ -e "$file" ] || [ -L "$file" ]; then mains="$mains$file "; fi
  done
}

# is_written FILE: whether a person wrote this main file.
is_written() {
  case $mains in *" $1 "*) ;; *) return 1 ;; esac
  [ "${MANAGER_FORCE_CONFIG:-}" != true ] && ! is_generated "$1"
}

# check_place DATA: the archive must be made for the folders of this host.
check_place() {
  meant=$(sed -n 's/^datadir *= *//p' "$tree/etc/mysql/my.cnf" | head -n 1)
  [ -z "$meant" ] || [ "$meant" = "$1" ] || stop "the archive is made for the data folder $meant, here it is $1"
}

# place_configuration FROM TO OWNER
place_configuration() {
  conf=$2
  mkdir -p "$conf" 2>"$tmp/error" || stop "$conf cannot be made: $(reason)"
  stage=$conf/.manager-new
  rm -rf "$stage"
  cp -RPp "$1" "$stage" 2>"$tmp/error" || stop "the new configuration cannot be written to $conf, the old one stays: $(reason)"
  chown -R "$3" "$stage" 2>"$tmp/error" || stop "$stage cannot be given to $3: $(reason)"
  [ -s "$stage/my.cnf" ] || stop "the new configuration cannot be written to $conf, the old one stays: is the disk full?"
  for folder in conf.d ssl custom.d rc.d; do
    [ ! -d "$stage/$folder" ] || move_into "$stage/$folder" "$conf/$folder" "$3"
  done
  remove_stale rc.d "$conf/rc.d" "$1/rc.d"
  remove_stale conf.d "$conf/conf.d" "$1/conf.d"
  place_main "$stage/my.cnf" "$conf/my.cnf"
  rm -rf "$stage"
  stage=''
}

# move_into FROM TO OWNER: one rename a file; what else is in the folder stays.
move_into() {
  if [ ! -d "$2" ]; then
    mkdir -m 0755 "$2" 2>"$tmp/error" || stop "$2 cannot be made: $(reason)"
    chown "$3" "$2"
  fi
  for file in "$1"/* "$1"/.[!.]*; do
    [ -e "$file" ] || [ -L "$file" ] || continue
    mv -f "$file" "$2/" 2>"$tmp/error" || stop "$2/${file##*/} cannot be replaced: $(reason)"
  done
}

# remove_stale KIND FOLDER NEW: links and fragments of tags that are no more. Files of people stay.
remove_stale() {
  for file in "$2"/*.cnf; do
    [ -e "$file" ] || [ -L "$file" ] || continue
    [ -e "$3/${file##*/}" ] || [ -L "$3/${file##*/}" ] && continue
    if [ "$1" = rc.d ]; then [ -L "$file" ] || continue; else is_generated "$file" || continue; fi
    rm -f "$file"
  done
}

# place_main NEW FILE: a file that does not begin with the marker was written by a person and is kept.
place_main() {
  if [ -e "$2" ] || [ -L "$2" ]; then
    if is_written "$2"; then
      mv -f "$1" "$2.new" || stop "$2.new cannot be written"
      say "$2 was not generated and is kept; the generated one is $2.new (MANAGER_FORCE_CONFIG=true replaces it)"
      return 0
    fi
    [ ! -e "$2" ] || cp -p "$2" "$2.old" 2>"$tmp/error" || stop "$2.old cannot be written: $(reason)"
  fi
  mv -f "$1" "$2" 2>"$tmp/error" || stop "$2 cannot be replaced: $(reason)"
}

# empty_folder FOLDER: it may be a mount point, so the folder itself stays.
empty_folder() {
  rm -rf "${1:?}"/* "${1:?}"/.[!.]* "${1:?}"/..?* 2>"$tmp/error" || stop "$1 cannot be emptied: $(reason)"
}

# copy_missing FROM TO OWNER: adds what is missing and touches nothing that is there.
copy_missing() (
  for entry in "$1"/* "$1"/.[!.]*; do
    [ -e "$entry" ] || [ -L "$entry" ] || continue
    target=$2/${entry##*/}
    if [ -d "$entry" ] && [ ! -L "$entry" ]; then
      if [ ! -d "$target" ]; then
        mkdir -m 0750 "$target" 2>"$tmp/error" || stop "$target cannot be made: $(reason)"
        chown "$3" "$target" || stop "$target cannot be given to $3"
      fi
      copy_missing "$entry" "$target" "$3" || exit 1
    elif [ ! -e "$target" ] && [ ! -L "$target" ]; then
      {
        cp -Pp "$entry" "$target.manager-new" && chown "$3" "$target.manager-new" && mv "$target.manager-new" "$target"
      } 2>"$tmp/error" || stop "$target cannot be written: $(reason)"
    fi
  done
)

# place_data TREE DATA OWNER: the system tree inside the data folder, and the job script.
place_data() {
  mkdir -p "$2" 2>"$tmp/error" || stop "$2 cannot be made: $(reason)"
  chown "$3" "$2" || stop "$2 cannot be given to $3"
  copy_missing "$1/data" "$2" "$3" || exit 1
  [ -d "$1/init" ] || return 0
  for folder in "$2/init" "$2/init/init"; do
    [ -d "$folder" ] || mkdir -m 0750 "$folder" || stop "$folder cannot be made"
    chown "$3" "$folder"
  done
  chown -R "$3" "$1/init"
  for file in "$1/init"/*; do
    [ -e "$file" ] || continue
    target=$2/init/init/${file##*/}
    { cp -Pp "$file" "$target.manager-new" && mv -f "$target.manager-new" "$target"; } 2>"$tmp/error" ||
      stop "$target cannot be written: $(reason)"
  done
}
