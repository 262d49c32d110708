// What every rule about a failover is given, and what it answers.
import type { ServerSnapshot } from '../../../model/snapshot.js'
import type { LossForecast, VetoRow } from '../../../model/verdict.js'
import type { Situation } from '../../situation/situation.js'
import type { Evidence } from '../death/evidence.js'
import type { Election } from '../election/elect.js'

export interface VetoInput {
  readonly situation: Situation
  readonly evidence: Evidence
  readonly election: Election
  readonly loss: LossForecast
  readonly primary?: ServerSnapshot
}

/** The result of a rule; its name and code come from the table. */
export type VetoResult = Omit<VetoRow, 'rule' | 'code'>
