// Pages of findings of a cluster that is only observed.
import type { FindingCode } from '../../../findings.js'
import { cli, type Page, type Step } from '../kit/page.js'
import { overview, verdict } from '../kit/steps.js'

const causes = ['monitoring-observe is on: the usual way to begin with existing servers.'] as const

const endObserving: readonly Step[] = [
  'If all of what it would do is right, let the manager act:',
  cli('setting switch monitoring-observe off'),
]

const notBlindly =
  'Do not end observing while a WARN0351 to WARN0355 is open that you cannot explain: what it describes happens at once.'

export const observePages = {
  WARN0350: {
    means:
      'The cluster is monitored and nothing is changed: no failover takes place, on request neither. If the primary dies, a person must act.',
    causes,
    check: ['What the manager would do (WARN0351 to WARN0355):', cli('cluster alerts'), ...verdict],
    act: endObserving,
    avoid: [notBlindly],
  },
  WARN0351: {
    means:
      'The manager would change the primary now; the detail has the plan. If the primary is down, clients cannot write until you act.',
    causes: ['The primary is down.', 'The preferred server is up to date again, and the role would return to it.'],
    check: [...overview, ...verdict],
    act: ['Move the role by your own means, or let the manager do it:', ...endObserving.slice(1)],
    avoid: ['Do not do both: a manual promotion and ending the observation at the same time.'],
  },
  WARN0352: {
    means:
      'The manager would repoint a server or make it a replica; the detail has the plan. Until then the server may not receive writes.',
    causes: ['An old primary returned, or a server follows none or the wrong source.'],
    check: [...overview, cli('server all-slaves-status <server>')],
    act: ['Repoint it by your own means, or:', ...endObserving],
    avoid: [notBlindly],
  },
  WARN0353: {
    means:
      'The manager would change something on a server to repair it: read_only, semi-sync, a variable, a stopped replication. The detail has the change.',
    causes: ['The server differs from what the settings require.'],
    check: [...overview, cli('configuration diff')],
    act: ['Make the change by your own means, or correct the setting that asks for it; then:', ...endObserving],
    avoid: [notBlindly],
  },
  WARN0354: {
    means:
      'The manager would set the routes of the proxies that the detail names. Whether they are right now is not checked.',
    causes,
    check: [cli('proxy list'), ...overview],
    act: endObserving,
    avoid: ['Do not end observing with proxies that are configured by others: their routes are replaced.'],
  },
  WARN0355: {
    means:
      'The manager would create configuration archives, certificates and keys for the servers. None exists until then, and hosts that ask for one get none.',
    causes,
    check: [cli('certificate list')],
    act: endObserving,
    avoid: [notBlindly],
  },
} as const satisfies Partial<Record<FindingCode, Page>>
