// Runs the operator's program that fills a server.
import { ok, type Result } from '../../base/result.js'
import { DAY } from '../../base/time.js'
import { runProgram } from '../../connect/shell/program.js'
import type { ServerAddress } from '../../model/server/server.js'
import type { Reports } from './kit/work.js'

export interface LoadScript {
  readonly file: string
  readonly server: ServerAddress
  readonly primary: ServerAddress
}

/** It ends with 0 when the server holds a copy with its replication position. */
export async function runLoadScript(
  { file, server, primary }: LoadScript,
  { signal, log }: Pick<Reports, 'signal' | 'log'>,
): Promise<Result<string>> {
  const args = [server.host, primary.host, `${server.port}`, `${primary.port}`]
  const ended = await runProgram({ file, args, timeoutMs: DAY, signal, bound: true, onLine: log })
  return ended.ok ? ok(`${file} has filled it`) : ended
}
