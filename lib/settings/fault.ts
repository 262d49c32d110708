// What is wrong with a configuration, with its place, the value, what is allowed and the name that was probably meant.
import { MASK } from '../base/secret.js'
import { suggest } from '../base/suggest.js'
import { findSetting, knownSpellings, type SettingName, settingRow } from './table/index.js'

/** `rotated`: saved in place of a secret that file, environment or flag still give. */
export type OriginKind = 'default' | 'file' | 'environment' | 'flag' | 'saved' | 'runtime' | 'rotated'

/** Where a value comes from. */
export interface Origin {
  readonly kind: OriginKind
  readonly file?: string
  /** Counted from 1. */
  readonly line?: number
  /** The environment variable. */
  readonly variable?: string
}

/** A fault stops a start and a reload; as a warning it is told and passed over. */
export interface Fault {
  readonly origin: Origin
  readonly section?: string
  /** The name as it was written. */
  readonly name?: string
  /** The value as it was written; masked where it is or may be a secret. */
  readonly value?: string
  /** What is wrong, what is allowed, what can be done: one line. */
  readonly problem: string
  /** Something that was saved is not in force because a file is damaged or a value is not understood: worth a finding. */
  readonly lost?: true
}

/** A value as it stands somewhere, before its name and its shape are known. */
export interface RawEntry {
  readonly name: string
  readonly value: unknown
  readonly origin: Origin
  readonly section?: string
}

/** `/etc/manager/config.toml:12: [alpha] failover-limit = "many": allowed: a whole number of at least 0` */
export function renderFault({ origin, section, name, value, problem }: Fault): string {
  const subject = [section && `[${section}]`, name, value !== undefined && `= ${value}`].filter(Boolean).join(' ')
  return [renderOrigin(origin), subject, problem].filter(Boolean).join(': ')
}

/** `file.toml:12`, `environment MANAGER_LOG_LEVEL`, `flag`, … */
export function renderOrigin({ kind, file, line, variable }: Origin): string {
  if (file !== undefined) return line === undefined ? file : `${file}:${line}`
  return variable === undefined ? kind : `${kind} ${variable}`
}

export const faultAt = ({ origin, section, name, value }: RawEntry, problem: string): Fault => ({
  origin,
  name,
  problem,
  ...(value === undefined ? {} : { value: showValue(name, value) }),
  ...(section === undefined ? {} : { section }),
})

/** A fault of a name that is no setting. */
export function unknownName(entry: RawEntry): Fault {
  const nearest = suggest(entry.name, knownSpellings)
  return faultAt(entry, `unknown setting${nearest === undefined ? '' : `; did you mean ${nearest}?`}`)
}

/** The value for a message, masked when the setting is a secret or, misspelt, might be one. */
export function showValue(spelling: string, value: unknown): string {
  const name = findSetting(spelling) ?? guess(spelling)
  if (name ? settingRow(name).secret : /pass|secret|token|credential|key/i.test(spelling)) return MASK
  const text = isStructure(value) ? '{…}' : (JSON.stringify(value) ?? String(value))
  return text.length > 80 ? `${text.slice(0, 77)}...` : text
}

/** Tables are not shown: a secret may stand anywhere in them. */
const isStructure = (value: unknown): boolean =>
  Array.isArray(value) ? value.some(isStructure) : typeof value === 'object' && value !== null

const guess = (spelling: string): SettingName | undefined => findSetting(suggest(spelling, knownSpellings) ?? '')
