// For which flavours and versions of server software a rule, an option or a statement holds.
import { compareVersions, type Flavour, parseVersion, type Version } from '../../model/server/version.js'

/** The kinds of proxies, and their companion programs, that rules may configure. */
export const proxySoftware = ['haproxy', 'proxysql', 'maxscale', 'sphinx'] as const
export type ProxySoftware = (typeof proxySoftware)[number]

const gateFlavours = ['mariadb', 'mysql', ...proxySoftware] as const

/** One flavour and the bounds that its version must keep; `mysql` includes Percona Server. */
export interface Gate {
  readonly flavour: (typeof gateFlavours)[number]
  readonly bounds: readonly Bound[]
}

interface Bound {
  readonly comparison: Comparison
  readonly version: Version
}

type Comparison = '<' | '<=' | '=' | '>=' | '>'

/** The software a configuration is for; the version is unknown before the first contact. */
export interface Software {
  readonly flavour: Flavour | ProxySoftware
  readonly version?: Version
}

/** The software of a container image: `mysql:8.4` → MySQL 8.4; undefined where its name does not show it. */
export function softwareOfImage(image: string): (Software & { readonly flavour: Flavour }) | undefined {
  const [, flavour, version] =
    /(?:^|\/)(mariadb|mysql|percona)[\w-]*(?:\/[\w-]+)?(?::(\d+\.\d+(?:\.\d+)?))?[^/]*$/.exec(image) ?? []
  if (flavour !== 'mariadb' && flavour !== 'mysql' && flavour !== 'percona') return undefined
  return { flavour, ...(version === undefined ? {} : { version: parseVersion(version) }) }
}

/** `maybe`: right flavour, but the version that would decide is not known. */
export type GateVerdict = 'open' | 'maybe' | 'shut'

/** One of several gates must match; no gate matches everything. */
export function judgeGates(gates: readonly Gate[], software: Software): GateVerdict {
  if (gates.length === 0) return 'open'
  const verdicts = gates.map((gate) => judgeGate(gate, software))
  if (verdicts.includes('open')) return 'open'
  return verdicts.includes('maybe') ? 'maybe' : 'shut'
}

function judgeGate({ flavour, bounds }: Gate, { flavour: asked, version }: Software): GateVerdict {
  if ((asked === 'percona' ? 'mysql' : asked) !== flavour) return 'shut'
  if (bounds.length === 0) return 'open'
  if (version === undefined) return 'maybe'
  return bounds.every((bound) => holds[bound.comparison](compareVersions(version, bound.version))) ? 'open' : 'shut'
}

const holds: Readonly<Record<Comparison, (order: number) => boolean>> = {
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '=': (order) => order === 0,
  '>=': (order) => order >= 0,
  '>': (order) => order > 0,
}

/** `mariadb >=10.5 <11.1` as a gate; undefined when it is not one. */
export function parseGate(text: string): Gate | undefined {
  const [flavour, ...bounds] = text.trim().split(/\s+/)
  if (!isGateFlavour(flavour)) return undefined
  const parsed = bounds.map(parseBound)
  const known = parsed.filter((bound) => bound !== undefined)
  return known.length === parsed.length ? { flavour, bounds: known } : undefined
}

function parseBound(text: string): Bound | undefined {
  const [, sign = '', version = ''] = /^(<=|>=|<|>|=)(\d+\.\d+(?:\.\d+)?)$/.exec(text) ?? []
  return isComparison(sign) ? { comparison: sign, version: parseVersion(version) } : undefined
}

const isGateFlavour = (text: string | undefined): text is Gate['flavour'] =>
  gateFlavours.some((flavour) => flavour === text)

const isComparison = (sign: string): sign is Comparison => Object.hasOwn(holds, sign)
