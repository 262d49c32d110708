// Programs that the build of a release runs: each with a deadline, its standard output as text.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { MINUTE } from '../../lib/base/time.js'

const execute = promisify(execFile)

/** Rejects with what the program wrote to standard error when it fails. */
export async function capture(
  program: string,
  words: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<string> {
  const { stdout } = await execute(program, [...words], {
    env: { ...process.env, LC_ALL: 'C', ...environment },
    timeout: 10 * MINUTE,
    maxBuffer: 64 << 20,
  })
  return stdout
}
