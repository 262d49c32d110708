// What both statements are made of: the month with the way to others, its CSV, amounts by family.
import { useSignal } from '@preact/signals'
import type { Failure } from '../../client/failure.js'
import { type FamilyRow, monthBeside, renderAmount, renderUnits } from '../../model/hosted/price.js'
import { useQuery } from '../../parts/address.js'
import { Button } from '../../parts/basic/button.js'
import { Empty } from '../../parts/basic/empty.js'
import { saveFile } from '../../parts/basic/save-file.js'
import { type Column, Table } from '../../parts/list/table.js'

/** Statements change by the minute. */
export const EVERY_MS = 60_000

/** "2026-11"; undefined: the running one. */
export const monthOf = (text: string | undefined): string | undefined => /^\d{4}-\d{2}$/.exec(text ?? '')?.[0]

export const isOff = (failure: Failure | undefined): boolean => failure?.code === 'disabled'

export const Off = () => (
  <Empty>
    <span>
      No statements are kept: <code>hosted</code> is false, and nothing is accounted then.
    </span>
  </Empty>
)

export interface MonthStepsProps {
  readonly month: string
  /** No month follows the one that runs. */
  readonly isRunning: boolean
}

/** To the month before and the one after. */
export function MonthSteps({ month, isRunning }: MonthStepsProps) {
  const { setQuery } = useQuery()
  const [before, next] = [monthBeside(month, -1), isRunning ? undefined : monthBeside(month, 1)]
  return (
    <nav class="row" aria-label="Months">
      {before !== undefined && <Button onClick={() => setQuery({ month: before })}>← {before}</Button>}
      {next !== undefined && <Button onClick={() => setQuery({ month: next })}>{next} →</Button>}
    </nav>
  )
}

export interface SaveCsvProps {
  readonly name: string
  /** Asks for the text. */
  readonly read: () => Promise<
    { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly failure: Failure }
  >
}

export function SaveCsv({ name, read }: SaveCsvProps) {
  const isReading = useSignal(false)
  const failure = useSignal<string | undefined>(undefined)
  const save = async () => {
    isReading.value = true
    const reply = await read()
    isReading.value = false
    failure.value = reply.ok ? undefined : reply.failure.text
    if (reply.ok && typeof reply.value === 'string') saveFile(`${name}.csv`, 'text/csv', reply.value)
  }
  return (
    <>
      {failure.value !== undefined && (
        <span class="result-failed" role="alert">
          {failure.value}
        </span>
      )}
      <Button busy={isReading.value} onClick={() => void save()}>
        Save as CSV
      </Button>
    </>
  )
}

export interface FamiliesProps {
  readonly cluster: string
  readonly families: readonly FamilyRow[]
  readonly currency: string
}

export const Families = ({ cluster, families, currency }: FamiliesProps) => (
  <Table
    caption={`What ${cluster} costs by unit family`}
    rows={families}
    keyOf={({ family }) => family}
    empty="Nothing was used or sold in this month."
    columns={columnsIn(currency)}
  />
)

const columnsIn = (currency: string): readonly Column<FamilyRow>[] => {
  const amount = (key: keyof FamilyRow, head: string, hint?: string): Column<FamilyRow> => ({
    ...{ key, head, align: 'end', cell: (row) => renderAmount(row[key] as number | undefined, '') },
    ...(hint === undefined ? {} : { hint }),
  })
  const units = (key: keyof FamilyRow, head: string, hint: string): Column<FamilyRow> => ({
    ...{ key, head, hint, align: 'end', cell: (row) => renderUnits(row[key] as number | undefined) },
  })
  return [
    { key: 'family', head: 'For', cell: ({ title }) => title },
    {
      key: 'now',
      head: 'Used now',
      hint: 'of what the plan has',
      cell: ({ usedNow, planNow, unit }) =>
        usedNow !== undefined && `${usedNow}${planNow === undefined ? '' : ` of ${planNow}`} ${unit}`,
    },
    amount('unitPrice', `Price (${currency})`, 'of one unit for a month'),
    units('plan', 'Plan', 'unit-months'),
    units('over', 'Over', 'unit-months used above the plan'),
    units('under', 'Under', 'unit-months of the plan that were not used'),
    amount('planCost', 'Of plan'),
    amount('overCost', 'Of over'),
    amount('underCredit', 'Credit', 'for what of the plan was not used'),
    amount('cost', `Cost (${currency})`),
    amount('projected', 'At the end', 'of the month, if nothing changes'),
  ]
}
