// One layer of values: raw entries of one source checked against the table.
import { ok, type Result } from '../../base/result.js'
import { reveal, type Secret } from '../../base/secret.js'
import type { SettingScope, SettingValue } from '../kit/row.js'
import { refuse } from '../kit/shape.js'
import {
  decryptBefore,
  decryptSecret,
  hasEncrypted,
  isEncryptedBefore,
  mayBeEncryptedBefore,
} from '../secret/secrets.js'
import { findSetting, type SettingName, settingRow } from '../table/index.js'
import { findRecognised } from '../table/recognised.js'
import { type Fault, faultAt, type Origin, type RawEntry, renderOrigin, unknownName } from './fault.js'

export interface Entry {
  readonly value: SettingValue
  readonly origin: Origin
}

export type Layer = ReadonlyMap<SettingName, Entry>

export interface LayerReading {
  readonly layer: Layer
  readonly faults: readonly Fault[]
  readonly warnings: readonly Fault[]
  /** Entries of names that have no effect here; the problem of each says why. */
  readonly recognised: readonly Fault[]
}

export interface LayerContext {
  /** A cluster's section cannot give values of the server. */
  readonly scope: SettingScope
  /** Opens encrypted secrets; without one they are faults. */
  readonly key: Secret | undefined
}

/** Checks every entry; of two for one setting the later counts. */
export function readLayer(entries: readonly RawEntry[], context: LayerContext): LayerReading {
  const layer = new Map<SettingName, Entry>()
  const faults: Fault[] = []
  const warnings: Fault[] = []
  const recognised: Fault[] = []
  for (const entry of entries) {
    const name = findSetting(entry.name)
    const parsed = name && parseEntry(name, entry.value, context.key)
    const inert = findRecognised(entry.name)
    if (name === undefined && inert) recognised.push(faultAt(entry, `no effect: ${inert.reason}`))
    else if (name === undefined) (entry.origin.kind === 'file' ? warnings : faults).push(unknownName(entry))
    else if (parsed?.ok) {
      warnings.push(...remarks(name, entry, { ...context, before: layer.get(name) }))
      if (context.scope === 'server' || settingRow(name).scope === 'cluster')
        layer.set(name, { value: parsed.value, origin: entry.origin })
    } else faults.push(faultAt(entry, parsed?.failure.message ?? ''))
  }
  return { layer, faults, warnings, recognised }
}

const WAY_OUT =
  'plain text, or aes256gcm:… made with the key of this manager; another program encrypted this one: let monitoring-key-path name its key file (16 bytes, mode 0600), or write what manager encrypt makes of the password'

const BARE =
  'taken for the password itself: hexadecimal digits that the key file opens. If the system whose key that is encrypted it, write hash_ before it'

/** A password with a comma would begin another account of the list. */
function listed(name: SettingName, value: Secret): Result<SettingValue> {
  const isList = name === 'api-credentials' || name === 'api-credentials-external'
  const accounts = reveal(value).split(',')
  return isList && accounts.some((account) => !account.includes(':'))
    ? refuse('passwords without a comma: it separates the accounts of the list')
    : ok(value)
}

/** The value of a raw entry; an encrypted secret is opened, also one that the existing system encrypted. */
export function parseEntry(name: SettingName, input: unknown, key: Secret | undefined): Result<SettingValue> {
  const { secret, shape } = settingRow(name)
  if (!secret || typeof input !== 'string') return shape.parse(input)
  if (isEncryptedBefore(input)) {
    const opened = key === undefined ? undefined : decryptBefore(input, key)
    return opened?.ok ? listed(name, opened.value) : refuse(`${WAY_OUT}${opened ? ` (${opened.failure.message})` : ''}`)
  }
  if (!hasEncrypted(input)) return shape.parse(input)
  if (key === undefined) return refuse('an encrypted value only with its key file (monitoring-key-path)')
  const opened = decryptSecret(input, key)
  return opened.ok ? listed(name, opened.value) : opened
}

function remarks(
  name: SettingName,
  entry: RawEntry,
  { scope, key, before }: LayerContext & { before: Entry | undefined },
): Fault[] {
  const row = settingRow(name)
  const remarks: string[] = []
  if (scope === 'cluster' && row.scope === 'server') remarks.push('has no effect here: it belongs to [Default]')
  if (before) remarks.push(`given twice; this replaces the value of ${renderOrigin(before.origin)}`)
  if (row.secret && key && typeof entry.value === 'string' && mayBeEncryptedBefore(entry.value, key)) remarks.push(BARE)
  return remarks.map((problem) => faultAt(entry, problem))
}

/** The layers on top of each other: of two values the one of the later layer counts. */
export const stack = (...layers: readonly Layer[]): Layer => new Map(layers.flatMap((layer) => [...layer]))

/** The layer without some names. */
export const without = (layer: Layer, names: Layer): Layer => new Map([...layer].filter(([name]) => !names.has(name)))
