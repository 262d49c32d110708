// What the manager would do to a cluster that is only observed: its plans as findings, never run.
import { SECOND } from '../base/time.js'
import type { Finding } from '../model/finding.js'
import type { FindingCode } from '../model/findings.js'
import type { Command } from '../model/operation/command.js'
import type { Plan } from '../model/operation/operation.js'
import { findServer } from '../model/snapshot.js'
import { withSettings } from '../settings/index.js'
import { judgeFailover, planFailover } from './failover/failover.js'
import { planRejoin } from './repair/rejoin.js'
import { listRepairs } from './repair/repair.js'
import type { Situation } from './situation/situation.js'
import { planReturn } from './switchover/return-role.js'

const codes = {
  failover: 'WARN0351',
  switchover: 'WARN0351',
  rejoin: 'WARN0352',
  repair: 'WARN0353',
} as const

/** Steps that a finding names. */
const MOST_STEPS = 8

/** What one plan would do, and when it was due last. */
export interface Intention {
  readonly code: FindingCode
  readonly text: string
  readonly seenAt: number
}

/** So long an intention is shown: some are due only while readings of several servers are fresh together. */
const SHOWN_MS = 10 * SECOND

/** The plans that are due now, and those that were a moment ago (`before`); none where the cluster is not observed. */
export function listIntentions(situation: Situation, before: readonly Intention[]): readonly Intention[] {
  const { settings, snapshot, now } = situation
  if (!settings['monitoring-observe'] || snapshot.operation) return []
  const unobserved: Situation = { ...situation, settings: withSettings(settings, { 'monitoring-observe': false }) }
  const due = duePlans(unobserved).flatMap((plan): Intention[] => {
    const code = plan.kind in codes ? codes[plan.kind as keyof typeof codes] : undefined
    return code === undefined ? [] : [{ code, text: describe(plan, unobserved), seenAt: now }]
  })
  const kept = before.filter(({ text, seenAt }) => now - seenAt < SHOWN_MS && !due.some((one) => one.text === text))
  return [...kept, ...due].toSorted((one, other) => (one.text < other.text ? -1 : 1))
}

/** One finding per kind of change. */
export const intentionFindings = (intentions: readonly Intention[]): readonly Finding[] =>
  [...new Set(intentions.map(({ code }) => code))].map((code) => ({
    code,
    detail: intentions.flatMap((one) => (one.code === code ? one.text : [])).join(' '),
  }))

/** As `nextPlan` of the cluster actor chooses; several are shown, since none of them begins. */
function duePlans(situation: Situation): readonly Plan[] {
  if (judgeFailover(situation).wouldFailOver) {
    const plan = planFailover(situation)
    return plan.ok ? [plan.value] : []
  }
  if (situation.settings['monitoring-pause']) return []
  return [planRejoin(situation), ...listRepairs(situation), planReturn(situation)].filter((plan) => plan !== undefined)
}

function describe({ reason, commands }: Plan, { snapshot }: Situation): string {
  const named = commands.filter(({ type }) => type !== 'report' && type !== 'reprobe').map(stepText)
  const more = named.length > MOST_STEPS ? ` and ${named.length - MOST_STEPS} more` : ''
  return `${settled(reason)}. Steps: ${named.slice(0, MOST_STEPS).join(', ')}${more}.`

  function stepText(command: Command): string {
    const id = 'server' in command ? command.server : undefined
    return id === undefined ? command.type : `${command.type} ${findServer(snapshot, id)?.name ?? id}`
  }
}

/** Without the figures that grow: a finding that is open stays the same. */
const settled = (reason: string): string => reason.replace(/ for \d+ (ms|s)\b/g, '').replace(/\.$/, '')
