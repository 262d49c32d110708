// The words of the daemon's command line: a command, `--config`, and one flag per setting.
import os from 'node:os'
import { searchPath, settingRow } from '../../lib/settings/index.js'

/** Default paths of the configuration file; the first that exists is read. */
export const usualFiles = (): readonly string[] => searchPath(os.homedir(), process.cwd())

/** The key file of secrets at rest where none is named. */
export const usualKeyFile = String(settingRow('monitoring-key-path').default)

export const usage = (): string => `Usage: manager [monitor] [--config FILE] [--<setting>=<value> …]
       manager check [--config FILE] [--all] validate the configuration: all faults, what would be in force and from where,
                                             with --all also what is at its default
                                             (exit status 0 or 2; --output json; starts nothing)
       manager --explain-config              list the names in the configuration that have no effect, each with the reason
       manager keygen [KEYFILE]              make the key that encrypts secrets at rest
       manager login-link USER               make a link that opens the dashboard once, logged in as the user
       manager encrypt [KEYFILE]             encrypt a secret, asked for or read from standard input, for the configuration
       manager configurator check [FOLDER]   check the rule sets (share/rules)
       manager configurator explain TAG      what a tag brings to a server or proxy
       manager configurator diff +TAG,-TAG   what a change of its tags changes for a server (or --proxy=HOST:PORT)
       manager doctor [--config FILE]        check this machine and reach every server: what is wrong, what to do
                                             (exit status 0, 1 for problems, 2; --output json; changes nothing)
       manager import --from orchestrator|mha|maxscale|manager FILE [FILE …] [--output DIR|-] [--force]
                                             cluster files from the configuration of another tool, in observe mode, and a
                                             report of every value (--cluster, --hosts, --proxy-host add what it does not say)
       manager backup-state FILE --keys KEYFILE | --plain
                                             archive settings, state, journals, tokens and keys, while the manager runs;
                                             encrypted for KEYFILE, which is created when missing, or plain without the key
       manager restore-state FILE [--keys KEYFILE] [--directory DIR]
                                             put an archived state in place; the former one is kept
       manager state-format [NUMBER]         show the format of the working directory, or bring it to another one
       manager replay FILE [--set SETTING=VALUE …] [--from TIME] [--until TIME] [--at TIME]
                                             run the decisions over a recording (C/recording) again: each with its evidence,
                                             or the first that other settings would have changed, or all at one moment
                                             (exit status 0, 1, 2, or 3 where this version decides otherwise than recorded)
       manager version

explain and diff take --cluster=NAME and --server=HOST:PORT of the configuration (the first of each when absent; the
defaults without --config FILE), and --software=mariadb-10.11.19 or mysql-8.4.3.

The settings are listed in share/doc/settings.md. Without --config the first of these is read:
${usualFiles()
  .map((file) => `  ${file}\n`)
  .join('')}Without KEYFILE it is ${usualKeyFile}.
`

const commands = [
  'monitor',
  'check',
  'explain-config',
  'keygen',
  'login-link',
  'encrypt',
  'import',
  'backup-state',
  'restore-state',
  'state-format',
  'doctor',
  'configurator',
  'replay',
  'version',
  'help',
] as const

export interface Arguments {
  readonly command: (typeof commands)[number]
  readonly file?: string
  readonly flags: readonly string[]
  readonly rest: readonly string[]
}

const EXPLAIN = '--explain-config'

const withoutCommand = (words: readonly string[]): readonly string[] =>
  words.filter((word, index) => word !== EXPLAIN && !(index === 0 && word === 'monitor'))

/** A `--config` without a file stays among the flags and is reported as unknown. */
export function readArguments(words: readonly string[]): Arguments {
  if (words.includes('--help') || words.includes('-h')) return { command: 'help', flags: [], rest: [] }
  if (words.includes('--version')) return { command: 'version', flags: [], rest: [] }
  if (words.includes(EXPLAIN)) return readArguments(['explain-config', ...withoutCommand(words)])
  const command = commands.find((name) => name === words[0])
  const rest = command === undefined ? words : words.slice(1)
  const flags: string[] = []
  let file: string | undefined
  for (let index = 0; index < rest.length; index++) {
    const word = rest[index] ?? ''
    const next = rest[index + 1]
    if (word === '--config' && next !== undefined) {
      index += 1
      file = next
    } else if (word.startsWith('--config=')) file = word.slice('--config='.length)
    else flags.push(word)
  }
  return { command: command ?? 'monitor', flags, rest, ...(file === undefined ? {} : { file }) }
}
