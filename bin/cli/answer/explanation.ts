// What `failover/explain` means for people: in peace the health of the primary and what its death would lead to, else the proof.

import type { FailoverRule, FailoverVerdict, LossForecast } from '../../../http/client/api/generated.js'
import { counted } from '../../../lib/base/counted.js'
import { passableRules } from '../../../lib/decide/failover/veto/vetoes.js'
import type { Style } from '../output/paint.js'

/** The verdict as `C/failover/explain` answers it. */
export type Explanation = FailoverVerdict

/** A sentence, and how its first word is coloured. */
export interface Sentence {
  readonly head: string
  readonly style: Style
  readonly text: string
}

/** Rules that ask whether the primary is dead: while it lives, what they find is its health and nothing in the way. */
const isProof = ({ rule }: Pick<FailoverRule, 'rule'>): boolean => rule.startsWith('failover-falsepositive-')

/** The primary answers, and nothing is held against it. */
export const isPeaceful = ({
  primary,
  primaryAnswers = true,
  primaryDead,
  evidence,
  wouldFailOver,
  rows,
}: FailoverVerdict): boolean =>
  primary !== undefined &&
  primaryAnswers &&
  !primaryDead &&
  evidence === 'none' &&
  !wouldFailOver &&
  !rows.some((row) => isProof(row) && row.state === 'closed' && !row.sentence.includes('healthy'))

/** The rules that would keep the manager from a failover although the primary is dead. */
export const blockingRules = (verdict: FailoverVerdict): readonly FailoverRule[] =>
  verdict.rows.filter((row) => !isProof(row) && (row.state === 'closed' || row.state === 'waiting'))

/** The answer in two or three sentences. */
export function summarise(verdict: Explanation): readonly Sentence[] {
  const { primary, candidate, servers = {}, loss } = verdict
  const name = (id: string | undefined): string => (id === undefined ? 'none' : (servers[id] ?? id))
  if (!isPeaceful(verdict)) return summariseTrouble(verdict, name)
  const blocking = blockingRules(verdict)
  const first = blocking[0]
  const healthy: Sentence = {
    ...{ head: 'Would fail over now: no', style: 'green' },
    text: `. The primary ${name(primary)} is healthy.`,
  }
  const after: Sentence = first
    ? {
        ...{ head: 'If it died now, nothing would take over automatically', style: 'yellow' },
        text: `: ${first.sentence} (${blocking.map(({ rule }) => rule).join(', ')})`,
      }
    : { head: 'If it died now', style: 'bold', text: `, ${name(candidate)} would take over ${whenOf(verdict)}.` }
  return [healthy, after, { head: 'Loss', style: 'bold', text: `: ${lossText(loss)} (${withoutStop(loss.reason)}).` }]
}

/** What the candidate waits for before it could take over. */
export const waitsOf = ({ candidate, ranking }: FailoverVerdict): string | undefined =>
  ranking.find(({ server }) => server === candidate)?.waits

/** A candidate behind a lock is waited for. */
function whenOf(verdict: FailoverVerdict): string {
  const waits = waitsOf(verdict)
  return waits === undefined
    ? 'automatically'
    : `only once it has applied what it received, and no server would take writes until then, because ${waits}`
}

function summariseTrouble(verdict: Explanation, name: (id: string | undefined) => string): readonly Sentence[] {
  const { wouldFailOver, primary, primaryDead, evidence, candidate, loss } = verdict
  const waits = waitsOf(verdict)
  return [
    ...reasonOf(verdict, name(primary)),
    {
      ...{ head: `Would fail over now: ${wouldFailOver ? 'yes' : 'no'}`, style: wouldFailOver ? 'red' : 'yellow' },
      text: `. Primary ${name(primary)} is ${primaryDead ? 'dead' : 'not dead'} (evidence ${evidence}); candidate ${name(candidate)}${waits === undefined ? '' : `: ${waits}`}.`,
    },
    { head: 'Loss', style: 'bold', text: `: ${lossText(loss)} (${withoutStop(loss.reason)}).` },
  ]
}

/** Why nothing takes over although the primary is dead, and the command that comes next: what reads this begins with both. */
function reasonOf(verdict: Explanation, primary: string): readonly Sentence[] {
  const blocking = verdict.rows.filter(({ state }) => state === 'closed' || state === 'waiting')
  const [first] = blocking
  if (!verdict.primaryDead || verdict.wouldFailOver || !first) return []
  const decisive = blocking.find(({ rule }) => !passable.has(rule))
  const cause = decisive ?? first
  return [
    {
      ...{ head: 'No failover', style: 'red' },
      text: ` although ${primary} is dead: ${withoutStop(cause.sentence)} (${cause.rule}).`,
    },
    {
      ...{ head: 'Next', style: 'bold' },
      text: `: ${decisive ? `manager-cli runbook ${decisive.code}` : 'manager-cli failover --plan'}`,
    },
  ]
}

/** Rules that a failover on request passes. */
const passable: ReadonlySet<string> = new Set(passableRules)

const withoutStop = (text: string): string => text.replace(/\.$/, '')

/** What is shown as the state of a rule, and its colour. */
export function stateOf(row: FailoverRule, verdict: FailoverVerdict): { readonly word: string; readonly style: Style } {
  if (!isPeaceful(verdict)) return { word: row.state, style: styles[row.state] }
  if (isProof(row) && row.state !== 'off') return { word: 'healthy', style: 'green' }
  return { word: row.state, style: row.state === 'closed' ? 'yellow' : styles[row.state] }
}

const styles: Readonly<Record<FailoverRule['state'], Style>> = {
  clear: 'green',
  closed: 'red',
  waiting: 'yellow',
  off: 'dim',
}

export function lossText({ kind, transactions }: LossForecast): string {
  if (kind === 'none') return 'no transaction'
  if (kind === 'unknown' || transactions === undefined) return 'an unknown number of transactions'
  return `${kind === 'at-most' ? 'at most' : 'at least'} ${counted(transactions, 'transaction')}`
}
