// Work on all clusters: what runs, what waits, what has ended, from the timeline of the fleet.
import { type Fields, fieldsOf, listOf, numberOf, present, textOf, wireOf } from '../wire.js'

export const workKinds = ['operation', 'rolling', 'scheduled', 'job', 'backup'] as const

export type WorkKind = (typeof workKinds)[number]

export type WorkState =
  | 'waiting'
  | 'running'
  | 'succeeded'
  | 'lossy'
  | 'undone'
  | 'failed'
  | 'cancelled'
  | 'interrupted'

export interface Work {
  readonly key: string
  /** Id of its entry in the timeline. */
  readonly entry: string
  readonly cluster: string
  readonly kind: WorkKind
  /** "Switchover", "Rolling restart", "Logical backup". */
  readonly title: string
  /** What was last known of it. */
  readonly text: string
  readonly state: WorkState
  readonly user?: string
  readonly at: number
  readonly until?: number
  /** Of rolling work: servers that are done, of how many. */
  readonly done?: number
  readonly total?: number
  /** Number of the job. */
  readonly job?: string
  /** `restart`, `reprov`, `optimize`. */
  readonly roll?: string
  /** When a scheduled switchover may begin. */
  readonly from?: number
}

export interface WorkPage {
  readonly work: readonly Work[]
  /** `before` of the next page; absent: there is none. */
  readonly next?: string
}

/** Kinds of the timeline that are work. */
export const WORK_ENTRIES = 'operation,job,backup'

/** `/api/timeline`: an entry of no cluster, or without id or moment, is no work. */
export function readWork(reply: unknown): WorkPage {
  const { entries, next } = fieldsOf(wireOf<'GET /api/timeline'>(reply))
  return present<WorkPage>({ work: listOf(entries).flatMap(readOne), next: textOf(next) })
}

function readOne(wire: Fields): Work[] {
  const [entry, at, cluster] = [textOf(wire.id), numberOf(wire.at), textOf(wire.cluster)]
  if (entry === undefined || at === undefined || cluster === undefined) return []
  const data = fieldsOf(wire.data)
  const code = textOf(wire.code) ?? ''
  const kind = kindOf(textOf(wire.kind), code)
  const until = numberOf(wire.until)
  const job = numberOf(data.job)
  return [
    present<Work>({
      ...{ key: `${cluster} ${entry}`, entry, cluster, kind, at, until },
      title: titleOf(kind, code),
      text: withoutNumber(textOf(wire.text) ?? ''),
      state: stateOf(data, { ended: until !== undefined, level: textOf(wire.level) }),
      user: textOf(wire.user),
      done: numberOf(data.done),
      total: numberOf(data.total),
      job: job === undefined ? undefined : String(job),
      roll: kind === 'rolling' ? (textOf(data.kind) ?? code.slice('rolling-'.length)) : undefined,
      from: kind === 'scheduled' ? numberOf(data.from) : undefined,
    }),
  ]
}

function kindOf(kind: string | undefined, code: string): WorkKind {
  if (kind === 'job' || kind === 'backup') return kind
  if (code.startsWith('rolling-')) return 'rolling'
  return code === 'scheduled-switchover' ? 'scheduled' : 'operation'
}

const titles: Readonly<Record<string, string>> = {
  'rolling-restart': 'Rolling restart',
  'rolling-reprov': 'Rolling rebuild',
  'rolling-optimize': 'Rolling optimize',
  'backup-logical': 'Logical backup',
  'backup-physical': 'Physical backup',
  'backup-error-log': 'Copy of the error log',
  'backup-slowquery-log': 'Copy of the slow query log',
  pitr: 'Point-in-time recovery',
}

function titleOf(kind: WorkKind, code: string): string {
  const word = titles[code] ?? code.replaceAll('-', ' ')
  return word === '' ? kind : word[0]?.toUpperCase() + word.slice(1)
}

/** Its number is shown elsewhere. */
const withoutNumber = (text: string): string => text.replace(/^Job \d+: /, '')

const ends: Readonly<Record<string, WorkState>> = {
  ...{ succeeded: 'succeeded', done: 'succeeded', 'succeeded-with-losses': 'lossy', failed: 'failed' },
  ...{ 'rolled-back': 'undone', undone: 'undone', stopped: 'failed', missed: 'failed', cancelled: 'cancelled' },
}

/** What has ended without saying how is judged by the level of its entry. */
function stateOf(
  data: Fields,
  { ended, level }: { readonly ended: boolean; readonly level: string | undefined },
): WorkState {
  const [phase, result] = [textOf(data.phase), textOf(data.result)]
  if (!ended) return phase === 'queued' || phase === 'waiting' ? 'waiting' : 'running'
  if (data.interrupted === true) return 'interrupted'
  const known = ends[result ?? ''] ?? ends[phase ?? '']
  return known ?? (level === 'ERROR' ? 'failed' : 'succeeded')
}

export const isOpenWork = ({ until }: Pick<Work, 'until'>): boolean => until === undefined

export interface WorkFilter {
  readonly words: string
  /** '' is any. */
  readonly kind: string
  readonly failed: boolean
}

/** What did not end as it was meant to. */
const bad: ReadonlySet<WorkState> = new Set(['failed', 'lossy', 'undone', 'interrupted'])

export function filterWork(work: readonly Work[], { words, kind, failed }: WorkFilter): readonly Work[] {
  const wanted = words.trim().toLowerCase()
  return work.filter(
    (each) =>
      (kind === '' || each.kind === kind) &&
      (!failed || bad.has(each.state)) &&
      (wanted === '' ||
        [each.cluster, each.title, each.text, each.user ?? ''].some((text) => text.toLowerCase().includes(wanted))),
  )
}
