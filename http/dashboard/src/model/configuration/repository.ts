// The configuration in git: how it stands, what waits for a push, what others changed, and its commits.
import { fieldsOf, listOf, numberOf, present, textOf, wireOf } from '../wire.js'

const states = ['off', 'starting', 'current', 'waiting', 'refused', 'failed'] as const

export type RepositoryState = (typeof states)[number]

export interface Commit {
  readonly id: string
  readonly author: string
  readonly email?: string
  readonly at?: number
  readonly subject: string
  /** What follows the subject, where it says more. */
  readonly body?: string
}

/** What others changed of one cluster. */
export interface IncomingChange {
  /** Absent: the manager itself. */
  readonly cluster?: string
  readonly change: 'add' | 'remove' | 'edit'
  readonly settings: readonly string[]
}

export interface Incoming {
  readonly commit: Commit
  readonly changes: readonly IncomingChange[]
}

export interface RepositoryView {
  readonly state: RepositoryState
  readonly url?: string
  /** Id of the newest commit that is known here. */
  readonly head?: string
  readonly answeredAt?: number
  readonly pushedAt?: number
  readonly problem?: string
  /** Files whose changes are not pushed yet. */
  readonly queued: readonly string[]
  /** It waits for a decision. */
  readonly incoming?: Incoming
  /** Settings that both sides changed: what runs here was kept. */
  readonly conflicts: readonly string[]
  /** What of the changes of others has no effect. */
  readonly remarks: readonly string[]
}

type Wire = ReturnType<typeof fieldsOf>

/** Of `/api/repository`; undefined for a reply that names no state. */
export function readRepository(reply: unknown): RepositoryView | undefined {
  const wire = fieldsOf(wireOf<'GET /api/repository'>(reply))
  const state = states.find((each) => each === wire.state)
  if (state === undefined) return undefined
  return present<RepositoryView>({
    ...{ state, url: textOf(wire.url), head: textOf(wire.head), problem: textOf(wire.problem) },
    ...{ answeredAt: numberOf(wire.answeredAt), pushedAt: numberOf(wire.pushedAt) },
    ...{ queued: textsOf(wire.queued), conflicts: textsOf(wire.conflicts), remarks: textsOf(wire.remarks) },
    incoming: readIncoming(fieldsOf(wire.incoming)),
  })
}

function readIncoming(wire: Wire): Incoming | undefined {
  const commit = readCommit(fieldsOf(wire.commit))
  return commit && { commit, changes: listOf(wire.changes).flatMap((change: Wire) => readChange(change) ?? []) }
}

const changes = ['add', 'remove', 'edit'] as const

function readChange(wire: Wire): IncomingChange | undefined {
  const change = changes.find((each) => each === wire.change)
  if (change === undefined) return undefined
  return present<IncomingChange>({ change, cluster: textOf(wire.cluster), settings: textsOf(wire.settings) })
}

/** Of `/api/repository/commits`: newest first. */
export const readCommits = (reply: unknown): readonly Commit[] =>
  listOf(wireOf<'GET /api/repository/commits'>(reply)).flatMap((wire) => readCommit(wire) ?? [])

function readCommit(wire: Wire): Commit | undefined {
  const id = textOf(wire.id)
  if (id === undefined) return undefined
  const subject = textOf(wire.subject) ?? ''
  const body = textOf(textOf(wire.body)?.trim())
  return present<Commit>({
    ...{ id, author: textOf(wire.author) ?? '', email: textOf(wire.email), at: numberOf(wire.at), subject },
    body: body === subject ? undefined : body,
  })
}

/** As people name a commit. */
export const shortId = (id: string): string => id.slice(0, 12)

/** What each state asks of a person; undefined: nothing. */
export const nextSteps: Readonly<Record<RepositoryState, string | undefined>> = {
  off: 'Set git-url to keep the configuration in a git repository.',
  starting: undefined,
  current: undefined,
  waiting: 'Others changed the configuration. Nothing of it is in force: apply or reject it.',
  refused: 'Nothing is pushed while a secret stands in clear: correct the setting that is named, then push again.',
  failed: 'Changes wait here and are pushed when the repository answers. Monitoring and failover do not wait for it.',
}

const textsOf = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : [])
