// `api`: one call of the API; the body is printed as it is received.
import { pipeline } from 'node:stream/promises'
import { type Command, Option } from 'commander'
import { readReply } from '../../../../http/client/connection.js'
import { MINUTE } from '../../../../lib/base/time.js'
import { connect } from '../../kit/connect.js'
import type { Context } from '../../kit/context.js'
import type { CommonFlags } from '../../kit/flags.js'
import { EXIT, Exit, exitOfFailure, exitOfReply } from '../../output/exit.js'

/** The longest call there is: `/api/timeout` answers after twenty minutes. */
const PATIENCE_MS = 25 * MINUTE

interface ApiOptions {
  readonly url: string
  readonly method: string
  readonly data?: string
}

export function addApi(program: Command, { flags }: Pick<Context, 'flags'>): void {
  program
    .command('api')
    .description('send one request to the API, with login and token; print the body as received')
    .option('--url <path>', 'path, or a complete URL, which overrides --host and --port', '/api/clusters')
    .addOption(new Option('--method <method>', 'HTTP method').choices(['GET', 'POST', 'PUT', 'DELETE']).default('GET'))
    .option('--data <json>', 'body of the request')
    .action((options: ApiOptions) => callApi(flags(), options))
}

async function callApi(flags: CommonFlags, { url, method, data }: ApiOptions): Promise<void> {
  const { host, port, path } = splitUrl(url, flags)
  const opened = await connect({ ...flags, host, port }).open(method, path, {
    ...(data === undefined ? {} : { body: parseJson(data) }),
    timeoutMs: PATIENCE_MS,
  })
  if (!opened.ok) throw exitOfFailure(opened.failure)
  const response = opened.value
  if (response.status >= 300) {
    const reply = await readReply(response)
    throw reply.ok ? exitOfReply(reply.value) : exitOfFailure(reply.failure)
  }
  await pipeline(response.body, process.stdout, { end: false }).catch((error: Error) => {
    throw new Exit(EXIT.unreachable, `the reply broke off: ${error.message}`)
  })
}

/** Where a `--url` leads: an address names host and port itself. */
export function splitUrl(
  url: string,
  { host, port }: Pick<CommonFlags, 'host' | 'port'>,
): { readonly host: string; readonly port: number; readonly path: string } {
  if (url.startsWith('/')) return { host, port, path: url }
  if (!/^https?:\/\//.test(url) || !URL.canParse(url))
    throw new Exit(EXIT.usage, `--url is neither a path nor a URL: ${url}`)
  const { hostname, port: named, pathname, search } = new URL(url)
  return { host: hostname, port: named === '' ? port : Number(named), path: `${pathname}${search}` }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Exit(EXIT.usage, `--data is not JSON: ${text}`)
  }
}
