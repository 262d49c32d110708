// Holds every answer that a spec reads from a running manager against the schema of its row.
import { routes } from '../../../http/api/index.js'
import { planReply } from '../../../http/api/kit/route.js'
import { createMatcher } from '../http/find-row.js'

const find = createMatcher(routes)

export interface GivenAnswer {
  readonly method: string
  /** Path, with its query or without. */
  readonly target: string
  readonly status: number
  readonly type: string
  readonly text: string
}

/** Throws when a success is not what its row says it is. */
export function checkAnswer({ method, target, status, type, text }: GivenAnswer): void {
  const found = find(method, target.replace(/\?.*/, ''))
  if (found.type !== 'found') return
  const { id, plan } = found.route
  const reply = plan && /[?&]plan=true\b/.test(target) ? planReply : found.route.reply
  if (status !== reply.status || reply.schema === undefined || !type.startsWith('application/json')) return
  const issues = reply.schema.safeParse(JSON.parse(text)).error?.issues ?? []
  const [first] = issues
  if (first) throw new Error(`${id} at ${target}: ${first.path.join('.')}: ${first.message}\n${text.slice(0, 2_000)}`)
}
