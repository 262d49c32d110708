// The keys of a fleet in etcd, and what their values say.

/** Under which the keys of one fleet lie; a slash is added. */
const below = (prefix: string): string => prefix.replace(/\/+$/, '')

/** Keys that hang on leases: instances and owners. */
export const fleetKeys = (prefix: string): string => `${below(prefix)}/fleet/`
export const instanceKey = (prefix: string, id: string): string => `${fleetKeys(prefix)}instances/${id}`
export const ownerKey = (prefix: string, cluster: string): string => `${fleetKeys(prefix)}owners/${cluster}`
/** What the owner of a cluster leaves to the next one. */
export const clusterKeys = (prefix: string, cluster: string): string => `${below(prefix)}/clusters/${cluster}/`

/** What every instance knows: API tokens, and settings that were changed at run time. */
export const commonKeys = (prefix: string): string => `${below(prefix)}/common/`
export const tokenKey = (prefix: string, id: string): string => `${commonKeys(prefix)}tokens/${id}`

/** Sessions of browsers, and the key that their checks are derived from: apart, since they change all the time. */
export const sessionKeys = (prefix: string): string => `${below(prefix)}/browsers/`
export const sessionKey = (prefix: string, id: string): string => `${sessionKeys(prefix)}${id}`
/** Ids of sessions are hexadecimal. */
export const sessionsKey = (prefix: string): string => `${sessionKeys(prefix)}key`

export const settingsKeys = (prefix: string): string => `${commonKeys(prefix)}settings/`
/** Of a cluster, or of the server (''). */
export const settingsKey = (prefix: string, scope: string): string =>
  `${settingsKeys(prefix)}${scope === '' ? 'server' : `clusters/${scope}`}`

/** The scope of such a key; undefined for other keys. */
export function scopeOfSettings(prefix: string, key: string): string | undefined {
  const [kind, name] = key.slice(settingsKeys(prefix).length).split('/')
  return kind === 'clusters' ? name : kind === 'server' && name === undefined ? '' : undefined
}

export interface InstanceRecord {
  readonly id: string
  /** Where people and programs reach it. */
  readonly address: string
  readonly site: string
  /** Fingerprint of the certificate of its API, and the key that it signs requests with: SPKI, base64. */
  readonly certificate?: string
  readonly key?: string
}

export interface OwnerRecord {
  readonly instance: string
  readonly token: number
}

export interface FleetRecords {
  readonly instances: readonly InstanceRecord[]
  readonly owners: ReadonlyMap<string, OwnerRecord>
}

/** Values of another shape are not this fleet's: they are passed over. */
export function parseFleet(
  prefix: string,
  stored: readonly { readonly key: string; readonly value: string; readonly created: number }[],
): FleetRecords {
  const instances: InstanceRecord[] = []
  const owners = new Map<string, OwnerRecord>()
  for (const { key, value, created } of stored) {
    const [kind, name = ''] = key.slice(fleetKeys(prefix).length).split('/')
    const record = parseRecord(value)
    if (kind === 'instances' && record.id === name)
      instances.push({
        ...{ id: name, address: record.address ?? '', site: record.site ?? '' },
        ...(record.certificate === undefined ? {} : { certificate: record.certificate }),
        ...(record.key === undefined ? {} : { key: record.key }),
      })
    if (kind === 'owners' && record.instance !== undefined)
      owners.set(name, { instance: record.instance, token: created })
  }
  return { instances, owners }
}

function parseRecord(value: string): Readonly<Record<string, string | undefined>> {
  try {
    const parsed: unknown = JSON.parse(value)
    return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, string>) : {}
  } catch {
    return {}
  }
}
