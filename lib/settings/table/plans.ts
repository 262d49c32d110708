// Service plans: named sizes of databases and proxies, and the settings that choosing one sets.
import { fail, ok, type Result } from '../../base/result.js'
import { suggest } from '../../base/suggest.js'
import type { SettingName } from './index.js'

export interface ServicePlan {
  readonly id: number
  readonly plan: string
  /** MB. */
  readonly dbmemory: number
  readonly dbcores: number
  /** GB. */
  readonly dbdatasize: number
  /** GB. */
  readonly dbsystemsize: number
  readonly dbiops: number
  /** GHz. */
  readonly dbcpufreq: number
  readonly prxcores: number
  /** GB. */
  readonly prxdatasize: number
}

const columns = [
  ...(['id', 'dbmemory', 'dbcores', 'dbdatasize', 'dbsystemsize', 'dbiops', 'dbcpufreq'] as const),
  ...(['prxcores', 'prxdatasize'] as const),
]

/** What a plan decides. */
const decided: readonly [SettingName, keyof ServicePlan, unit: string][] = [
  ['prov-db-memory', 'dbmemory', 'M'],
  ['prov-db-cores', 'dbcores', ''],
  ['prov-db-disk', 'dbdatasize', 'G'],
  ['prov-db-iops', 'dbiops', ''],
  ['prov-proxy-cpu-cores', 'prxcores', ''],
]

/** The values of all settings that a chosen plan sets, its own name among them. */
export const planSettings = (plan: ServicePlan): Readonly<Partial<Record<SettingName, string>>> => ({
  'prov-service-plan': plan.plan,
  ...Object.fromEntries(decided.map(([setting, column, unit]) => [setting, `${plan[column]}${unit}`])),
})

/** The plan of a name; `wrong-value` names the nearest. */
export function findPlan(plans: readonly ServicePlan[], name: string): Result<ServicePlan> {
  const found = plans.find(({ plan }) => plan === name)
  if (found) return ok(found)
  const names = plans.map(({ plan }) => plan)
  const near = suggest(name, names)
  return fail('wrong-value', `no service plan is named ${name}; ${near ? `did you mean ${near}?` : names.join(', ')}`)
}

/**
 * Reads a list of plans: CSV whose first line names the columns, or JSON, an array of objects or one below `rows`.
 * Further columns are passed over; `bad-configuration` names the row and the column of what is wrong.
 */
export function parsePlans(text: string): Result<readonly ServicePlan[]> {
  const rows = /^\s*[[{]/.test(text) ? jsonRows(text) : csvRows(text)
  if (!rows.ok) return rows
  const plans: ServicePlan[] = []
  for (const [index, row] of rows.value.entries()) {
    const plan = readPlan(row)
    if (!plan.ok) return fail('bad-configuration', `plan ${index + 1}: ${plan.failure.message}`)
    if (plans.some((other) => other.plan === plan.value.plan))
      return fail('bad-configuration', `plan ${index + 1}: ${plan.value.plan} is listed twice`)
    plans.push(plan.value)
  }
  return plans.length === 0 ? fail('bad-configuration', 'the list is empty') : ok(plans)
}

type Row = Readonly<Record<string, unknown>>

function readPlan(row: Row): Result<ServicePlan> {
  const name = typeof row.plan === 'string' ? row.plan.trim() : ''
  if (!/^[\w.-]{1,64}$/.test(name))
    return fail('bad-configuration', 'plan: a name of letters, digits, ., _ or - is missing')
  const figures: Record<string, number> = {}
  for (const column of columns) {
    const figure = Number(row[column] === '' ? Number.NaN : (row[column] ?? Number.NaN))
    if (!Number.isFinite(figure) || figure < 0 || (column !== 'dbcpufreq' && !Number.isInteger(figure)))
      return fail('bad-configuration', `${name}: ${column} must be a number of at least 0`)
    figures[column] = figure
  }
  return ok({ ...figures, plan: name } as ServicePlan)
}

function csvRows(text: string): Result<readonly Row[]> {
  const [head = '', ...lines] = text.split(/\r?\n/).filter((line) => line.trim() !== '')
  const names = head.split(',').map((name) => name.trim().toLowerCase())
  if (!names.includes('plan')) return fail('bad-configuration', 'the first line has no column plan')
  return ok(
    lines.map((line) => {
      const cells = line.split(',').map((cell) => cell.trim())
      return Object.fromEntries(names.map((name, index) => [name, cells[index] ?? '']))
    }),
  )
}

function jsonRows(text: string): Result<readonly Row[]> {
  try {
    const read: unknown = JSON.parse(text)
    const rows: readonly unknown[] = Array.isArray(read) ? read : rowsBelow(read)
    return rows.every(isRow) ? ok(rows) : fail('bad-configuration', 'the list is not an array of objects')
  } catch (error) {
    return fail('bad-configuration', `the list is not JSON: ${error instanceof Error ? error.message : String(error)}`)
  }
}

const rowsBelow = (read: unknown): readonly unknown[] =>
  isRow(read) && Array.isArray(read.rows) ? read.rows : ['no list']

const isRow = (value: unknown): value is Row => typeof value === 'object' && value !== null && !Array.isArray(value)
