// How long deciding takes: all that is judged of three servers whose primary has just died.

import { judgeFailover, planFailover } from '../../lib/decide/failover/failover.js'
import { judgeCluster } from '../../lib/decide/judge.js'
import { cutOff, primary, refused, replica, situation } from '../support/simulator/situation.js'
import { cpuOf, least, takeTurns } from './measure.js'
import { type BenchRow, judgeRow } from './row.js'

const REPEATS = 1_000
const ROUNDS = 5

export async function benchDecision(): Promise<readonly BenchRow[]> {
  const dead = situation([primary(1, {}, refused), replica(2, cutOff), replica(3, cutOff)])
  const { snapshot, memory, settings, now } = dead
  const scene = { cluster: snapshot.cluster, servers: snapshot.servers, memory, settings, now }
  if (!judgeFailover(dead).wouldFailOver) throw new Error('the situation is no failover')

  const cpu = await takeTurns(ROUNDS, {
    judgement: timesOf(() => judgeCluster(scene)),
    verdict: timesOf(() => judgeFailover(dead)),
    plan: timesOf(() => planFailover(dead)),
  })
  const row = (name: string, figures: readonly number[]) => judgeRow({ name, value: least(figures), unit: 'CPU us' })
  return [
    row('judgement of three servers: snapshot, verdict and findings', cpu.judgement),
    row('failover verdict with every rule', cpu.verdict),
    row('failover verdict and plan', cpu.plan),
  ]
}

/** Processor time of one call, microseconds. */
const timesOf = (work: () => unknown) => async (): Promise<number> => {
  const spent = await cpuOf(() => {
    for (let count = 0; count < REPEATS; count += 1) work()
  })
  return (spent * 1_000) / REPEATS
}
