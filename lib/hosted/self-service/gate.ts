// The operator's script that is asked before each creation in self-service: it can refuse, and nothing else.
import { SECOND } from '../../base/time.js'
import { plainEnvironment, runProgram } from '../../connect/shell/program.js'
import type { PoolFigures, Units } from './pool.js'

export interface GateQuestion {
  readonly identity: string
  readonly orchestrator: string
  /** How many clusters the identity sponsors. */
  readonly sponsored: number
  readonly needed: Units
  readonly pool: PoolFigures
}

/** `unanswered`: it could not be run, or did not answer in time; the next question may be answered. */
export type GateVerdict =
  | { readonly type: 'open' }
  | { readonly type: 'refused' | 'unanswered'; readonly reason: string }

/** Time for an answer; the process group is ended then. */
const ANSWER_MS = 30 * SECOND
const LONGEST_REASON = 300

/**
 * Arguments: identity, orchestrator. Status 0 opens; the first line of output of any other is the reason. Without a script the gate is open.
 */
export async function askGate(
  script: string,
  question: GateQuestion,
  { signal, answerMs = ANSWER_MS }: { readonly signal: AbortSignal; readonly answerMs?: number },
): Promise<GateVerdict> {
  if (script === '') return { type: 'open' }
  let first: string | undefined
  const ended = await runProgram({
    file: script,
    args: [question.identity, question.orchestrator],
    env: { ...plainEnvironment(), ...variables(question) },
    ...{ timeoutMs: answerMs, signal, bound: true, answersByStatus: true },
    onLine: (line) => {
      first ??= plainLine(line)
    },
  })
  if (!ended.ok) return { type: 'unanswered', reason: 'the gate script gave no answer' }
  const { code } = ended.value
  return code === 0
    ? { type: 'open' }
    : { type: 'refused', reason: first || `the gate script refused with status ${code}` }
}

/** Figures have two decimals. */
const variables = ({ identity, orchestrator, sponsored, needed, pool }: GateQuestion): Record<string, string> => ({
  REPMAN_IDENTITY: identity,
  REPMAN_ORCHESTRATOR: orchestrator,
  REPMAN_SPONSORED_CLUSTERS: String(sponsored),
  REPMAN_NEEDED_DBU: needed.dbu.toFixed(2),
  REPMAN_NEEDED_APU: needed.apu.toFixed(2),
  REPMAN_FREE_DBU: pool.freeDbu.toFixed(2),
  REPMAN_FREE_APU: pool.freeApu.toFixed(2),
  REPMAN_BORROW_DBU: pool.borrowDbu.toFixed(2),
  REPMAN_BORROW_APU: pool.borrowApu.toFixed(2),
})

/** Undefined for a line without text. */
const plainLine = (line: string): string | undefined =>
  line
    .replaceAll(/\p{Cc}/gu, ' ')
    .trim()
    .slice(0, LONGEST_REASON) || undefined
