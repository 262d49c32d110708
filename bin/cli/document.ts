// Prints share/doc/cli.md from the command tree.
import type { Command, Option } from 'commander'
import { shownCommands } from './completion/word-tree.js'
import { keys } from './console/keys.js'
import { conditionKinds } from './kit/condition.js'
import { type Gravity, gravityOf as gravityOfVerb } from './kit/gravity.js'
import { exitTexts } from './output/exit.js'
import { queryHelp } from './output/query.js'
import { isNoun } from './row/add.js'

export const renderCliDocument = (program: Command): string =>
  [
    '# The command line client',
    '',
    'Printed from `bin/cli`; `npm run docs` regenerates it. `bin/manager-cli --help` shows the same.',
    '',
    '```',
    'manager-cli topology --watch              # the servers, again every two seconds',
    'manager-cli explain                       # whether it would fail over now, and why',
    'manager-cli switchover --plan             # what a switchover would do; changes nothing',
    'manager-cli switchover --to db2:3306      # switches over and shows the progress',
    'manager-cli events --output json          # live events, one JSON object per line',
    'manager-cli server list --query [].host   # every API path by noun and verb; --query selects a part',
    'manager-cli api --url /api/monitor        # any path of the API (dist/doc/api.md)',
    '```',
    '',
    '## Commands',
    ...shownCommands(program)
      .filter((command) => !isNoun(command))
      .flatMap(commandText),
    '',
    '## Nouns and verbs',
    '',
    'Every path of the API (`dist/doc/api.md`, printed by the build) is a noun and a verb: `manager-cli server list`, `manager-cli setting set',
    'failover-limit 3`. Servers and proxies are named by name, address or id: `db1`, `db1:3306`. The cluster is the one',
    'named by `--cluster`, or the only one. `manager-cli NOUN VERB --help` lists the arguments of a verb. The commands above',
    'do the same as some verbs, with output for people.',
    '',
    'Destructive commands and verbs ask for confirmation on a terminal; `--yes` and `--force` confirm in advance. Without a',
    'terminal, in a script, those that only interrupt users (marked \\*: `stop`, `kill`, `failover`) are executed, and those that lose',
    'data (marked \\*\\*) are refused with status 3 unless `--yes` is given.',
    ...program.commands.filter(isNoun).flatMap(nounText),
    '',
    '## Flags of every command',
    '',
    'Allowed before or after the command. An environment variable applies when its flag is not given.',
    '',
    ...optionTable(program.options),
    '',
    'The client speaks HTTPS. On loopback addresses it accepts any certificate, and plain HTTP if the server has no TLS;',
    'elsewhere the certificate must be signed by a CA of the system or by the one of `--cacert`, unless `--insecure` is given.',
    'With `--cacert` the certificate is always verified.',
    '',
    'After a login the token is stored in `$XDG_CONFIG_HOME/manager/sessions.json` (else below `~/.config`), mode 0600, and used until',
    'the manager refuses it. On a terminal the client prompts for the password when neither flag nor variable gives it.',
    '',
    'Results go to standard output, everything else to standard error. Colours are disabled when the output is not a terminal and',
    'when `NO_COLOR` is set.',
    '',
    '## Keys of the console',
    '',
    'Ctrl with a letter does the same where the terminal reports it. Changes ask for confirmation first.',
    '',
    '| Key | Does |',
    '|---|---|',
    ...Object.values(keys).map((key) => `| ${key.keys} | ${key.text} |`),
    '',
    '## Conditions of wait',
    '',
    '`manager-cli wait --for primary=db2 --timeout 30s` ends with 0 as soon as the condition is met, with 7 at the timeout, and',
    'reports the result. `--for` is repeatable: all conditions must be met at once. Events of the cluster trigger a check.',
    '',
    '| Condition | Holds when |',
    '|---|---|',
    ...Object.values(conditionKinds).map(({ form, meaning }) => `| \`${form}\` | ${meaning} |`),
    '',
    '## A part of the result',
    '',
    '`--query` takes a JMESPath expression and shows what it selects, in the requested format: `manager-cli server list --query "[].host"`,',
    '`manager-cli topology --output json --query "servers[?readOnly==\'ON\'].{host: host, port: port}"`.',
    '',
    '| Path | Meaning |',
    '|---|---|',
    ...queryHelp.map((cells) => `| ${cells.map(escapeCell).join(' | ')} |`),
    '',
    '## Exit status',
    '',
    '| Status | Meaning |',
    '|---|---|',
    ...exitTexts.map(([status, meaning]) => `| ${status} | ${meaning} |`),
    '',
    '## Completion',
    '',
    '```',
    'source <(manager-cli completion bash)     # bash, in ~/.bashrc',
    'source <(manager-cli completion zsh)      # zsh, in ~/.zshrc after compinit',
    'manager-cli completion fish | source      # fish, in config.fish',
    '```',
    '',
  ].join('\n')

const nounText = (noun: Command): readonly string[] => [
  '',
  `### ${noun.name()}`,
  '',
  '| Verb | Meaning |',
  '|---|---|',
  ...noun.commands.map(
    (verb) => `| \`${escapeCell(verbLine(verb))}\`${marks[gravityOf(verb)]} | ${escapeCell(verb.summary())} |`,
  ),
]

const marks: Readonly<Record<Gravity, string>> = { none: '', interrupts: ' \\*', loses: ' \\*\\*' }

/** A verb that only reads asks nothing, whatever it is called. */
const gravityOf = (verb: Command): Gravity =>
  verb.options.some(({ long }) => long === '--yes') ? gravityOfVerb(verb.name()) : 'none'

const verbLine = (verb: Command): string =>
  [
    verb.name(),
    ...verb.registeredArguments.map((each) => (each.required ? `<${each.name()}>` : `[${each.name()}]`)),
    ...verb.options.filter(({ long }) => long !== '--yes').map(({ flags }) => `[${flags}]`),
  ].join(' ')

const commandText = (command: Command): readonly string[] => [
  '',
  `### ${[command.name(), ...command.registeredArguments.map((argument) => `<${argument.name()}>`)].join(' ')}`,
  '',
  `${capital(command.description())}.`,
  ...(command.options.length === 0 ? [] : ['', ...optionTable(command.options)]),
]

const optionTable = (options: readonly Option[]): readonly string[] => [
  '| Flag | Meaning | Default | Variable |',
  '|---|---|---|---|',
  ...options.map((option) => `| ${cells(option).map(escapeCell).join(' | ')} |`),
]

const cells = (option: Option): readonly string[] => [
  `\`${option.flags}\``,
  option.argChoices ? `${option.description}: ${option.argChoices.join(', ')}` : option.description,
  defaultText(option),
  option.envVar === undefined ? '' : `\`${option.envVar}\``,
]

function defaultText({ defaultValue, defaultValueDescription }: Option): string {
  if (defaultValueDescription !== undefined) return defaultValueDescription
  return defaultValue === undefined || typeof defaultValue === 'boolean' ? '' : `\`${String(defaultValue)}\``
}

const escapeCell = (text: string): string => text.replaceAll('|', '\\|')

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
