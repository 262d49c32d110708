// What is wrong with a configuration, with its place, the value, what is allowed and the name that was probably meant.
import { MASK } from '../../base/secret.js'
import { suggest } from '../../base/suggest.js'
import { findSetting, knownSpellings, nearestSpelling, settingRow } from '../table/index.js'
import { findRecognised } from '../table/recognised.js'

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

/** A fault stops a start and a reload; a warning is reported only. */
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
  /** A name, a place or a folder of another system: a warning, unless `strict` makes it an error. */
  readonly foreign?: true
}

/** A value as it was written, before its name and its shape are known. */
export interface RawEntry {
  readonly name: string
  readonly value: unknown
  readonly origin: Origin
  readonly section?: string
}

/** `/etc/manager/config.toml:12: [alpha] failover-limit = "many": allowed: a whole number of at least 0` */
export const renderFault = ({ origin, ...fault }: Fault): string =>
  renderPlaced({ ...fault, place: renderOrigin(origin) })

/** A fault whose place is text already. */
export function renderPlaced({
  place,
  section,
  name,
  value,
  problem,
}: Omit<Fault, 'origin' | 'lost' | 'foreign'> & { readonly place: string }): string {
  const subject = [section && `[${section}]`, name, value !== undefined && `= ${value}`].filter(Boolean).join(' ')
  return [place, subject, problem].filter(Boolean).join(': ')
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

/** A name that is not a setting: foreign in a file, which another system may have written. */
export function unknownName(entry: RawEntry): Fault {
  const isForeign = entry.origin.kind === 'file'
  const nearest = nearestSpelling(entry.name)
  const hint = nearest === undefined ? '' : `; did you mean ${nearest}?`
  if (!isForeign) return faultAt(entry, `unknown setting${hint}`)
  return foreign(entry, entry.name === 'title' ? TITLE : `unknown setting${hint}`)
}

const TITLE = 'is not a setting; the name of the section is the name of the cluster'

/** A warning that `strict` makes an error. */
export const foreign = (entry: RawEntry, problem: string): Fault => ({ ...faultAt(entry, problem), foreign: true })

/** The value for a message, masked when the setting is a secret or, misspelt, might be one. */
export function showValue(spelling: string, value: unknown): string {
  const name = findSetting(spelling)
  if (name ? settingRow(name).secret : isSuspect(spelling, value)) return MASK
  const text = isStructure(value) ? '{…}' : (JSON.stringify(value) ?? String(value))
  return text.length > 80 ? `${text.slice(0, 77)}...` : text
}

/** Tables are not shown: a secret may stand anywhere in them. */
const isStructure = (value: unknown): boolean =>
  Array.isArray(value) ? value.some(isStructure) : typeof value === 'object' && value !== null

/** Of a name that is not a setting: its value may be a secret, or an account of the form user:password. */
function isSuspect(spelling: string, value: unknown): boolean {
  const recognised = findRecognised(spelling)
  const nearest = findSetting(suggest(spelling, knownSpellings) ?? '')
  if (recognised?.kind === 'secret' || (nearest && settingRow(nearest).secret)) return true
  if (/pass|secret|token|credential|key|user|login|account/i.test(spelling)) return true
  return typeof value === 'string' && /^[^\s:/]+:(?![\d/])/.test(value)
}
