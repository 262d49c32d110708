// What agents ask in one line: HAProxy for the role of a server, where no answer keeps the last one, and health agents for a statement.
// https://docs.haproxy.org/2.6/configuration.html#5.2-agent-check
import {
  FLAG_OWNED,
  FLAG_PRIMARY_CLOSED,
  FLAG_PRIMARY_KNOWN,
  FLAG_REPLICA_KNOWN,
  FLAG_VALID_PRIMARY,
} from '../../../actors/protocol/actor.js'
import type { ManagerFace } from '../../../actors/protocol/manager/face.js'
import { type Statement, VALID_MS } from '../../../lib/agent/statement.js'
import { findMember } from './member.js'
import { judgeRole, type RoleQuestion } from './role-check.js'

/** Longest line that is read. */
const LONGEST = 1_024

/** `primary <cluster> <server>` or `replica <cluster> <server> [<seconds of lag>]`; undefined when it is something else. */
export function parseAgentQuestion(bytes: Buffer): RoleQuestion | undefined {
  const end = bytes.subarray(0, LONGEST).indexOf('\n')
  if (end < 0) return undefined
  const [role, cluster, server, lag, ...rest] = bytes.toString('utf8', 0, end).trim().split(/\s+/)
  if ((role !== 'primary' && role !== 'replica') || cluster === undefined || server === undefined || rest.length > 0)
    return undefined
  if (lag !== undefined && (role === 'primary' || !/^\d{1,9}$/.test(lag))) return undefined
  return { role, cluster, server, query: lag === undefined ? '' : `lag=${lag}` }
}

/** `ready` too: HAProxy starts with its servers closed. Down ends the sessions where HAProxy is configured so. */
export const agentAnswers = { yes: 'ready up\n', no: 'down\n', unknown: '' } as const

/** Empty while the manager does not know: when it has just started, is cut off from the databases, or does not know the server. */
export function answerAgent(manager: ManagerFace, question: RoleQuestion): string {
  if (judgeRole(manager, question).status === 200) return agentAnswers.yes
  const view = manager.quarantined().has(question.cluster) ? undefined : manager.members(question.cluster)
  const member = view && findMember(view, question.server ?? '')
  const known = question.role === 'primary' ? FLAG_PRIMARY_KNOWN : FLAG_REPLICA_KNOWN
  return member && (manager.flags(question.cluster, member.slot) & known) !== 0 ? agentAnswers.no : agentAnswers.unknown
}

export interface StatementQuestion {
  readonly cluster: string
  /** Random text of the agent, which the statement repeats. */
  readonly nonce: string
}

/** `statement <cluster> <nonce>`; undefined when it is something else. */
export function parseStatementQuestion(bytes: Buffer): StatementQuestion | undefined {
  const end = bytes.subarray(0, LONGEST).indexOf('\n')
  const [, cluster, nonce] =
    /^statement (\S+) ([A-Za-z0-9_-]{16,64})\s*$/.exec(bytes.toString('utf8', 0, Math.max(0, end))) ?? []
  return cluster === undefined || nonce === undefined ? undefined : { cluster, nonce }
}

/** Undefined while the manager is not certain of the primary, also while the role moves, and where another instance owns the cluster. */
export function stateOf(manager: ManagerFace, { cluster, nonce }: StatementQuestion): Statement | undefined {
  const view = manager.quarantined().has(cluster) ? undefined : manager.members(cluster)
  if (!view?.active) return undefined
  for (const { id, name, host, port, slot } of view.servers) {
    // The age first: the flags are then at least as fresh.
    const probedMs = manager.answerAge(cluster, slot)
    const flags = manager.flags(cluster, slot)
    const writable = (flags & FLAG_VALID_PRIMARY) !== 0
    if (probedMs === undefined || (flags & FLAG_OWNED) === 0) continue
    if (!writable && (flags & FLAG_PRIMARY_CLOSED) === 0) continue
    return { cluster, nonce, primary: { id, name, host, port }, writable, probedMs, validMs: VALID_MS }
  }
  return undefined
}
