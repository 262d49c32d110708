// Reads the file that configures the arbitrator: TOML, one level.
import { readFile } from 'node:fs/promises'
import { parse } from 'smol-toml'
import * as z from 'zod'
import { fail, ok, type Result } from '../../lib/base/result.js'
import { SECOND } from '../../lib/base/time.js'
import { type HostAndPort, splitAddress } from '../../lib/settings/kit/address.js'

const schema = z.strictObject({
  'secrets-file': z.string(),
  'state-file': z.string().default('/var/lib/manager-arbitrator/state.json'),
  listen: z.string().default('0.0.0.0:10012'),
  lease: z.number().min(5).max(300).default(10),
})

const ARBITRATOR_PORT = 10_012
/** What is shorter can be guessed from a message that was overheard. */
const SHORTEST_SECRET = 16

export interface ArbitratorOptions {
  readonly listen: HostAndPort
  readonly secrets: readonly string[]
  readonly stateFile: string
  readonly leaseMs: number
}

/** Failure `bad-request`, with what is wrong in the file. */
export async function readArbitratorOptions(file: string): Promise<Result<ArbitratorOptions>> {
  try {
    const parsed = schema.safeParse(parse(await readFile(file, 'utf8')))
    if (!parsed.success) {
      const [issue] = parsed.error.issues
      return fail('bad-request', `${file}: ${issue?.path.join('.')}: ${issue?.message}`)
    }
    const wish = parsed.data
    const listen = splitAddress(wish.listen, ARBITRATOR_PORT)
    if (!listen) return fail('bad-request', `${file}: listen is written host:port`)
    const secrets = await readSecrets(wish['secrets-file'])
    if (secrets.length === 0) return fail('bad-request', `${wish['secrets-file']}: there is no secret`)
    if (secrets.some(({ length }) => length < SHORTEST_SECRET))
      return fail('bad-request', `${wish['secrets-file']}: a secret has at least ${SHORTEST_SECRET} characters`)
    return ok({ listen, secrets, stateFile: wish['state-file'], leaseMs: wish.lease * SECOND })
  } catch (error) {
    return fail('bad-request', `${file}: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/** One a line, one for each fleet of managers; lines that begin with # are comments. */
async function readSecrets(file: string): Promise<readonly string[]> {
  const lines = (await readFile(file, 'utf8')).split('\n').map((line) => line.trim())
  return lines.filter((line) => line !== '' && !line.startsWith('#'))
}
