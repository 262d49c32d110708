// One finding as its table spells it.

export interface FindingRow {
  /** error: blocks automatic failover ("failable"); warning: does not. */
  readonly severity: 'error' | 'warning'
  /** Which part of the manager says it: the `from` of alerts. */
  readonly from: 'MON' | 'TOPO' | 'CHECK' | 'CONF' | 'PRX' | 'CLUSTER' | 'REJOIN' | 'PROV' | 'SRV'
  /** What it means, one sentence; `detail` of the finding follows it. */
  readonly sentence: string
  /** What the operator can do. */
  readonly hint: string
}

export type Row = readonly [FindingRow['severity'], FindingRow['from'], sentence: string, hint: string]
