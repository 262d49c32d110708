// A load generator in a process of its own: wrk, which takes least from the server it measures; else autocannon.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)
const CONNECTIONS = 32

export interface Load {
  readonly url: string
  readonly seconds: number
  readonly headers?: Readonly<Record<string, string>>
}

/** Requests that were answered with success; throws when any was not. */
export type Press = (load: Load) => Promise<number>

export async function findPress(): Promise<Press> {
  const installed = await run('wrk', ['--version']).then(
    () => true,
    // It prints its version and leaves with status 1.
    (error: { readonly code?: unknown }) => error.code !== 'ENOENT',
  )
  return installed ? pressWithWrk : pressWithAutocannon
}

const pressWithWrk: Press = async ({ url, seconds, headers = {} }) => {
  const given = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`])
  const { stdout } = await run('wrk', ['-t1', `-c${CONNECTIONS}`, `-d${seconds}s`, ...given, url])
  if (/Non-2xx|Socket errors/.test(stdout)) throw new Error(`requests failed:\n${stdout}`)
  return Number(/(\d+) requests in/.exec(stdout)?.[1] ?? Number.NaN)
}

const pressWithAutocannon: Press = async ({ url, seconds, headers = {} }) => {
  const { default: autocannon } = await import('autocannon')
  const { requests, errors, non2xx } = await autocannon({ url, connections: CONNECTIONS, duration: seconds, headers })
  if (errors + non2xx > 0) throw new Error(`${errors + non2xx} requests failed at ${url}`)
  return requests.total
}
