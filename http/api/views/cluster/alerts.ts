// Open findings as alerts, and the one word that says whether there are errors among them.
import { isError } from '../../../../lib/decide/condition.js'
import type { Finding } from '../../../../lib/model/finding.js'
import { runbookUrl } from '../../../../lib/model/findings/runbook/link.js'
import { type FindingRow, findings as registry } from '../../../../lib/model/findings.js'
import { findServer } from '../../../../lib/model/snapshot.js'
import type { ViewInput } from '../kit/input.js'

/** `topology/alerts`. */
export const renderAlerts = (input: ViewInput) => ({
  errors: alertsOf(input, 'error'),
  warnings: alertsOf(input, 'warning'),
})

export const hasErrors = ({ snapshot }: Pick<ViewInput, 'snapshot'>): boolean => snapshot.findings.some(isError)

/** `C/status`. */
export const renderStatus = (input: ViewInput) => ({ alive: hasErrors(input) ? 'errors' : 'running' })

const alertsOf = (input: ViewInput, severity: FindingRow['severity']) =>
  input.snapshot.findings
    .filter(({ code }) => registry[code].severity === severity)
    .map((finding) => alert(finding, input))

/** A finding of no cluster. */
export function renderFinding({ code, detail }: Finding) {
  const { sentence, from, hint, severity } = registry[code]
  const desc = detail === '' ? sentence : `${sentence} ${detail}`
  return { number: code, desc, from, hint, severity, runbook: runbookUrl('', code, {}) }
}

function alert({ code, server, detail }: Finding, { snapshot }: ViewInput) {
  const { sentence, from, hint } = registry[code]
  const name = findServer(snapshot, server)?.name
  return {
    number: code,
    desc: detail === '' ? sentence : `${sentence} ${detail}`,
    from,
    hint,
    runbook: runbookUrl('', code, { cluster: snapshot.cluster, server: name }),
    ...(name === undefined ? {} : { server: name }),
  }
}
