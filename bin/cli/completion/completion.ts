// Completion scripts, printed from the command tree, so that they never miss a command, a flag or a choice.
import type { Command } from 'commander'
import { renderFish } from './completion-fish.js'
import { type Offer, type Place, readPlaces } from './word-tree.js'

export const shells = ['bash', 'zsh', 'fish'] as const

export type Shell = (typeof shells)[number]

export const renderCompletion = (shell: Shell, program: Command): string =>
  printers[shell](program.name(), readPlaces(program))

type Printer = (name: string, places: readonly Place[]) => string

const printers: Readonly<Record<Shell, Printer>> = { bash: renderBash, zsh: renderZsh, fish: renderFish }

const BASH = `  local line=\${COMP_LINE:0:COMP_POINT} program=$1
  local -a typed
  read -ra typed <<<"$line"
  case "$line" in *[[:space:]]) typed+=('') ;; esac
  local current=\${typed[\${#typed[@]}-1]}
  _manager_cli_walk "\${typed[@]:1:\${#typed[@]}-2}"
  if [ "$offer" = @files ]; then COMPREPLY=($(compgen -f -- "$current")); return; fi
  COMPREPLY=($(compgen -W "$offer" -- "$current"))
  case "$COMP_WORDBREAKS$current" in *:*:*|*=*=*)
    local head=\${current%"\${current##*[:=]}"} index
    for index in "\${!COMPREPLY[@]}"; do COMPREPLY[index]=\${COMPREPLY[index]#"$head"}; done ;;
  esac
  case "\${COMPREPLY[*]}" in *=) compopt -o nospace 2>/dev/null ;; esac`

function renderBash(name: string, places: readonly Place[]): string {
  return `# Completion of ${name} for bash: source <(${name} completion bash)
${shared(places)}
_manager_cli() {
  local offer='' verbs flags kinds at
${BASH}
}
complete -F _manager_cli ${name}`
}

function renderZsh(name: string, places: readonly Place[]): string {
  return `#compdef ${name}
# Completion of ${name} for zsh: source <(${name} completion zsh)
${shared(places)}
_manager_cli() {
  local offer='' verbs flags kinds at program=\${words[1]}
  _manager_cli_walk "\${(@)words[2,CURRENT-1]}"
  if [ "$offer" = @files ]; then _files; return; fi
  compadd -- \${=offer}
}
compdef _manager_cli ${name}`
}

/** What bash and zsh understand alike: the places as cases, and the way through the words that are there already. */
const shared = (places: readonly Place[]): string => `
# What a flag takes in a place: sets offer; fails for one that takes nothing.
_manager_cli_value() {
  case "$1 $2" in
${valueCases(places)}
  *) return 1 ;;
  esac
}

# What can stand in a place: sets verbs, flags and the kinds of its arguments; fails where there is no such place.
_manager_cli_place() {
  case "$1" in
${places.map(placeCase).join('\n')}
  *) return 1 ;;
  esac
}

# Live names, with the flags that say of which manager and cluster.
_manager_cli_names() {
  (
    [ -n "$cluster" ] && export MANAGER_CLUSTER_NAME="$cluster"
    [ -n "$host" ] && export MANAGER_HOST="$host"
    [ -n "$port" ] && export MANAGER_PORT="$port"
    [ -n "$user" ] && export MANAGER_USER="$user"
    # What a value may be depends on the word before it.
    case "$1" in
    value) "$program" names value -- "$prior" 2>/dev/null ;;
    *) "$program" names "$1" 2>/dev/null ;;
    esac
  )
}

# Follows the words before the cursor: sets offer to what can come next.
_manager_cli_walk() {
  local word kind flag='' count=0 prior='' cluster='' host='' port='' user=''
  at=''
  for word in "$@"; do
    case "$flag" in
    --cluster) cluster=$word ;;
    --host) host=$word ;;
    --port) port=$word ;;
    --user) user=$word ;;
    esac
    if [ -n "$flag" ]; then flag=''; continue; fi
    case "$word" in
    -*) if _manager_cli_value "$at" "$word"; then flag=$word; fi; continue ;;
    esac
    if [ $count = 0 ] && _manager_cli_place "\${at:+$at }$word"; then at="\${at:+$at }$word"; else count=$((count + 1)) prior=$word; fi
  done
  if [ -n "$flag" ]; then
    _manager_cli_value "$at" "$flag"
  else
    _manager_cli_place ''
    local common=$flags
    _manager_cli_place "$at"
    offer="$flags"
    [ -n "$at" ] && offer="$flags $common"
    offer="$offer --help"
    [ $count = 0 ] && offer="$verbs $offer"
    for kind in 0 1 2 3 4 5 6 7; do
      [ -z "$kinds" ] && break
      if [ $kind = $count ]; then offer="\${kinds%%|*} $offer"; break; fi
      kinds=\${kinds#*|}
    done
  fi
  case "$offer" in
  @files) ;;
  @*) kind=\${offer%% *}; offer="$(_manager_cli_names "\${kind#@}") \${offer#"$kind"}" ;;
  esac
}`

/** The values of flags by their places; the program's own are taken in all of them. */
const valueCases = (places: readonly Place[]): string =>
  places
    .flatMap(({ path, flags }) =>
      flags.flatMap(({ spellings, value }) =>
        value
          ? spellings.map(
              (flag) => `  ${path === '' ? `*' ${flag}'` : `'${path} ${flag}'`}) offer='${offerText(value)}' ;;`,
            )
          : [],
      ),
    )
    .join('\n')

function placeCase({ path, verbs, flags, arguments: kinds }: Place): string {
  const words = verbs.map(({ name }) => name).join(' ')
  const spelt = flags.flatMap(({ spellings }) => spellings).join(' ')
  const offers = kinds.map((kind) => `${offerText(kind)}|`).join('')
  return `  '${path}') verbs='${words}' flags='${spelt}' kinds='${offers}' ;;`
}

/** Words separated by blanks; `@kind` is replaced by live names, `@files` by files. */
export function offerText(offer: Offer): string {
  if (offer.type === 'words') return offer.words.join(' ')
  if (offer.type === 'names') return `@${offer.kind}`
  return offer.type === 'files' ? '@files' : ''
}
