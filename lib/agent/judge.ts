// What the agent answers: from its own server, the last statement of a manager, and how long ago that was renewed. Pure.
import { SECOND } from '../base/time.js'
import type { Statement } from './statement.js'

/** The server of this host as it was read last. */
export interface LocalReading {
  readonly answers: boolean
  readonly readOnly: boolean
  /** It follows a source, and both threads run. */
  readonly replicates: boolean
  readonly hasSource: boolean
  /** It applies what it receives only after a delay that was set: no client is to read from it. */
  readonly keptBehind?: true
  readonly lagSeconds?: number
}

export interface AgentMemory {
  /** The latest statement; it outlives the agent. */
  readonly latest?: Statement
  /** Until when it is valid, by the agent's monotonic clock; at the start so long that a manager can be asked. */
  readonly validUntil: number
  /** When the question was asked that `latest` answers, by the same clock; absent: in an earlier life of the agent. */
  readonly askedAt?: number
  /** The agent made its server read-only, and no one else opened it since; it outlives the agent. */
  readonly closed: boolean
}

export interface AgentRules {
  readonly cluster: string
  /** As the manager names the server: id, name or `host:port`. */
  readonly server: string
  /** When no statement could be renewed in time: `keep` the last answer, or `close` the server for writes. */
  readonly isolated: 'keep' | 'close'
  /** Shorter than a statement's own validity; absent: that. */
  readonly validMs?: number
}

export interface AgentVerdict {
  readonly primary: boolean
  /** Whether the last statement is still valid. */
  readonly renewed: boolean
  /** For people. */
  readonly why: string
  /** What the agent does to its server. */
  readonly act?: 'close' | 'open'
}

/** A server is opened only so soon after the question: later the role may be about to move. */
const OPENS_MS = SECOND

/** What an agent asked: a text that it never used before, and when, by its steady clock. */
export interface Question {
  readonly nonce: string
  readonly askedAt: number
}

/**
 * An answer to another question than the latest, or about another cluster, changes nothing. One that answers this question was signed after it was
 * asked, so its probe began at the earliest `probedMs` before that: from there it is valid, however long it was on its way.
 */
export function takeStatement(
  memory: AgentMemory,
  statement: Statement,
  { rules, question }: { readonly rules: AgentRules; readonly question: Question },
): AgentMemory {
  if (statement.cluster !== rules.cluster || statement.nonce !== question.nonce) return memory
  if (question.askedAt < (memory.askedAt ?? question.askedAt)) return memory
  const validMs = Math.min(statement.validMs, rules.validMs ?? statement.validMs)
  return {
    ...{ latest: statement, askedAt: question.askedAt, validUntil: question.askedAt - statement.probedMs + validMs },
    // Another primary: what this agent closed is the manager's to open.
    closed: memory.closed && names(statement, rules),
  }
}

export function judgeAgent(
  memory: AgentMemory,
  { local, rules, now }: { readonly local: LocalReading; readonly rules: AgentRules; readonly now: number },
): AgentVerdict {
  const { latest, askedAt } = memory
  // Not by a statement of an earlier life: it may have been overtaken.
  const renewed = askedAt !== undefined && now < memory.validUntil
  const no = (why: string): AgentVerdict => ({ primary: false, renewed, why })
  if (latest === undefined) return no('no manager has named a primary yet')
  if (!names(latest, rules)) return no(`${latest.primary.name} is the primary`)
  if (!local.answers) return no('the server does not answer')
  const isOver = !renewed && now >= memory.validUntil && rules.isolated === 'close'
  if (isOver && !local.readOnly)
    return { ...no('no manager has confirmed it in time; it is closed for writes'), act: 'close' }
  if (local.readOnly) {
    const opens = memory.closed && renewed && !latest.writable && now - askedAt <= OPENS_MS
    return { ...no('the server is read-only'), ...(opens ? { act: 'open' as const } : {}) }
  }
  if (isOver) return no('no manager has confirmed it in time')
  if (askedAt === undefined && rules.isolated === 'close') return no('no manager has confirmed it since the start')
  return { primary: true, renewed, why: renewed ? 'it takes writes' : 'it takes writes, and no manager answers' }
}

/** A server that takes writes was opened since by someone: who closes it next is not this agent, and it stays closed. */
export const noteReading = (memory: AgentMemory, { answers, readOnly }: LocalReading): AgentMemory =>
  memory.closed && answers && !readOnly ? { ...memory, closed: false } : memory

/** Whether the server may be read from: it replicates, is not kept behind on purpose, and is at most so late. */
export function judgeReader(
  { answers, replicates, keptBehind, lagSeconds }: LocalReading,
  maxLag: number | undefined,
): boolean {
  if (!answers || !replicates || keptBehind) return false
  return maxLag === undefined || (lagSeconds !== undefined && lagSeconds <= maxLag)
}

function names({ primary }: Statement, { server }: AgentRules): boolean {
  const { id, name, host, port } = primary
  return [id, name, `${host}:${port}`].includes(server)
}
