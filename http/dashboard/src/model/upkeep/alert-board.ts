// Alerts of all clusters: where they go, who takes care of which, what is silenced.
import { type AlertChannel, alertChannels } from '../../../../../lib/model/alert.js'
import { type Fields, fieldsOf, listOf, numberOf, present, textOf, wireOf } from '../wire.js'

export interface Receiver {
  readonly channel: AlertChannel
  readonly receiver: string
  /** Names; empty: the manager itself. */
  readonly clusters: readonly string[]
  readonly onlyEscalations: boolean
  readonly waiting: number
  /** Absent: nothing was sent since the manager started. */
  readonly sentAt?: number
  readonly failedAt?: number
  readonly problem?: string
  readonly retryAt?: number
}

export interface Silence {
  readonly id: string
  /** Empty: every cluster. */
  readonly cluster: string
  readonly codes: readonly string[]
  readonly servers: readonly string[]
  readonly owner: string
  readonly reason: string
  readonly startsAt: number
  readonly endsAt: number
  readonly state: 'planned' | 'running' | 'ended'
}

export interface Answered {
  readonly cluster: string
  readonly code: string
  readonly severity: 'error' | 'warning'
  readonly server?: string
  readonly text: string
  readonly since?: number
  readonly escalatedAt?: number
  readonly acknowledged?: { readonly owner: string; readonly reason: string; readonly at?: number }
  readonly silenced?: { readonly by: string; readonly reason: string; readonly endsAt?: number }
}

export interface AlertBoard {
  readonly receivers: readonly Receiver[]
  readonly escalation: readonly { readonly afterMs: number; readonly clusters: readonly string[] }[]
  readonly answered: readonly Answered[]
  readonly silences: readonly Silence[]
}

/** `/api/alerts`. */
export function readAlertBoard(reply: unknown): AlertBoard {
  const { receivers, escalation, answered, silences } = fieldsOf(wireOf<'GET /api/alerts'>(reply))
  return {
    receivers: listOf(receivers).flatMap(readReceiver),
    escalation: listOf(escalation).map((wire) => ({
      afterMs: (numberOf(wire.afterSeconds) ?? 0) * 1_000,
      clusters: textsOf(wire.clusters),
    })),
    answered: listOf(answered).flatMap(readAnswered),
    silences: listOf(silences).flatMap(readSilence),
  }
}

const textsOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((each): each is string => typeof each === 'string') : []

const timeOf = (value: unknown): number | undefined => {
  const at = typeof value === 'string' ? Date.parse(value) : Number.NaN
  return Number.isFinite(at) ? at : undefined
}

function readReceiver(wire: Fields): Receiver[] {
  const channel = alertChannels.find((each) => each === wire.channel)
  if (channel === undefined) return []
  return [
    present<Receiver>({
      ...{ channel, receiver: textOf(wire.receiver) ?? '', clusters: textsOf(wire.clusters) },
      onlyEscalations: wire.onlyEscalations === true,
      waiting: numberOf(wire.waiting) ?? 0,
      sentAt: timeOf(wire.sentAt),
      failedAt: timeOf(wire.failedAt),
      problem: textOf(wire.problem),
      retryAt: timeOf(wire.retryAt),
    }),
  ]
}

const states = ['planned', 'running', 'ended'] as const

function readSilence(wire: Fields): Silence[] {
  const [id, startsAt, endsAt] = [textOf(wire.id), timeOf(wire.startsAt), timeOf(wire.endsAt)]
  const state = states.find((each) => each === wire.state)
  if (id === undefined || startsAt === undefined || endsAt === undefined || state === undefined) return []
  return [
    {
      ...{ id, startsAt, endsAt, state, cluster: textOf(wire.cluster) ?? '' },
      ...{ codes: textsOf(wire.codes), servers: textsOf(wire.servers) },
      ...{ owner: textOf(wire.owner) ?? '', reason: textOf(wire.reason) ?? '' },
    },
  ]
}

function readAnswered(wire: Fields): Answered[] {
  const code = textOf(wire.code)
  if (code === undefined) return []
  const [ack, silence] = [fieldsOf(wire.acknowledged), fieldsOf(wire.silenced)]
  const [owner, by] = [textOf(ack.owner), textOf(silence.by)]
  return [
    present<Answered>({
      ...{ cluster: textOf(wire.cluster) ?? '', code, severity: wire.severity === 'error' ? 'error' : 'warning' },
      ...{ server: textOf(wire.server), text: textOf(wire.text) ?? '' },
      since: timeOf(wire.since),
      escalatedAt: timeOf(wire.escalatedAt),
      acknowledged:
        owner === undefined
          ? undefined
          : present<NonNullable<Answered['acknowledged']>>({
              ...{ owner, reason: textOf(ack.reason) ?? '', at: timeOf(ack.at) },
            }),
      silenced:
        by === undefined
          ? undefined
          : present<NonNullable<Answered['silenced']>>({
              ...{ by, reason: textOf(silence.reason) ?? '', endsAt: timeOf(silence.endsAt) },
            }),
    }),
  ]
}

/** Running first, then planned by their begin, then what has ended, the latest first. */
export const sortSilences = (silences: readonly Silence[]): readonly Silence[] =>
  silences.toSorted(
    (one, other) =>
      rank[one.state] - rank[other.state] ||
      (one.state === 'ended' ? other.endsAt - one.endsAt : one.startsAt - other.startsAt),
  )

const rank = { running: 0, planned: 1, ended: 2 } as const

/** Finds what was answered to an open finding. */
export function findAnswer(answered: readonly Answered[]) {
  const keyOf = (cluster: string, code: string, server = '') => `${cluster} ${code} ${server}`
  const known = new Map(answered.map((each) => [keyOf(each.cluster, each.code, each.server), each]))
  return (cluster: string, code: string, server: string | undefined): Answered | undefined =>
    known.get(keyOf(cluster, code, server))
}

/** "12 clusters", "orders and shop", "the manager": '' is the manager itself. */
export function renderClusters(clusters: readonly string[]): string {
  const named = clusters.filter((name) => name !== '')
  const parts = [
    ...(named.length > 2 ? [`${named.length} clusters`] : named),
    ...(named.length < clusters.length ? ['the manager'] : []),
  ]
  return parts.length < 2 ? (parts[0] ?? '') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`
}
