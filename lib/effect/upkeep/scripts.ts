// Runs operators' scripts as steps of an operation.
import { ok } from '../../base/result.js'
import { runProgram } from '../../connect/shell/program.js'
import type { Effect } from '../kit/context.js'

/** Time a script has between the polite and the final end. */
const GRACE_MS = 1_000

/** No script configured is done. Its output goes to the log, line by line. */
export const runScript: Effect<'run-script'> = async ({ script, args }, run) => {
  if (script === '') return ok('no script is configured')
  const { log } = run.context
  const ended = await runProgram({
    file: script,
    args,
    timeoutMs: Math.max(1, run.remaining() - GRACE_MS),
    graceMs: GRACE_MS,
    signal: run.signal,
    onLine: (line) => log(`${script}: ${line}`),
  })
  return ended.ok ? ok(`${script} ended well`) : ended
}
