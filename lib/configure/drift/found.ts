// The values that a discovery found on a server: they stand for those of the tags until the tags give another value.
import type { ValueOrigin } from '../../model/server/configuration.js'
import { addOption } from './option-file.js'
import { isCompared, type Options, type Shown, sameValue, shownValue } from './values.js'

/** A kept value, and the value of the tags at that time. */
export interface Kept {
  readonly value: string
  readonly expected: string
}

/** By name. */
export type Found = Readonly<Record<string, Kept>>

/** What the tags give to an option that they do not set. */
const NOTHING = '(not set)'

/** Options that say where a server is and stores things: they are its own, and in its own option files. */
const placing =
  /(^|_)(dir|datadir|file|socket|port|address|basename|index|host|hostname|user|password|path|version\w*|plugins?|maturity)$|^(ssl_|tls_|wsrep_|plugin|log_bin|relay_log|server_uuid|init_|log_error|basedir|lc_|pid_|bind_|report_|read_only|super_read_only|skip_|myisam_recover|aria_log|innodb_(data|log_group|undo|temp)_|secure_|license|system_time_zone|default_tmp|tls|general_log_file|slow_query_log_file|character_sets_dir|autocommit_\w+)/

const givenBy: ReadonlySet<ValueOrigin['from']> = new Set(['file', 'command-line', 'statement'])

export interface FoundInput {
  /** The values of the tags. */
  readonly expected: Options
  readonly server: Shown & { readonly origins: Readonly<Record<string, ValueOrigin>> }
}

/** What a server runs with where its tags say otherwise, or say nothing and an option or a statement set it. */
export function findValues({ expected, server }: FoundInput): Found {
  const differing = [...expected].flatMap(([name, wanted]) => {
    const running = isCompared(name) ? shownValue(name, server) : undefined
    return running === undefined || sameValue(wanted, running) ? [] : [[name, { value: running, expected: wanted }]]
  })
  const added = Object.entries(server.origins).flatMap(([name, { from }]) => {
    const running = server.variables[name]
    if (!givenBy.has(from) || !isCompared(name) || placing.test(name) || running === undefined) return []
    const set = new Map<string, string>()
    addOption(set, name, running)
    return [...set].filter(([one]) => !expected.has(one)).map(([one, value]) => [one, { value, expected: NOTHING }])
  })
  return Object.fromEntries([...differing, ...added])
}

/** Those that still hold: the tags give the value that they gave at the discovery. */
export const stillFound = (found: Found, expected: Options): Found =>
  Object.fromEntries(
    Object.entries(found).filter(
      ([name, kept]) => isCompared(name) && sameValue(expected.get(name) ?? NOTHING, kept.expected),
    ),
  )

/** The values that a server is to have: those of its tags, and what was found in place of them. */
export const withFound = (expected: Options, found: Found): Options =>
  new Map([...expected, ...Object.entries(found).map(([name, { value }]) => [name, value] as const)])
