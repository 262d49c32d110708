// Open findings of a cluster: what is wrong, where, what can be done about it.
import { type Fields, fieldsOf, listOf, present, textOf, wireOf } from '../wire.js'

export interface Finding {
  readonly code: string
  readonly severity: 'error' | 'warning'
  readonly text: string
  readonly hint?: string
  /** Name. */
  readonly server?: string
  /** Path of its runbook page. */
  readonly runbook?: string
}

/** `topology/alerts`: errors first. */
export function readFindings(reply: unknown): readonly Finding[] {
  const { errors, warnings } = fieldsOf(wireOf<'GET /api/clusters/:cluster/topology/alerts'>(reply))
  return [
    ...listOf(errors).map((wire) => readFinding(wire, 'error')),
    ...listOf(warnings).map((wire) => readFinding(wire, 'warning')),
  ]
}

function readFinding(wire: Fields, severity: Finding['severity']): Finding {
  const runbook = textOf(wire.runbook)
  return present<Finding>({
    code: textOf(wire.number) ?? '',
    severity,
    text: textOf(wire.desc) ?? '',
    hint: textOf(wire.hint),
    server: textOf(wire.server),
    // A link of another origin is not followed from here.
    runbook: runbook?.startsWith('/api/runbooks/') ? runbook : undefined,
  })
}
