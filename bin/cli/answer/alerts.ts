// Open findings as a table: errors first, each with what to do about it.
import type { WireAlert, WireAlerts } from '../../../http/client/wire.js'
import type { Style } from '../output/paint.js'
import { type Column, renderTable } from '../output/table.js'

interface Row extends WireAlert {
  readonly severity: 'error' | 'warning'
}

const styles: Readonly<Record<Row['severity'], Style>> = { error: 'red', warning: 'yellow' }

const columns: readonly Column<Row>[] = [
  { title: 'code', isKey: true, text: ({ number }) => number, style: ({ severity }) => styles[severity] },
  { title: 'severity', text: ({ severity }) => severity },
  { title: 'finding', text: ({ desc, hint }) => [desc, hint].filter(Boolean).join(' ') },
]

const clusterColumn: Column<Row> = { title: 'cluster', isKey: true, text: ({ cluster }) => cluster || '(manager)' }

/** Below lists of findings. */
const RUNBOOK = 'manager-cli runbook <code> shows what one means, how to check it and what to do.'

/** The alerts of one cluster, or of all of them with their clusters in front. */
export function renderAlerts(alerts: WireAlerts): string {
  const rows: readonly Row[] = [
    ...alerts.errors.map((alert) => ({ ...alert, severity: 'error' as const })),
    ...alerts.warnings.map((alert) => ({ ...alert, severity: 'warning' as const })),
  ]
  if (rows.length === 0) return 'No open findings.'
  const isOfAll = rows.some(({ cluster }) => cluster !== undefined)
  return [renderTable(isOfAll ? [clusterColumn, ...columns] : columns, rows), '', RUNBOOK].join('\n')
}
