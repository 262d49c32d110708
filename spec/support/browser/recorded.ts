// The replies of the interface as its rows record them, complete or with every optional field absent: what pages are shown with.
import * as z from 'zod'
import { routes } from '../../../http/api/index.js'
import type { PageOptions } from './page-server.js'

type Form = 'complete' | 'bare'

/** `more` by path replaces what a row records. An action has a plan of its summary, and answers what its row records. */
export const recordedAnswers = (
  form: () => Form,
  more: Readonly<Record<string, unknown>>,
): NonNullable<PageOptions['answer']> => {
  const rows = routes.flatMap(({ methods, paths, reply, example }) =>
    paths.flatMap((path) => {
      const isRead = methods.includes('GET') && example?.reply !== undefined && reply.schema !== undefined
      return isRead ? [{ pattern: patternOf(path), schema: reply.schema, value: example.reply, path }] : []
    }),
  )
  const actions = routes.flatMap(({ id, methods, paths, summary, plan, example }) =>
    plan === undefined
      ? []
      : paths.map((path) => ({ methods, pattern: patternOf(path), reply: example?.reply ?? {}, id, summary })),
  )
  return (pathname, { method, isPlan }) => {
    if (method !== 'GET') {
      const action = actions.find(
        ({ methods, pattern }) => methods.some((one) => one === method) && pattern.test(pathname),
      )
      return action && { body: isPlan ? planOf(action.id, action.summary) : action.reply }
    }
    const row = rows.find(({ pattern }) => pattern.test(pathname))
    if (!row?.schema) return undefined
    const value = more[row.path] ?? row.value
    return { body: form() === 'bare' ? bare(row.schema, value) : value }
  }
}

const planOf = (id: string, summary: string) => ({
  ...{ id: `${id}/1`, kind: id, cluster: null, possible: true, steps: [{ text: summary, blocksWrites: false }] },
  ...{ risks: [], changes: [], follows: [], pauseMs: 0, loss: { kind: 'none', text: 'Nothing is lost.' } },
  ...{ undo: null, lossy: false, confirm: 'yes' },
})

const patternOf = (path: string): RegExp => new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}$`)

/** The value with nothing that its schema does not require; null where that is permitted. */
export function bare(schema: z.core.$ZodType, value: unknown): unknown {
  if (schema instanceof z.ZodNullable) return null
  if (schema instanceof z.ZodArray && Array.isArray(value)) return value.map((each) => bare(schema.element, each))
  if (schema instanceof z.ZodIntersection)
    return { ...(bare(schema.def.left, value) as object), ...(bare(schema.def.right, value) as object) }
  if (typeof value !== 'object' || value === null) return value
  if (schema instanceof z.ZodRecord)
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, bare(schema.valueType, each)]))
  if (!(schema instanceof z.ZodObject)) return value
  return Object.fromEntries(
    Object.entries(schema.shape).flatMap(([key, shape]) => {
      const isLeftOut = shape instanceof z.ZodOptional || !(key in value)
      return isLeftOut ? [] : [[key, bare(shape as z.core.$ZodType, (value as Record<string, unknown>)[key])]]
    }),
  )
}
