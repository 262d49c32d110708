// The manager's counters of a cluster for the metrics: plain data in the actor's state, in seconds and numbers.
import { emptyHistogram, type Histogram } from './histogram.js'

export interface ClusterFigures {
  /** Changes of the primary since the actor started, by outcome. */
  readonly failovers: Readonly<Record<Outcome, number>>
  readonly switchovers: Readonly<Record<Outcome, number>>
  /** From the first step to the last of those that succeeded. */
  readonly failoverSeconds: Histogram
  readonly switchoverSeconds: Histogram
  /** From a reading's arrival to the verdict. */
  readonly decisionSeconds: Histogram
  /** Round trips of fast probes that were answered. */
  readonly probeSeconds: Histogram
}

/** with-losses: the role moved, and not every server follows. */
export type Outcome = 'succeeded' | 'with-losses' | 'rolled-back' | 'failed'

const operationBounds = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]
const decisionBounds = [0.000_05, 0.000_1, 0.000_25, 0.000_5, 0.001, 0.005, 0.025]
const probeBounds = [0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.3, 1]
const nothing: Readonly<Record<Outcome, number>> = { succeeded: 0, 'with-losses': 0, 'rolled-back': 0, failed: 0 }

/** The figures of an actor that has just started. */
export const freshFigures: ClusterFigures = {
  failovers: nothing,
  switchovers: nothing,
  failoverSeconds: emptyHistogram(operationBounds),
  switchoverSeconds: emptyHistogram(operationBounds),
  decisionSeconds: emptyHistogram(decisionBounds),
  probeSeconds: emptyHistogram(probeBounds),
}
