// The open findings of a cluster: what is wrong, what can be done, its runbook, and the remedy as a button where there is one.

import type { Finding } from '../../../model/cluster/finding.js'
import type { Server } from '../../../model/cluster/server.js'
import { Empty } from '../../../parts/basic/empty.js'
import { Panel } from '../../../parts/basic/panel.js'
import { StateMark } from '../../../parts/basic/state-mark.js'
import { ActionButton } from '../../../plan/action-button.js'
import { remedyOf } from '../actions/remedies.js'

export interface FindingsPanelProps {
  readonly cluster: string
  readonly findings: readonly Finding[]
  readonly servers: readonly Server[]
  readonly isStale: boolean
}

const SHOWN = 12

export function FindingsPanel({ cluster, findings, servers, isStale }: FindingsPanelProps) {
  return (
    <Panel title="Findings" aside={<span class="count number">{findings.length}</span>} stale={isStale}>
      {findings.length === 0 && <Empty>None is open.</Empty>}
      <ul class="findings">
        {findings.slice(0, SHOWN).map((finding) => (
          <FindingLine key={`${finding.code} ${finding.server} ${finding.text}`} {...{ cluster, finding, servers }} />
        ))}
      </ul>
      {findings.length > SHOWN && (
        <details>
          <summary>{findings.length - SHOWN} more</summary>
          <ul class="findings">
            {findings.slice(SHOWN).map((finding) => (
              <FindingLine
                key={`${finding.code} ${finding.server} ${finding.text}`}
                {...{ cluster, finding, servers }}
              />
            ))}
          </ul>
        </details>
      )}
    </Panel>
  )
}

interface FindingLineProps {
  readonly cluster: string
  readonly finding: Finding
  readonly servers: readonly Server[]
}

function FindingLine({ cluster, finding, servers }: FindingLineProps) {
  const { code, severity, text, hint, server, runbook } = finding
  const remedy = remedyOf(cluster, finding, servers)
  return (
    <li>
      <StateMark state={severity === 'error' ? 'broken' : 'degraded'} word={severity} compact />
      <div>
        <p>
          {server !== undefined && <strong>{server} </strong>}
          {text}
        </p>
        {hint !== undefined && <p class="muted">{hint}</p>}
        <p class="finding-links">
          {runbook === undefined ? (
            <span class="muted">{code}</span>
          ) : (
            <a href={runbook} target="_blank" rel="noreferrer">
              {code} runbook
            </a>
          )}
          {remedy && <ActionButton action={remedy} />}
        </p>
      </div>
    </li>
  )
}
