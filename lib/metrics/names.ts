// From the name of a status or server variable to the name of its family, or to none where the name cannot be one.

/** Names cached per prefix: a few thousand suffice for all servers of all versions; invented names only lose the cache. */
const LIMIT = 10_000
const known = new Map<string, Map<string, string | undefined>>()

/**
 * `mysql_global_status_` + `Threads_running` → `mysql_global_status_threads_running`. Undefined for the few names that
 * Prometheus' own check refuses, and with them the whole exposition: `expire_logs_days` (not in seconds),
 * `histogram_size` (claims a type).
 */
export function familyName(prefix: string, name: string): string | undefined {
  const families = known.get(prefix) ?? new Map<string, string | undefined>()
  if (families.has(name)) return families.get(name)
  if (families.size >= LIMIT) families.clear()
  const own = name.toLowerCase().replace(/[^a-z0-9_]/g, '_')
  const family = isRefused(own) ? undefined : prefix + own
  known.set(prefix, families.set(name, family))
  return family
}

const types = new Set(['counter', 'gauge', 'summary', 'histogram'])

/** Words of units that are not Prometheus' base units, and abbreviations of units. */
const units = new Set([
  ...['minutes', 'hours', 'days', 'weeks', 'bits', 'inches', 'yards', 'miles', 'pounds', 'ounces', 'calories'],
  ...['s', 'ms', 'us', 'ns', 'sec', 'b', 'kb', 'mb', 'gb', 'tb', 'pb', 'm', 'h', 'd'],
])
const scaled =
  /^(pico|nano|micro|milli|centi|deci|deca|hecto|kilo|kibi|mega|mibi|giga|gibi|tera|tebi|peta|pebi)(bytes|bits|seconds|meters|grams)$/

const isRefused = (name: string): boolean =>
  name.split('_').some((word) => types.has(word) || units.has(word) || scaled.test(word))
