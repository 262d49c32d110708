// What changed between two snapshots, as events: findings opened and closed, states, the primary.
import type { ClusterEvent, EventKind, LogLevel } from '../../../../lib/model/event.js'
import { type Finding, findingKey } from '../../../../lib/model/finding.js'
import { findings as registry } from '../../../../lib/model/findings.js'
import type { ServerId } from '../../../../lib/model/server/server.js'
import { findServer, type Snapshot, type StateName } from '../../../../lib/model/snapshot.js'
import { stateTexts } from '../../../../lib/model/wire.js'

export type EventDraft = Omit<ClusterEvent, 'id' | 'at' | 'cluster'>

export interface Changes {
  readonly opened: readonly Finding[]
  readonly closed: readonly Finding[]
  readonly states: readonly { readonly server: ServerId; readonly from: StateName; readonly to: StateName }[]
  readonly events: readonly EventDraft[]
}

export function compareSnapshots(before: Snapshot, after: Snapshot): Changes {
  const had = new Map(before.findings.map((finding) => [findingKey(finding), finding]))
  const has = new Map(after.findings.map((finding) => [findingKey(finding), finding]))
  const opened = [...has].filter(([key]) => !had.has(key)).map(([, finding]) => finding)
  const closed = [...had].filter(([key]) => !has.has(key)).map(([, finding]) => finding)
  const states = changedStates(before, after)
  return {
    opened,
    closed,
    states,
    events: [
      ...opened.map((finding) => findingEvent(finding, after, true)),
      ...closed.map((finding) => findingEvent(finding, before, false)),
      ...states.map((change) => stateEvent(change, after)),
      ...primaryEvents(before, after),
    ],
  }
}

/** The sentence of a finding with its details, as log and alerts show it. */
export function findingText({ code, detail }: Finding): string {
  const { sentence } = registry[code]
  return detail === '' ? sentence : `${sentence} ${detail}`
}

const draft = (kind: EventKind, level: LogLevel, text: string): EventDraft => ({ kind, level, text })

function findingEvent(finding: Finding, { servers }: Snapshot, opened: boolean): EventDraft {
  const server = findServer({ servers }, finding.server)
  const where = server && !finding.detail.includes(server.name) ? ` [${server.name}]` : ''
  return {
    ...draft(
      opened ? 'finding-opened' : 'finding-closed',
      'STATE',
      `${opened ? 'OPENED' : 'RESOLV'} ${finding.code} :${where} ${findingText(finding)}`,
    ),
    ...(finding.server === undefined ? {} : { server: finding.server }),
    data: { code: finding.code, severity: registry[finding.code].severity, detail: finding.detail },
  }
}

function changedStates(before: Snapshot, after: Snapshot): Changes['states'] {
  return after.servers.flatMap((server) => {
    const from = findServer(before, server.id)?.stateName
    if (from === undefined || from === server.stateName) return []
    return [{ server: server.id, from, to: server.stateName }]
  })
}

function stateEvent({ server, from, to }: Changes['states'][number], after: Snapshot): EventDraft {
  const name = findServer(after, server)?.name ?? server
  const level = to === 'failed' ? 'ALERT' : from === 'failed' ? 'ALERTOK' : 'INFO'
  const texts = { from: stateTexts[from], to: stateTexts[to] }
  return { ...draft('state', level, `Server ${name} is ${texts.to} (was ${texts.from})`), server, data: texts }
}

function primaryEvents(before: Snapshot, after: Snapshot): EventDraft[] {
  if (after.primary === undefined || before.primary === after.primary) return []
  const server = findServer(after, after.primary)
  return [
    {
      ...draft('primary', 'INFO', `The primary is ${server?.name ?? after.primary}`),
      server: after.primary,
      data: { primary: after.primary, before: before.primary ?? null },
    },
  ]
}
