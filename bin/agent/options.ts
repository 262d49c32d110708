// Reads the file that configures the health agent: TOML, one level.
import { readFile } from 'node:fs/promises'
import { parse } from 'smol-toml'
import * as z from 'zod'
import type { AgentOptions } from '../../lib/agent/agent.js'
import { readKeys } from '../../lib/agent/statement.js'
import { fail, ok, type Result } from '../../lib/base/result.js'
import { SECOND } from '../../lib/base/time.js'
import { splitAddress } from '../../lib/settings/kit/address.js'

const schema = z.strictObject({
  cluster: z.string().min(1),
  server: z.string().min(1),
  managers: z.array(z.string()).min(1),
  'statement-key': z.string(),
  listen: z.string().default('0.0.0.0:10011'),
  database: z.string().default('127.0.0.1:3306'),
  'database-user': z.string(),
  'database-password-file': z.string(),
  isolated: z.enum(['keep', 'close']).default('keep'),
  validity: z.number().positive().optional(),
  interval: z.number().positive().default(1),
  'state-file': z.string().default('/var/lib/manager-agent/state.json'),
})

/** `http-port` of a manager. */
const MANAGER_PORT = 10_001
const AGENT_PORT = 10_011
const DATABASE_PORT = 3_306

/** Failure `bad-request`, with what is wrong in the file. */
export async function readAgentOptions(file: string): Promise<Result<Omit<AgentOptions, 'log'>>> {
  try {
    const parsed = schema.safeParse(parse(await readFile(file, 'utf8')))
    if (!parsed.success) {
      const [issue] = parsed.error.issues
      return fail('bad-request', `${file}: ${issue?.path.join('.')}: ${issue?.message}`)
    }
    const wish = parsed.data
    const keys = readKeys(await readFile(wish['statement-key'], 'utf8'))
    if (!keys.ok) return fail('bad-request', `${wish['statement-key']}: ${keys.failure.message}`)
    const managers = wish.managers.map((text) => splitAddress(text, MANAGER_PORT))
    const [listen, database] = [splitAddress(wish.listen, AGENT_PORT), splitAddress(wish.database, DATABASE_PORT)]
    if (!listen || !database || managers.includes(undefined))
      return fail('bad-request', `${file}: managers, listen and database are written host:port`)
    return ok({
      ...{ cluster: wish.cluster, server: wish.server, isolated: wish.isolated, stateFile: wish['state-file'] },
      ...{ keys: keys.value, listen, intervalMs: wish.interval * SECOND },
      managers: managers.flatMap((address) => (address ? [address] : [])),
      database: {
        ...database,
        user: wish['database-user'],
        password: (await readFile(wish['database-password-file'], 'utf8')).trim(),
      },
      ...(wish.validity === undefined ? {} : { validMs: wish.validity * SECOND }),
    })
  } catch (error) {
    return fail('bad-request', `${file}: ${error instanceof Error ? error.message : String(error)}`)
  }
}
