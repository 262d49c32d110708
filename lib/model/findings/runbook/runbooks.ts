// Every runbook page: one for each finding, and one for each shipped alert that belongs to no single finding.
import { type FindingCode, type FindingRow, findings } from '../../findings.js'
import { type AlertName, alertPages } from './alert-pages.js'
import type { Page } from './kit/page.js'
import { advicePages } from './table/advice.js'
import { backupPages } from './table/backups.js'
import { binlogPages } from './table/binlogs.js'
import { configurationPages } from './table/configuration.js'
import { connectionPages } from './table/connection.js'
import { decisionPages } from './table/decision.js'
import { deliveryPages } from './table/delivery.js'
import { durabilityPages } from './table/durability.js'
import { electionPages } from './table/election.js'
import { galeraPages } from './table/galera.js'
import { historyPages } from './table/history.js'
import { jobPages } from './table/jobs.js'
import { observePages } from './table/observe.js'
import { privilegePages } from './table/privileges.js'
import { proxyPages } from './table/proxies.js'
import { topologyPages } from './table/topology.js'
import { watchingPages } from './table/watching.js'
import { writerPages } from './table/writers.js'

/** The page of each finding: the compiler names a code that has none. */
export const findingPages: Readonly<Record<FindingCode, Page>> = {
  ...connectionPages,
  ...privilegePages,
  ...topologyPages,
  ...writerPages,
  ...decisionPages,
  ...electionPages,
  ...historyPages,
  ...durabilityPages,
  ...advicePages,
  ...galeraPages,
  ...proxyPages,
  ...configurationPages,
  ...deliveryPages,
  ...observePages,
  ...watchingPages,
  ...binlogPages,
  ...backupPages,
  ...jobPages,
}

export type RunbookName = FindingCode | AlertName

/** A page with what it is about. */
export interface Runbook extends Page {
  /** Code of the finding, or name of the alert. */
  readonly name: RunbookName
  /** What is wrong, in one sentence. */
  readonly sentence: string
  readonly severity?: FindingRow['severity']
  /** In short what can be done. */
  readonly hint?: string
}

/** By name: codes first, in their order. */
export const runbooks: readonly Runbook[] = [
  ...Object.entries(findings)
    .map(([code, { severity, sentence, hint }]) => {
      const name = code as FindingCode
      return { ...findingPages[name], name, sentence, severity, hint }
    })
    .toSorted((left, right) => (left.name < right.name ? -1 : 1)),
  ...Object.entries(alertPages).map(([name, page]) => ({ ...page, name: name as AlertName })),
]

/** Names are read in any case, as people type them. */
export const findRunbook = (name: string): Runbook | undefined =>
  runbooks.find((one) => one.name.toLowerCase() === name.toLowerCase())
