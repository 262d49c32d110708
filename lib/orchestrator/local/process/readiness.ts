// Waits until a server that was just started answers, or reports why it does not.
import { open } from 'node:fs/promises'
import { done, fail, type Result } from '../../../base/result.js'
import { sleep } from '../../../base/time.js'
import { isLoginRefused } from '../../../connect/sql/session.js'
import { type Login, tryLogin } from '../../database-login.js'
import { findListener } from './listener.js'
import { hasEnded } from './process.js'
import type { Site } from './site.js'

/** Done when the server accepts the login; its port opens after the whole start, the init file included. */
export async function waitReady(
  site: Site,
  pid: number,
  { login, signal }: { readonly login: Login; readonly signal: AbortSignal },
): Promise<Result<void>> {
  while (!signal.aborted) {
    const answer = await tryLogin(site.address, login)
    // The server that answers must be this one, not another program that took the port meanwhile.
    if (await hasEnded(pid, site)) {
      return fail('orchestrator-failed', `${site.name} ended soon after its start${await lastErrors(site)}`)
    }
    if (answer.ok || isLoginRefused(answer.failure)) return answer
    await sleep(CHECK_INTERVAL_MS, signal)
  }
  return fail('deadline-passed', `${site.name} (process ${pid}) does not answer yet${await lastErrors(site)}`)
}

const CHECK_INTERVAL_MS = 20

/** Done when nothing listens on the port; the failure names the port. */
export async function checkPortFree({ address, name }: Site): Promise<Result<void>> {
  const error = await findListener(address)
  if (error === undefined) return done
  return error.code === 'EADDRINUSE'
    ? fail('orchestrator-failed', `${name}: port ${address.port} of ${address.host} is in use by another program`)
    : fail('orchestrator-failed', `${name}: cannot listen on ${address.host}: ${error.message}`)
}

const TAIL_BYTES = 64 * 1024

/** The last errors that the server logged or printed, for a message; empty when there are none. */
async function lastErrors({ errorLog, outputFile }: Site): Promise<string> {
  const lines = (await Promise.all([tail(errorLog), tail(outputFile)])).join('\n').split('\n')
  const errors = lines.filter((line) => /\[ERROR\]|error while loading|unknown (option|variable)/i.test(line)).slice(-3)
  return errors.length === 0 ? '' : `: ${errors.map((line) => line.replace(/^.*\[ERROR\] /, '')).join('; ')}`
}

async function tail(file: string): Promise<string> {
  const handle = await open(file, 'r').catch(() => undefined)
  if (handle === undefined) return ''
  try {
    const { size } = await handle.stat()
    const start = Math.max(0, size - TAIL_BYTES)
    const { buffer, bytesRead } = await handle.read({ buffer: Buffer.alloc(size - start), position: start })
    return buffer.toString('utf8', 0, bytesRead)
  } catch {
    return ''
  } finally {
    await handle.close()
  }
}
