// The options of each server software, by version: read from the lists in share/rules/known.
import { type Flavour, parseVersion, type Version } from '../../model/server/version.js'

/** When a change takes effect: at once by SET GLOBAL, at the next start, or it is an option without a variable. */
export type OptionChange = 'live' | 'start' | 'option'

export interface KnownOption {
  readonly name: string
  readonly change: OptionChange
  /** The library that brings it, without `.so`; absent when the server itself does. */
  readonly plugin?: string
}

/** The options of one version of one flavour. */
export interface KnownServer {
  readonly flavour: Flavour
  readonly version: Version
  /** By name: lower case, `_`. */
  readonly options: ReadonlyMap<string, KnownOption>
}

/** Options of software without a generated list, with the page that documents each. */
export type KnownElsewhere = ReadonlyMap<string, string>

export interface Known {
  readonly servers: readonly KnownServer[]
  readonly elsewhere: KnownElsewhere
}

export const nothingKnown: Known = { servers: [], elsewhere: new Map() }

export interface KnownFile {
  /** `elsewhere.tsv`, or any other name ending in .tsv. */
  readonly file: string
  readonly text: string
}

/** The lists of a folder. A list begins with `# flavour version`; its lines are name, change and plugin, tab between. */
export function parseKnown(files: readonly KnownFile[]): Known {
  const lists = files.filter(({ file }) => !isElsewhere(file))
  const others = files.filter(({ file }) => isElsewhere(file)).flatMap(({ text }) => rowsOf(text))
  return {
    servers: lists.map(({ text }) => parseServer(text)),
    elsewhere: new Map(others.map(([name = '', source = '']) => [name, source])),
  }
}

const isElsewhere = (file: string): boolean => file.endsWith('elsewhere.tsv')

const rowsOf = (text: string): readonly (readonly string[])[] =>
  text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.split('\t'))

function parseServer(text: string): KnownServer {
  const [, flavour = '', version = ''] = /^# (\w+) (\S+)/.exec(text) ?? []
  const options = rowsOf(text).map(([name = '', change = '', plugin = '']): [string, KnownOption] => [
    name,
    { name, change: isChange(change) ? change : 'option', ...(plugin === '' ? {} : { plugin }) },
  ])
  return {
    flavour: flavour === 'mysql' ? 'mysql' : 'mariadb',
    version: parseVersion(version),
    options: new Map(options),
  }
}

const isChange = (text: string): text is OptionChange => text === 'live' || text === 'start'

/** The option with a name as option files spell it: also with `-`, `loose_` or `skip_`. */
export function findOption({ options }: KnownServer, written: string): KnownOption | undefined {
  const name = written
    .toLowerCase()
    .replaceAll('-', '_')
    .replace(/^loose_/, '')
  return options.get(name) ?? options.get(name.replace(/^(skip|enable|disable)_/, ''))
}
