// The types of everything in a JSON value, by path: entries of lists under `[]`, those of maps by id under `*`.

export type Types = Readonly<Record<string, string>>

/** Texts that clients decode as times. */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/

const maps = ['binaryLogFiles', 'engineInnodb', 'apiUsers', 'grants', 'roles', 'topologyType', 'header', 'servers']

export function typesOf(value: unknown, at = ''): Types {
  const here = { [at]: typeOf(value) }
  if (Array.isArray(value)) return Object.assign({}, ...value.map((one) => typesOf(one, `${at}[]`)), here)
  if (typeof value !== 'object' || value === null) return here
  const isMap = maps.some((map) => at === map || at.endsWith(`.${map}`))
  const inner = Object.entries(value).map(([key, one]) => typesOf(one, `${at}.${isMap ? '*' : key}`))
  return Object.assign(here, ...inner)
}

function typeOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'list'
  if (typeof value === 'string') return TIME.test(value) ? 'time' : 'text'
  return typeof value
}
