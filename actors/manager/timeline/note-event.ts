// What an event of a cluster, or a line of the security log, means for its timeline. Pure.
import type { ClusterEvent, LogLevel } from '../../../lib/model/event.js'
import type { SettingChangeRecord } from '../../../lib/model/operation/setting-change.js'
import type { TimelineChange, TimelineDraft, TimelineKind, TopologySeen } from '../../../lib/model/timeline.js'

export type Note =
  | { readonly type: 'entry'; readonly draft: TimelineDraft; readonly key?: string }
  | { readonly type: 'change'; readonly key: string; readonly change: TimelineChange; readonly step?: unknown }
  | { readonly type: 'end'; readonly key: string; readonly change: TimelineChange & { readonly until: number } }
  | { readonly type: 'topology'; readonly topology: TopologySeen }

type Data = Readonly<Record<string, unknown>>

/** Nothing for what the log alone shows. */
export function notesOf(event: ClusterEvent): readonly Note[] {
  const { kind, data = {} } = event
  switch (kind) {
    case 'finding-opened':
      return [span(event, 'finding', { key: findingKey(event), code: textOf(data.code), text: sentence(event.text) })]
    case 'finding-closed':
      return [{ type: 'end', key: findingKey(event), change: { until: event.at } }]
    case 'state':
    case 'primary':
      return [{ type: 'entry', draft: draftOf(event, kind) }]
    case 'operation':
      return phaseNotes(event, {
        key: `operation:${data.id}`,
        code: textOf(data.kind),
        isOpen: data.phase === 'running',
      })
    case 'rolling':
      return phaseNotes(event, {
        ...{ key: `rolling:${data.id}`, code: `rolling-${data.kind}`, isOpen: data.phase === 'running' },
      })
    case 'scheduled':
      return phaseNotes(event, {
        ...{ key: `scheduled:${data.id}`, code: 'scheduled-switchover' },
        isOpen: data.phase === 'waiting' || data.phase === 'running',
      })
    case 'step':
      return [stepNote(event)]
    case 'job':
      return data.phase === undefined ? [] : jobNotes(event)
    case 'topology':
      return [{ type: 'topology', topology: { at: event.at, ...data } as unknown as TopologySeen }]
    case 'log':
      return []
  }
}

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)

const findingKey = ({ data = {}, server = '' }: ClusterEvent): string => `finding:${data.code}:${server}`

/** Without what the line of the log begins with. */
const sentence = (text: string): string => text.replace(/^(OPENED|RESOLV) \S+ :\s*/, '')

function draftOf(event: ClusterEvent, kind: TimelineKind): TimelineDraft {
  const { at, text, level, server = null, data = {} } = event
  return { at, kind, text, level, server, data, user: textOf(data.owner) }
}

interface Span {
  readonly key: string
  readonly code: string | null
  readonly text?: string
}

function span(event: ClusterEvent, kind: TimelineKind, { key, ...rest }: Span): Note {
  const level = kind === 'finding' ? findingLevel(event.data ?? {}) : event.level
  return { type: 'entry', key, draft: { ...draftOf(event, kind), level, ...rest } }
}

const findingLevel = ({ severity }: Data): LogLevel => (severity === 'error' ? 'ERROR' : 'WARN')

/** Begun, gone on with, ended. One that is not known yet is begun by whatever is heard of it. */
function phaseNotes(
  event: ClusterEvent,
  { key, code, isOpen }: { readonly key: string; readonly code: string | null; readonly isOpen: boolean },
): readonly Note[] {
  const { at, level, text, data = {} } = event
  const begun = span(event, 'operation', { key, code })
  const change = { level, text, data }
  return [begun, isOpen ? { type: 'change', key, change } : { type: 'end', key, change: { ...change, until: at } }]
}

function stepNote({ at, text, level, data = {} }: ClusterEvent): Note {
  const { operation, ...step } = data
  return { type: 'change', key: `operation:${operation}`, change: {}, step: { at, level, text, ...step } }
}

/** Backups and what is made of them have a kind of their own. */
const ofBackups: ReadonlySet<unknown> = new Set([
  ...['backup-logical', 'backup-physical', 'restore', 'proof', 'pitr', 'new-server', 'archive', 'purge'],
])

function jobNotes(event: ClusterEvent): readonly Note[] {
  const { at, text, data = {} } = event
  const key = `job:${data.job}`
  const kind = ofBackups.has(data.task) ? 'backup' : 'job'
  const level = data.phase === 'failed' ? 'ERROR' : 'INFO'
  const asked = { ...event, level, data: { ...data, owner: data.user } } as const
  const begun = span(asked, kind, { key, code: textOf(data.task) })
  const hasEnded = data.phase !== 'queued' && data.phase !== 'running'
  const change = { level, text, data } as const
  return [begun, hasEnded ? { type: 'end', key, change: { ...change, until: at } } : { type: 'change', key, change }]
}

/** A changed setting with its value before and after; those of secrets are masked already. */
export function settingDraft(record: SettingChangeRecord): TimelineDraft {
  const { at, user, name, action, before, after, along, id } = record
  const others = Object.keys(along ?? {}).length
  const more = others === 0 ? '' : `, and ${others} more`
  return {
    ...{ at, kind: 'setting', code: name, user },
    text: `${user} changed ${name} from ${shown(before.value)} to ${shown(after.value)}${more}`,
    data: { change: id, name, action, before, after, ...(along ? { along } : {}) },
  }
}

const shown = (value: unknown): string => (value === '' ? 'nothing' : String(value))

/** What the security log says, and of which cluster; undefined for what the timeline has from elsewhere. */
export function securityNote(
  code: string,
  fields: Data,
  at: number,
): { readonly cluster: string; readonly draft: TimelineDraft } | undefined {
  if (code === 'action') return actionNote(fields, at)
  const kind = kinds[code]
  // What was refused is noted by its action, with the status.
  if (!kind || fields.refused !== undefined) return undefined
  const { user = '', cluster, ...data } = fields
  const level = code === 'login' || kind === 'note' ? 'INFO' : 'WARN'
  const from = fields.address === undefined ? '' : ` from ${fields.address}`
  const whom = fields.username === undefined ? '' : ` ${fields.username}`
  const text = `${user} ${titles[code]}${whom}${from}`.trim()
  return { cluster: textOf(cluster) ?? '', draft: { at, kind, code, level, text, user: textOf(user), data } }
}

const titles: Readonly<Record<string, string>> = {
  login: 'logged in',
  'login-failed': 'could not log in',
  'login-locked': 'is locked out',
  'login-admitted': 'was admitted without a password',
  api_token_created: 'created an API token',
  api_token_revoked: 'revoked an API token',
  hosted_self_service_cluster: 'created the cluster in self-service',
  'user-added': 'added the user',
  'user-updated': 'changed the user',
  'user-dropped': 'dropped the user',
  'settings-reloaded': 'had the configuration read again',
}

const kinds: Readonly<Record<string, TimelineKind>> = {
  login: 'login',
  'login-failed': 'login',
  'login-locked': 'login',
  'login-admitted': 'login',
  api_token_created: 'note',
  api_token_revoked: 'note',
  hosted_self_service_cluster: 'note',
  'user-added': 'note',
  'user-updated': 'note',
  'user-dropped': 'note',
  'settings-reloaded': 'note',
}

/** Done, they are entries that say more: settings with both values, users by name. */
const noted = /^(settings\.|users\.(add|update|drop)$)/

/** The protocol of hosts, and what is noted by what it does. */
const elsewhere = /^(server\.receive-task|server\.job-state|need\.|query\.explain|tokens\.)/

function actionNote(fields: Data, at: number) {
  const { action, user, cluster, server, status, plan, address } = fields
  const isDone = typeof status === 'number' && status < 400
  if (plan === true || typeof action !== 'string' || typeof user !== 'string' || user === '') return undefined
  if (status === 401 || elsewhere.test(action) || (isDone && noted.test(action))) return undefined
  const of = textOf(server) === null ? '' : ` of ${server}`
  const draft: TimelineDraft = {
    ...{ at, kind: 'note', code: action, user, level: isDone ? 'INFO' : 'WARN', server: textOf(server) },
    text: `${user}: ${action}${of}${isDone ? '' : `, refused with status ${status}`}`,
    data: { action, status, ...(address === undefined ? {} : { address }) },
  }
  return { cluster: textOf(cluster) ?? '', draft }
}
