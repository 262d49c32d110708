// The words of the daemon's command line: a command, `--config`, and one flag per setting.
import os from 'node:os'
import { searchPath, settingRow } from '../../lib/settings/index.js'

/** Default paths of the configuration file; the first that exists is read. */
export const usualFiles = (): readonly string[] => searchPath(os.homedir(), process.cwd())

/** The key file of secrets at rest where none is named. */
export const usualKeyFile = String(settingRow('monitoring-key-path').default)

export const usage = (): string => `Usage: manager [monitor] [--config FILE] [--<setting>=<value> …]
       manager check [--config FILE]         validate the configuration: all faults, what would be in force and from where
                                             (exit status 0 or 2; --output json; starts nothing)
       manager --explain-config              list the names in the configuration that have no effect, each with the reason
       manager keygen [KEYFILE]              make the key that encrypts secrets at rest
       manager encrypt [KEYFILE]             encrypt a secret, asked for or read from standard input, for the configuration
       manager configurator check [FOLDER]   check the rule sets (share/rules)
       manager configurator explain TAG      what a tag brings to a server or proxy
       manager configurator diff +TAG,-TAG   what a change of its tags changes for a server (or --proxy=HOST:PORT)
       manager version

explain and diff take --cluster=NAME and --server=HOST:PORT of the configuration (the first of each when absent; the
defaults without --config FILE), and --software=mariadb-10.11.19 or mysql-8.4.3.

The settings are listed in share/doc/settings.md. Without --config the first of these is read:
${usualFiles()
  .map((file) => `  ${file}\n`)
  .join('')}Without KEYFILE it is ${usualKeyFile}.
`

const commands = ['monitor', 'check', 'explain-config', 'keygen', 'encrypt', 'configurator', 'version', 'help'] as const

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
