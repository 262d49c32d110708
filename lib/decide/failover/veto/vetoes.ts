// What blocks a failover: one row per rule. Every row is evaluated and reported with its inputs.
import type { FindingCode } from '../../../model/findings.js'
import type { VetoRow } from '../../../model/verdict.js'
import type { VetoInput, VetoResult } from './veto.js'
import { judgeCandidate, judgeDelay, judgeElsewhere, judgeErrant, judgeSync } from './veto-candidate.js'
import { judgeDeath, judgeKnown, judgeOutage, judgeSeen, judgeShape, judgeWitnesses } from './veto-death.js'
import { judgeDurability } from './veto-durability.js'
import {
  judgeExternal,
  judgeLimit,
  judgeMaintenance,
  judgeMode,
  judgeObserve,
  judgeOperation,
  judgeOwnership,
  judgePause,
  judgeRivalry,
  judgeTimeLimit,
} from './veto-limits.js'

interface Rule {
  readonly rule: string
  readonly code: FindingCode
  /** A person who asks for the failover answers for this one. */
  readonly passable: boolean
  judge(input: VetoInput): VetoResult
}

export const judgeVetoes = (input: VetoInput): readonly VetoRow[] =>
  rules.map(({ rule, code, judge }) => ({ rule, code, ...judge(input) }))

/** Whether a person may pass the rule. */
export const isPassable = (rule: string): boolean => rules.find((row) => row.rule === rule)?.passable === true

export const standsInTheWay = ({ state }: VetoRow): boolean => state === 'closed' || state === 'waiting'

const rules: readonly Rule[] = [
  { rule: 'topology', code: 'ERR00122', passable: false, judge: judgeShape },
  { rule: 'monitoring-observe', code: 'WARN0350', passable: true, judge: judgeObserve },
  { rule: 'monitoring-pause', code: 'ERR00120', passable: true, judge: judgePause },
  { rule: 'ownership', code: 'WARN0362', passable: false, judge: judgeOwnership },
  { rule: 'another-manager', code: 'ERR00022', passable: false, judge: judgeRivalry },
  { rule: 'failover-mode', code: 'ERR00002', passable: true, judge: judgeMode },
  { rule: 'failover-limit', code: 'ERR00027', passable: true, judge: judgeLimit },
  { rule: 'failover-time-limit', code: 'ERR00029', passable: true, judge: judgeTimeLimit },
  { rule: 'failover-falsepositive-ping-counter', code: 'WARN0023', passable: true, judge: judgeDeath },
  { rule: 'failover-falsepositive-heartbeat', code: 'ERR00028', passable: false, judge: judgeWitnesses },
  { rule: 'failover-falsepositive-external', code: 'ERR00031', passable: true, judge: judgeExternal },
  { rule: 'primary-known', code: 'ERR00114', passable: true, judge: judgeKnown },
  { rule: 'total-outage', code: 'ERR00026', passable: true, judge: judgeOutage },
  { rule: 'servers-seen', code: 'ERR00115', passable: true, judge: judgeSeen },
  { rule: 'candidate', code: 'ERR00032', passable: false, judge: judgeCandidate },
  { rule: 'failover-max-slave-delay', code: 'ERR00041', passable: true, judge: judgeDelay },
  { rule: 'failover-at-sync', code: 'ERR00043', passable: true, judge: judgeSync },
  { rule: 'errant-transactions', code: 'WARN0091', passable: false, judge: judgeErrant },
  { rule: 'received-elsewhere', code: 'ERR00116', passable: true, judge: judgeElsewhere },
  { rule: 'durability-policy', code: 'ERR00140', passable: true, judge: judgeDurability },
  { rule: 'maintenance', code: 'ERR00047', passable: true, judge: judgeMaintenance },
  { rule: 'operation', code: 'ERR00001', passable: false, judge: judgeOperation },
]

/** Each code once, in the order of the rules. */
export const vetoCodes: readonly FindingCode[] = [...new Set(rules.map(({ code }) => code))]

/** Names of the rules that a failover on request passes. */
export const passableRules: readonly string[] = rules.filter(({ passable }) => passable).map(({ rule }) => rule)
