// Operations of a cluster and the verdict about a failover, as clients read them.
import * as z from 'zod'
import { all, flag, jsonValue, number, text } from './fields.js'

const gtidSet = z.record(text, z.array(z.tuple([number, number]))).meta({ id: 'GtidSet' })

const command = z
  .object({ type: text })
  .catchall(jsonValue)
  .describe('What a step does; its further fields depend on its type.')
  .meta({ id: 'Command' })

const step = z
  .object({
    command,
    state: z.enum(['waiting', 'running', 'done', 'skipped', 'failed']),
    startedAt: number.optional(),
    tookMs: number.optional(),
    message: text.optional(),
  })
  .meta({ id: 'OperationStep' })

const loss = z.object({ command: text, server: text.optional(), message: text }).meta({ id: 'OperationLoss' })

const operation = {
  ...all(text, ['id', 'owner', 'reason']),
  ...all(number, ['startedAt', 'deadlineAt']),
  ...all(text.optional(), ['oldPrimary', 'newPrimary', 'message', 'failure', 'continues']),
  kind: z.enum(['failover', 'switchover', 'rejoin', 'repair']),
  opened: z.literal(true).optional(),
  phase: z.enum(['running', 'succeeded', 'rolled-back', 'failed']),
  steps: z.array(step),
  endedAt: number.optional(),
}

/** As the manager keeps it. */
export const operationRecord = z
  .object({ ...operation, losses: z.array(loss).optional() })
  .meta({ id: 'OperationRecord' })

export const operationSchema = z
  .object({
    ...operation,
    result: z.enum(['running', 'succeeded', 'succeeded-with-losses', 'undone', 'failed']),
    losses: z.array(loss),
  })
  .meta({ id: 'Operation' })

const rule = z
  .object({
    ...all(text, ['rule', 'code', 'value', 'limit', 'sentence']),
    state: z.enum(['clear', 'closed', 'waiting', 'off']),
    ageMs: number.optional(),
  })
  .meta({ id: 'FailoverRule' })

const candidate = z
  .object({
    ...{ server: text, eligible: flag, rank: number.optional(), code: text.optional(), reason: text },
    waits: text.optional().describe('What it waits for before it could take over; absent where for nothing.'),
    ...{ received: gtidSet, unapplied: number, missing: number },
  })
  .meta({ id: 'Candidate' })

export const explainSchema = z
  .object({
    at: number,
    ...all(flag, ['wouldFailOver', 'primaryDead']),
    primaryAnswers: flag.optional(),
    evidence: z.enum(['none', 'weak', 'conclusive']),
    rows: z.array(rule),
    ...all(text.optional(), ['primary', 'candidate']),
    ranking: z.array(candidate),
    loss: z
      .object({
        kind: z.enum(['none', 'at-most', 'at-least', 'unknown']),
        transactions: number.optional(),
        reason: text,
      })
      .meta({ id: 'LossForecast' }),
    /** Names by id. */
    servers: z.record(text, text),
    operation: operationSchema.nullable(),
    lastOperation: operationSchema.nullable(),
  })
  .meta({ id: 'FailoverVerdict' })

export const ticketSchema = z.object({ operation: operationSchema }).meta({ id: 'OperationTicket' })
