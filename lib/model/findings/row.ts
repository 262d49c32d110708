// One row of the table of findings.

export interface FindingRow {
  /** error: blocks automatic failover ("failable"); warning: does not. */
  readonly severity: 'error' | 'warning'
  /** The part of the manager that reports it: the `from` of alerts. */
  readonly from: 'MON' | 'TOPO' | 'CHECK' | 'CONF' | 'PRX' | 'CLUSTER' | 'REJOIN' | 'PROV' | 'SRV'
  /** One sentence; the `detail` of the finding follows it. */
  readonly sentence: string
  /** What the operator can do. */
  readonly hint: string
}

export type Row = readonly [FindingRow['severity'], FindingRow['from'], sentence: string, hint: string]
