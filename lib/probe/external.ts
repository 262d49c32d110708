// The external check: asks an HTTP agent on a server's host whether the server is alive.
import { SECOND } from '../base/time.js'
import { httpAsk } from '../connect/http/request.js'

/** Longest wait for the agent, milliseconds. */
export const EXTERNAL_MS = SECOND
/** Status of an answer in the affirmative. */
const ALIVE = 200

export interface ExternalReading {
  readonly alive: boolean
  readonly detail: string
}

/** Never fails: an agent that does not answer is no evidence for the server. */
export async function askExternal(
  { host, port }: { readonly host: string; readonly port: number },
  signal: AbortSignal,
): Promise<ExternalReading> {
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${port}/`
  const answer = await httpAsk({ url, timeoutMs: EXTERNAL_MS, signal })
  return {
    alive: answer.ok && answer.value.status === ALIVE,
    detail: answer.ok ? `${url} answers ${answer.value.status}` : answer.failure.message,
  }
}
