// The entry of a pool thread: takes batches, keeps its templates.
import { workerData } from 'piscina'
import type { RuleSet } from '../../lib/configure/index.js'
import { createBuilder } from './build.js'
import type { Batch, Outcome } from './input.js'

/** What the pool hands to each thread at its start. */
export interface WorkerStart {
  readonly rules: RuleSet
}

const { rules }: WorkerStart = workerData
const build = createBuilder(rules)

// The one default export of the project: piscina calls it.
export default (batch: Batch): Promise<readonly Outcome[]> => build(batch)
