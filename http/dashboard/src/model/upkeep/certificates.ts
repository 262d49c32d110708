// Certificates: those of the manager's API, and those that it made for clusters, with what is left of their time.
import type { CertificateFacts, ClientCertificate } from '../../../../client/api/generated.js'
import type { Loose } from '../../../../client/api/types.js'
import { fieldsOf, listOf, present, textOf, wireOf } from '../wire.js'

export interface Certificate {
  readonly subject: string
  readonly issuer: string
  readonly notBefore: number
  readonly notAfter: number
  readonly fingerprint?: string
}

export const certificateUses = ['ca', 'server', 'client'] as const

export type CertificateUse = (typeof certificateUses)[number]

export type ClusterCertificates = { readonly [Use in CertificateUse]?: Certificate } & {
  readonly cluster: string
  /** The former authority is still trusted. */
  readonly rotating: boolean
}

export interface FleetCertificates {
  /** Absent: the API is served without TLS. */
  readonly listener?: Certificate & { readonly selfSigned: boolean }
  readonly clusters: readonly ClusterCertificates[]
  readonly unread: readonly { readonly cluster: string; readonly problem: string }[]
}

/** `/api/certificates`. */
export function readFleetCertificates(reply: unknown): FleetCertificates {
  const { listener, clusters, unread } = fieldsOf(wireOf<'GET /api/certificates'>(reply))
  const own = readCertificate(listener)
  return present<FleetCertificates>({
    listener: own && { ...own, selfSigned: fieldsOf(listener).selfSigned === true },
    clusters: listOf(clusters).map((wire) => readSet(wire, textOf(wire.cluster) ?? '')),
    unread: listOf(unread).map(({ cluster, problem }) => ({
      cluster: textOf(cluster) ?? '',
      problem: textOf(problem) ?? '',
    })),
  })
}

/** `C/certificates`; undefined before the first archive. */
export function readClusterCertificates(reply: unknown, cluster: string): ClusterCertificates | undefined {
  const [wire] = listOf(wireOf<'GET /api/clusters/:cluster/certificates'>(reply))
  return wire && readSet(wire, cluster)
}

const readSet = (
  wire: Loose<Pick<ClientCertificate, CertificateUse | 'rotating'>>,
  cluster: string,
): ClusterCertificates =>
  present<ClusterCertificates>({
    ...{ cluster, rotating: wire.rotating === true },
    ...{ ca: readCertificate(wire.ca), server: readCertificate(wire.server), client: readCertificate(wire.client) },
  })

function readCertificate(value: Loose<CertificateFacts> | null | undefined): Certificate | undefined {
  const wire = fieldsOf(value)
  const [notBefore, notAfter] = [Date.parse(textOf(wire.notBefore) ?? ''), Date.parse(textOf(wire.notAfter) ?? '')]
  if (!Number.isFinite(notBefore) || !Number.isFinite(notAfter)) return undefined
  return present<Certificate>({
    ...{ subject: textOf(wire.subject) ?? '', issuer: textOf(wire.issuer) ?? '', notBefore, notAfter },
    fingerprint: textOf(wire.fingerprint),
  })
}

/** The one that expires first. */
export function firstToExpire(set: ClusterCertificates): (Certificate & { readonly use: CertificateUse }) | undefined {
  return certificateUses
    .flatMap((use) => {
      const found = set[use]
      return found ? [{ ...found, use }] : []
    })
    .toSorted((one, other) => one.notAfter - other.notAfter)[0]
}

const DAY = 86_400_000
/** The manager warns this long before. */
const SOON = 30 * DAY

export type Validity = 'valid' | 'soon' | 'expired' | 'not-yet'

export function judgeValidity(
  { notBefore, notAfter }: Pick<Certificate, 'notBefore' | 'notAfter'>,
  now: number,
): Validity {
  if (now >= notAfter) return 'expired'
  if (now < notBefore) return 'not-yet'
  return notAfter - now < SOON ? 'soon' : 'valid'
}

/** "in 12 days", "3 days ago", "in 9 years". */
export function renderExpiry(notAfter: number, now: number): string {
  const days = Math.floor(Math.abs(notAfter - now) / DAY)
  const text =
    days < 1
      ? 'less than a day'
      : days === 1
        ? '1 day'
        : days < 730
          ? `${days} days`
          : `${Math.floor(days / 365.25)} years`
  return notAfter > now ? `in ${text}` : `${text} ago`
}

/** The share of its time that has passed, 0 to 1. */
export const spent = ({ notBefore, notAfter }: Pick<Certificate, 'notBefore' | 'notAfter'>, now: number): number =>
  Math.min(1, Math.max(0, (now - notBefore) / Math.max(1, notAfter - notBefore)))

/** What a server says of the certificate that it runs with (`Ssl_server_not_after`); undefined without TLS. */
export function expiryOfStatus(text: string | undefined): number | undefined {
  const at = text === undefined ? Number.NaN : Date.parse(text)
  return Number.isFinite(at) ? at : undefined
}
