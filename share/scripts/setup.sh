# Sourced by bin/quickstart and bin/test: finds or installs what they need. POSIX sh with `local` (dash, bash).
# shellcheck shell=dash
# Installs Debian packages only through apt and only when it may (root, or sudo without a password).

say() { printf '%s\n' "$*" >&2; }
die() { say "$*"; exit 1; }

# need_node: Node 20.19 or later must be there; nothing here installs it.
need_node() {
  command -v node >/dev/null 2>&1 || die "Node.js 20.19 or later is needed and was not found. Install it, then run this again."
  node -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 20 || (a === 20 && b >= 19) ? 0 : 1)' ||
    die "Node.js $(node --version) is too old: 20.19 or later is needed."
}

# need_packages COMMAND=PACKAGE…: installs the packages whose commands are absent.
need_packages() {
  local missing='' pair command package
  for pair in "$@"; do
    command=${pair%%=*} package=${pair#*=}
    PATH="$PATH:/usr/sbin:/sbin" command -v "$command" >/dev/null 2>&1 && continue
    [ -e "$command" ] && continue
    case " $missing " in *" $package "*) ;; *) missing="$missing $package" ;; esac
  done
  [ -z "$missing" ] && return 0
  command -v apt-get >/dev/null 2>&1 || die "These packages are needed (names as on Debian):$missing"
  local sudo=''
  if [ "$(id -u)" -ne 0 ]; then
    sudo -n true 2>/dev/null || die "These packages are needed; install them as root: apt-get install$missing"
    sudo='sudo -n'
  fi
  say "Installing:$missing"
  $sudo env DEBIAN_FRONTEND=noninteractive sh -c "apt-get update -qq && apt-get install -y -qq --no-install-recommends $missing" >/dev/null ||
    die "apt-get could not install:$missing"
}

# need_npm: node_modules as the lock file says.
need_npm() {
  local stamp=node_modules/.package-lock.json
  [ -e "$stamp" ] && [ ! package-lock.json -nt "$stamp" ] && return 0
  say 'Installing npm packages'
  npm ci --no-audit --no-fund --no-update-notifier --loglevel=error >&2 || die 'npm ci failed'
  touch "$stamp"
}

# need_build: dist/ newer than every source. The build writes dist/.built when it is complete.
need_build() {
  if [ -e dist/.built ] && [ -z "$(find lib actors http bin spec share/rules package.json tsconfig.json -newer dist/.built -type f 2>/dev/null | head -n 1)" ]; then
    return 0
  fi
  say 'Building'
  npm run --silent build || die 'the build failed'
}
