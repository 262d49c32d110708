// The types of everything in a JSON value, by path: entries of lists under `[]`, those of maps by id under `*`. A number with
// decimals is a `fraction`, which decodes as no integer, but where the name says that decimals may come.

export type Types = Readonly<Record<string, string>>

/** Texts that clients decode as times. */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/

const maps = ['binaryLogFiles', 'engineInnodb', 'apiUsers', 'grants', 'roles', 'topologyType', 'header', 'servers']

export function typesOf(value: unknown, at = ''): Types {
  const type = typeOf(value)
  const here = { [at]: type === 'fraction' && at.endsWith('.Float64') ? 'number' : type }
  if (Array.isArray(value))
    return { ...value.reduce<Types>((all, one) => both(all, typesOf(one, `${at}[]`)), {}), ...here }
  if (typeof value !== 'object' || value === null) return here
  const isMap = maps.some((map) => at === map || at.endsWith(`.${map}`))
  const inner = Object.entries(value).map(([key, one]) => typesOf(one, `${at}.${isMap ? '*' : key}`))
  return inner.reduce<Types>(both, here)
}

/** Those of the second one, but that one fraction among integers is one. */
function both(left: Types, right: Types): Types {
  const fractions = Object.entries(left).filter(([path, type]) => type === 'fraction' && right[path] === 'number')
  return { ...left, ...right, ...Object.fromEntries(fractions) }
}

function typeOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'list'
  if (typeof value === 'string') return TIME.test(value) ? 'time' : 'text'
  return typeof value === 'number' && !Number.isInteger(value) ? 'fraction' : typeof value
}

/** Paths of `found` that a client which decodes `recorded` fails at: a null decodes as anything, and a time is a text, too. */
export const undecodable = (found: Types, recorded: Types): readonly string[] =>
  Object.entries(found).flatMap(([path, type]) => {
    const known = recorded[path]
    const fits = known === undefined || known === 'null' || type === 'null' || known === type
    return fits || (known === 'text' && type === 'time') || (known === 'fraction' && type === 'number')
      ? []
      : [`${path}: ${type} where ${known} is decoded`]
  })
