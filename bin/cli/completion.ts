// Completion scripts, printed from the command tree, so that they never miss a command, a flag or a choice.
import type { Command, Option } from 'commander'

export const shells = ['bash', 'zsh', 'fish'] as const

export type Shell = (typeof shells)[number]

export const renderCompletion = (shell: Shell, program: Command): string => printers[shell](program)

const printers: Readonly<Record<Shell, (program: Command) => string>> = { bash, zsh, fish }

/** Both spellings, where there are two. */
const spellings = ({ short, long }: Option): readonly string[] =>
  [short, long].filter((spelling) => spelling !== undefined && spelling !== null)

const flagsOf = ({ options }: Command): string => options.flatMap(spellings).join(' ')

const names = (program: Command): string => program.commands.map((command) => command.name()).join(' ')

/** Every option of the program and its commands that takes a value, once. */
function valued(program: Command): readonly Option[] {
  const all = [program, ...program.commands].flatMap(({ options }) => options).filter(({ required }) => required)
  return [...new Map(all.map((option) => [option.long, option])).values()]
}

const isFile = ({ flags }: Option): boolean => flags.includes('<file>')

const argumentsOf = ({ registeredArguments }: Command): string =>
  registeredArguments.flatMap(({ argChoices = [] }) => argChoices).join(' ')

/** Where each kind of word comes from, as branches of `case "$previous"` and `case "$command"`. */
function shellCases(program: Command, files: string) {
  const options = valued(program)
  const known = options.filter((option) => option.argChoices || isFile(option))
  const free = options.filter((option) => !known.includes(option)).flatMap(spellings)
  const choices = ({ argChoices = [] }: Option): string => `words='${argChoices.join(' ')}'`
  return {
    values: [
      ...known.map((option) => `  ${spellings(option).join('|')}) ${isFile(option) ? files : choices(option)} ;;`),
      `  ${free.join('|')}) ;;`,
    ].join('\n'),
    commands: program.commands
      .map((command) => `    ${command.name()}) words='${`${argumentsOf(command)} ${flagsOf(command)}`.trim()}' ;;`)
      .join('\n'),
    withValue: options.flatMap(spellings).join('|'),
  }
}

function bash(program: Command): string {
  const name = program.name()
  const { values, commands, withValue } = shellCases(program, 'COMPREPLY=($(compgen -f -- "$current")); return')
  return `# Completion of ${name} for bash: source <(${name} completion bash)
_${name.replaceAll('-', '_')}() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} command='' words='' skip='' word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    if [ -n "$skip" ]; then skip=''; continue; fi
    case "$word" in
    ${withValue}) skip=1 ;;
    -*) ;;
    *) command=$word; break ;;
    esac
  done
  case "$previous" in
${values}
  *)
    case "$command" in
${commands}
    *) words='${names(program)}' ;;
    esac
    words="$words ${flagsOf(program)} --help" ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -F _${name.replaceAll('-', '_')} ${name}`
}

function zsh(program: Command): string {
  const name = program.name()
  const { values, commands, withValue } = shellCases(program, '_files; return')
  return `#compdef ${name}
# Completion of ${name} for zsh: source <(${name} completion zsh)
_${name.replaceAll('-', '_')}() {
  local previous=\${words[CURRENT-1]} command='' skip='' word list=''
  for word in "\${(@)words[2,CURRENT-1]}"; do
    if [[ -n $skip ]]; then skip=''; continue; fi
    case "$word" in
    ${withValue}) skip=1 ;;
    -*) ;;
    *) command=$word; break ;;
    esac
  done
  case "$previous" in
${values.replaceAll('words=', 'list=')}
  *)
    case "$command" in
${commands.replaceAll('words=', 'list=')}
    *) list='${names(program)}' ;;
    esac
    list="$list ${flagsOf(program)} --help" ;;
  esac
  compadd -- \${=list}
}
compdef _${name.replaceAll('-', '_')} ${name}`
}

function fish(program: Command): string {
  const name = program.name()
  const lines = [
    `# Completion of ${name} for fish: ${name} completion fish | source`,
    `complete -c ${name} -f`,
    ...program.options.map((option) => `complete -c ${name} ${fishOption(option)}`),
    ...program.commands.flatMap((command) => {
      const inside = `complete -c ${name} -n '__fish_seen_subcommand_from ${command.name()}'`
      return [
        `complete -c ${name} -n __fish_use_subcommand -a ${command.name()} -d ${quote(command.description())}`,
        ...command.options.map((option) => `${inside} ${fishOption(option)}`),
        ...(argumentsOf(command) === '' ? [] : [`${inside} -a ${quote(argumentsOf(command))}`]),
      ]
    }),
  ]
  return lines.join('\n')
}

function fishOption(option: Option): string {
  const choices = option.argChoices ? ` -a ${quote(option.argChoices.join(' '))}` : ''
  const value = option.required ? (isFile(option) ? ' -r -F' : ` -x${choices}`) : ''
  const longs = spellings(option).map((spelling) =>
    spelling.startsWith('--') ? `-l ${spelling.slice(2)}` : `-s ${spelling.slice(1)}`,
  )
  return `${longs.join(' ')}${value} -d ${quote(option.description)}`
}

const quote = (text: string): string => `'${text.replaceAll("'", '’')}'`
