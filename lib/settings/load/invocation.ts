// Settings given with the start: `--name=value` flags and MANAGER_* variables.
import { type Fault, faultAt, type RawEntry, unknownName } from '../configuration/fault.js'
import { findSetting, settingRow } from '../table/index.js'
import { findRecognised } from '../table/recognised.js'

export interface InvocationReading {
  readonly entries: readonly RawEntry[]
  readonly faults: readonly Fault[]
  readonly warnings: readonly Fault[]
}

const PREFIX = 'MANAGER_'

/** Variables of the scripts and the client; they are no settings. */
const foreign: ReadonlySet<string> = new Set(
  ['URL', 'HOST', 'PORT', 'USER', 'PASSWORD', 'CACERT', 'CLUSTER_NAME', 'HOST_NAME', 'HOST_PORT', 'FORCE_CONFIG']
    .concat('TOKEN', 'CLUSTER')
    .map((name) => PREFIX + name),
)

/** `MANAGER_FAILOVER_MODE` gives `failover-mode`. A variable that names no setting is a warning: it may be another program's. */
export function readEnvironment(environment: Readonly<Record<string, string | undefined>>): InvocationReading {
  const entries: RawEntry[] = []
  const warnings: Fault[] = []
  for (const [variable, value] of Object.entries(environment)) {
    if (value === undefined || !variable.startsWith(PREFIX)) continue
    const name = settingOf(variable)
    const entry = { name, value, origin: { kind: 'environment', variable } as const }
    if (isKnown(name) && !shadowed(variable)) entries.push(entry)
    else if (!foreign.has(variable)) warnings.push(unknownName(entry))
  }
  return { entries, faults: [], warnings }
}

/** The variable that gives a setting. */
export const variableOf = (name: string): string => PREFIX + name.toUpperCase().replace(/[-.]/g, '_')

/** `--name=value`, `--name value`, and `--name` alone for a switch. */
export function readFlags(flags: readonly string[]): InvocationReading {
  const entries: RawEntry[] = []
  const faults: Fault[] = []
  const rest = [...flags]
  for (let flag = rest.shift(); flag !== undefined; flag = rest.shift()) {
    const [, name, given] = /^--([^=]+)(?:=(.*))?$/s.exec(flag) ?? []
    const origin = { kind: 'flag' } as const
    if (name === undefined)
      faults.push({ origin, name: flag, problem: 'not a flag; settings are given as --name=value' })
    else if (given !== undefined) entries.push({ name, value: given, origin })
    else if (isSwitch(name)) entries.push({ name, value: true, origin })
    else if (rest[0] !== undefined && !rest[0].startsWith('--')) entries.push({ name, value: rest.shift(), origin })
    else if (findSetting(name) === undefined) entries.push({ name, value: undefined, origin })
    else faults.push(faultAt({ name, value: undefined, origin }, `needs a value: --${name}=…`))
  }
  return { entries, faults, warnings: [] }
}

const settingOf = (variable: string): string => variable.slice(PREFIX.length).toLowerCase().replaceAll('_', '-')

/** `user` is a setting, but MANAGER_USER is the scripts' login name. */
const shadowed = (variable: string): boolean => foreign.has(variable)

const isKnown = (spelling: string): boolean =>
  findSetting(spelling) !== undefined || findRecognised(spelling) !== undefined

const isSwitch = (spelling: string): boolean => {
  const name = findSetting(spelling)
  const kind = name === undefined ? findRecognised(spelling)?.kind : settingRow(name).shape.kind
  return kind === 'boolean' || kind === 'on'
}
