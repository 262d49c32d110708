// Shapes of statements.
import * as z from 'zod'
import { unitFamilies } from '../../../lib/price/index.js'

const text = z.string()
const amount = z.number()
const units = z.number().min(0)

const perFamilyOf = <T extends z.ZodType>(one: T) =>
  z.object(Object.fromEntries(unitFamilies.map((family) => [family, one])) as Record<(typeof unitFamilies)[number], T>)

const unitRow = z
  .looseObject({
    family: z.enum(unitFamilies),
    unit: text,
    ...{ plan: units, billable: units, overCommit: units, underCommit: units },
    ...{ unitPrice: amount, overCommitPct: units, underCommitPct: units, priced: z.boolean(), rate: amount },
    ...{ monthPlan: units, monthOverCommit: units, monthUnderCommit: units },
    ...{ monthPlanCost: amount, monthOverCost: amount, monthUnderCredit: amount, monthCost: amount, projected: amount },
  })
  .meta({ id: 'StatementRow' })

const accrual = z.object({
  tariff: z.object({ price: units, overPct: units, underPct: units }),
  ...{ planMs: units, overMs: units, underMs: units },
})

export const clusterStatementSchema = z
  .looseObject({
    ...{ cluster: text, partner: text, partners: z.array(text), sponsors: z.array(text), units: z.array(unitRow) },
    ...{ rate: amount, monthCost: amount, projected: amount, firstSeen: text, lastSeen: text, accountedSeconds: units },
    accrued: perFamilyOf(z.array(accrual)),
  })
  .meta({ id: 'ClusterStatement' })

export const pricesSchema = perFamilyOf(amount)

export const monthStatementSchema = z
  .looseObject({
    ...{ month: text, currency: text, final: z.boolean(), elapsedPct: amount, defaultPrices: pricesSchema },
    ...{ generatedAt: text, clusters: z.record(text, clusterStatementSchema) },
    ...{ rate: amount, monthCost: amount, projected: amount },
  })
  .meta({ id: 'MonthStatement' })
