// Equality of a value in an option file and a server's value, and the variable of an option.
import type { ServerConfiguration } from '../../model/server/configuration.js'

export type Shown = Pick<ServerConfiguration, 'variables' | 'plugins'>

/** By name: lower case, `_`, without `loose_`; a switch of the optimizer and a plugin with its own name after a dot. */
export type Options = ReadonlyMap<string, string>

/** The server runs on a generated configuration: files other than tables are in its folders. */
export const runsOnGenerated = (shown: (name: string) => string | undefined): boolean =>
  placed.some((name) => /(^|\/)\.system(\/|$)/.test(shown(name) ?? ''))

const placed = ['innodb_log_group_home_dir', 'slow_query_log_file', 'tmpdir', 'log_error']

/** Values set by role or machine: not of the option file. With the positions, one list for drift, what is found, discovery and difference. */
const notCompared: ReadonlySet<string> = new Set([
  ...['read_only', 'super_read_only', 'event_scheduler', 'report_host', 'report_port'],
  ...['rpl_semi_sync_master_enabled', 'rpl_semi_sync_slave_enabled'],
  ...['rpl_semi_sync_source_enabled', 'rpl_semi_sync_replica_enabled'],
  // The server adjusts these to the limits of the system.
  ...['open_files_limit', 'table_open_cache', 'thread_cache_size', 'back_log', 'innodb_buffer_pool_chunk_size'],
  // A log in persistent memory is its own buffer.
  'innodb_log_buffer_size',
  // Written more than once, and merged.
  'ignore_db_dirs',
])

/** State, which moves with every transaction: in an option file it would take a server back to an old position. */
const positions: ReadonlySet<string> = new Set([
  ...['gtid_slave_pos', 'gtid_binlog_pos', 'gtid_binlog_state', 'gtid_current_pos'],
  ...['gtid_executed', 'gtid_purged', 'gtid_owned', 'gtid_next'],
])

/** A position of replication: in no option file that the manager writes, also where a person preserved it. */
export const isPosition = (name: string): boolean => positions.has(name)

/** Options that the manager or the machine sets automatically on a running server. */
export const isCompared = (name: string): boolean => !notCompared.has(name) && !isPosition(name)

/** Where a variable has another name than its option, on some versions. */
const aliases: Readonly<Record<string, readonly string[]>> = {
  transaction_isolation: ['transaction_isolation', 'tx_isolation'],
  transaction_read_only: ['transaction_read_only', 'tx_read_only'],
}

/** The names that an option and its variable may have. */
export const namesOf = (name: string): readonly string[] => aliases[name] ?? [name]

/** A server's value of an option; undefined where it has no variable of the name. */
export function shownValue(name: string, { variables, plugins }: Shown): string | undefined {
  const [head = '', tail] = splitName(name)
  if (head === 'plugin_load_add') return plugins.some(isLibrary(tail ?? '')) ? 'loaded' : ''
  if (head === 'optimizer_switch' && tail !== undefined) return switchOf(variables.optimizer_switch, tail)
  if (name === 'log_bin') return variables.log_bin === 'OFF' ? 'OFF' : variables.log_bin_basename
  return namesOf(name)
    .map((each) => variables[each])
    .find((value) => value !== undefined)
}

/** `optimizer_switch.mrr` in two. */
export function splitName(name: string): readonly [head: string, tail?: string] {
  const dot = name.indexOf('.')
  return dot < 0 ? [name] : [name.slice(0, dot), name.slice(dot + 1)]
}

const isLibrary =
  (name: string) =>
  ({ library, status }: Shown['plugins'][number]): boolean =>
    status === 'ACTIVE' && library.replace(/\.so$/, '') === name.replace(/\.so$/, '')

const switchOf = (text: string | undefined, name: string): string | undefined =>
  text
    ?.split(',')
    .map((each) => each.split('='))
    .find(([each]) => each === name)?.[1]

/** Whether two spellings mean the same: sizes with and without a suffix, switches, lists in any order, paths. */
export function sameValue(one: string, other: string): boolean {
  const [left, right] = [plain(one), plain(other)]
  if (left === right) return true
  const [first, second] = [truth(left), truth(right)]
  if (first !== undefined && first === second) return true
  const [a, b] = [bytes(left), bytes(right)]
  if (a !== undefined && b !== undefined && (a === b || isRounded([left, a], [right, b]))) return true
  return left.includes(',') && list(left) === list(right)
}

const plain = (text: string): string => {
  const trimmed = text.trim().toLowerCase()
  return trimmed.length > 1 ? trimmed.replace(/\/+$/, '') : trimmed
}

const truth = (text: string): boolean | undefined => {
  if (['on', '1', 'yes', 'true', ''].includes(text)) return text === '' ? undefined : true
  return ['off', '0', 'no', 'false'].includes(text) ? false : undefined
}

/** Servers round sizes to whole blocks: values with a suffix need to match only approximately. */
const isRounded = ([left, a]: readonly [string, number], [right, b]: readonly [string, number]): boolean =>
  (/[kmgt]$/.test(left) || /[kmgt]$/.test(right)) && Math.abs(a - b) * 100 <= Math.max(a, b)

const factors: Readonly<Record<string, number>> = { k: 2 ** 10, m: 2 ** 20, g: 2 ** 30, t: 2 ** 40 }

function bytes(text: string): number | undefined {
  const [, number = '', suffix = ''] = /^(-?\d+(?:\.\d+)?)([kmgt]?)$/.exec(text) ?? []
  return number === '' ? undefined : Number(number) * (factors[suffix] ?? 1)
}

const list = (text: string): string =>
  text
    .split(',')
    .map((each) => each.trim())
    .toSorted()
    .join(',')
