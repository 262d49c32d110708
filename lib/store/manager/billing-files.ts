// Statements on disk: `billing/billing-YYYY-MM.json`, a statement as people read it and, until it is final, what continues it.
import { open, readdir, readFile, rename } from 'node:fs/promises'
import path from 'node:path'
import * as z from 'zod'
import { fail, ok, type Result } from '../../base/result.js'
import {
  type Accrual,
  type ClusterLedger,
  type Month,
  type MonthLedger,
  type MonthStatement,
  monthPattern,
  type PerFamily,
  type Reading,
  unitFamilies,
} from '../../price/index.js'
import { atomicWrite, codeOf, reasonOf } from '../kit/atomic-write.js'
import { parseObject } from '../kit/state-file.js'
import { makeDirectory } from '../kit/working-directory.js'

/** A month on disk: closed for good, or to be continued. */
export type StoredMonth =
  | { readonly type: 'final'; readonly statement: MonthStatement }
  | { readonly type: 'open'; readonly ledger: MonthLedger }

const folderOf = (directory: string): string => path.join(directory, 'billing')

const fileOf = (directory: string, month: Month): string => path.join(folderOf(directory), `billing-${month}.json`)

const quantity = z.int().min(0)
const tariff = z.object({ price: quantity, overPct: quantity, underPct: quantity })
const reading = z.object({ plan: quantity, billable: quantity, tariff }) satisfies z.ZodType<Reading>
const accrual = z.object({
  ...{ tariff, planMs: quantity, overMs: quantity, underMs: quantity },
}) satisfies z.ZodType<Accrual>

const perFamilyOf = <T>(one: z.ZodType<T>): z.ZodType<PerFamily<T>> =>
  z.object(Object.fromEntries(unitFamilies.map((family) => [family, one]))) as unknown as z.ZodType<PerFamily<T>>

const mark = z.object({ wall: z.int(), steady: z.int(), boot: z.string(), term: z.int() })
const openCluster = z.object({
  ...{ partners: z.array(z.string()), sponsors: z.array(z.string()) },
  ...{ firstSeen: z.iso.datetime(), lastSeen: z.iso.datetime(), accrued: perFamilyOf(z.array(accrual)) },
  continuing: z.object({ accountedMs: quantity, readings: perFamilyOf(reading), mark: mark.optional() }),
})
const openMonth = z.object({
  ...{ month: z.string().regex(monthPattern), currency: z.string(), final: z.literal(false) },
  clusters: z.record(z.string(), openCluster),
})
const finalMonth = z.looseObject({
  ...{ month: z.string().regex(monthPattern), currency: z.string(), final: z.literal(true) },
  clusters: z.record(z.string(), z.looseObject({ cluster: z.string(), units: z.array(z.looseObject({})) })),
})

/** The months with a file, oldest first; none without a folder. Failure: `file-unreadable`. */
export async function listBillingMonths(directory: string): Promise<Result<readonly Month[]>> {
  try {
    const names = await readdir(folderOf(directory))
    const months = names.flatMap((name) => /^billing-(\d{4}-\d\d)\.json(\.old)?$/.exec(name)?.[1] ?? [])
    return ok([...new Set(months)].toSorted())
  } catch (error) {
    return codeOf(error) === 'ENOENT' ? ok([]) : fail('file-unreadable', `${folderOf(directory)}: ${reasonOf(error)}`)
  }
}

/** Whether the file says of itself, in its first bytes, that it is final. False when it cannot be read. */
export async function isFinalMonth(directory: string, month: Month): Promise<boolean> {
  const handle = await open(fileOf(directory, month), 'r').catch(() => undefined)
  if (!handle) return false
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(100), 0, 100, 0)
    return buffer.toString('latin1', 0, bytesRead).includes('"final":true')
  } catch {
    return false
  } finally {
    await handle.close()
  }
}

/** What a month's files hold. */
export interface MonthReading {
  /** Absent when there is no usable file. */
  readonly stored?: StoredMonth
  /** What is wrong with the file. The one before it is used then, and when there is none, where it can be. */
  readonly damage?: string
}

/** Failure: `file-unreadable`, the system refuses to read it. */
export async function readBillingMonth(directory: string, month: Month): Promise<Result<MonthReading>> {
  const file = fileOf(directory, month)
  const current = await readOne(file)
  if (!current.ok || current.value.stored) return current
  const previous = await readOne(`${file}.old`)
  const stored = previous.ok ? previous.value.stored : undefined
  return ok({ ...current.value, ...(stored ? { stored } : {}) })
}

/** Writes the statement; one that is not final with what continues it. The previous file is kept. Failure: `file-unwritable`. */
export async function writeBillingMonth(
  directory: string,
  statement: MonthStatement,
  ledger: MonthLedger,
): Promise<Result<void>> {
  const file = fileOf(directory, statement.month)
  try {
    await makeDirectory(folderOf(directory))
  } catch (error) {
    return fail('file-unwritable', `${folderOf(directory)}: ${reasonOf(error)}`)
  }
  return atomicWrite(file, renderBillingMonth(statement, ledger), { keepPrevious: true })
}

/** Moves an unusable file aside, so that it is neither overwritten nor read again. */
export const setAsideBillingMonth = async (directory: string, month: Month): Promise<void> => {
  const file = fileOf(directory, month)
  await rename(file, `${file}.damaged`).catch(() => undefined)
}

function renderBillingMonth(statement: MonthStatement, ledger: MonthLedger): string {
  const { month, final, clusters, ...rest } = statement
  const entries = Object.entries(clusters).map(([name, shown]) => {
    const own = ledger.clusters[name]
    return [name, final || !own ? shown : { ...shown, continuing: continuingOf(own) }] as const
  })
  return `${JSON.stringify({ month, final, ...rest, clusters: Object.fromEntries(entries) })}\n`
}

const continuingOf = ({ accountedMs, readings, mark }: ClusterLedger) => ({
  ...{ accountedMs, readings },
  ...(mark ? { mark } : {}),
})

async function readOne(file: string): Promise<Result<MonthReading>> {
  const text = await readFile(file, 'utf8').catch((error: unknown) =>
    codeOf(error) === 'ENOENT' ? undefined : fail('file-unreadable', `${file}: ${reasonOf(error)}`),
  )
  if (text === undefined) return ok({})
  if (typeof text !== 'string') return text
  const value = parseObject(text)
  if (finalMonth.safeParse(value).success)
    return ok({ stored: { type: 'final', statement: value as unknown as MonthStatement } })
  const { data } = openMonth.safeParse(value)
  if (!data) return ok({ damage: `${file}: not a complete statement (${text.length} characters)` })
  const clusters = Object.entries(data.clusters).map(([name, cluster]) => [name, ledgerOf(cluster)])
  return ok({ stored: { type: 'open', ledger: { ...data, clusters: Object.fromEntries(clusters) } } })
}

function ledgerOf({ continuing, firstSeen, lastSeen, ...rest }: z.output<typeof openCluster>): ClusterLedger {
  const { mark: last, ...state } = continuing
  return {
    ...{ ...rest, ...state, firstSeen: Date.parse(firstSeen), lastSeen: Date.parse(lastSeen) },
    ...(last ? { mark: last } : {}),
  }
}
