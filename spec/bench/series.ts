// The series of a thousand clusters of three servers: memory of what is not on disk yet, and the processor time of readings.

import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { SeriesWatch } from '../../actors/cluster/watching/series.js'
import { MINUTE, now, SECOND, sleep } from '../../lib/base/time.js'
import { named } from '../../lib/model/server/named.js'
import { slowReading } from '../support/http/view-input.js'
import { newDirectory } from '../support/machine/directories.js'
import { primary, replica, situation } from '../support/simulator/situation.js'
import { atMost, type BenchRow, judgeRow } from './row.js'

const CLUSTERS = 1_000
const SERVERS = 3
/** As in a fleet of this size. */
const PACE_MS = MINUTE
const ROUNDS = 8

export async function benchSeries(): Promise<readonly BenchRow[]> {
  const { snapshot, memory, settings } = situation([primary(), replica(2), replica(3)])
  const start = now() - ROUNDS * PACE_MS
  const directory = newDirectory('series')
  const before = await held()
  const watches = Array.from({ length: CLUSTERS }, (_, index) => {
    const state = { snapshot, memory, settings, ready: true }
    return new SeriesWatch({ init: { directory: `${directory}/c${index}` }, state, tell: () => {} } as never)
  })
  const began = process.cpuUsage()
  for (let round = 0; round < ROUNDS; round += 1)
    for (const watch of watches) {
      for (const { id } of snapshot.servers) {
        const at = start + round * PACE_MS
        watch.noteStatus(slowReading(id, { at, status: statusOf(round) }))
        for (let probe = 0; probe < PACE_MS / (2 * SECOND); probe += 1)
          watch.noteProbe({ server: id, at: at + probe * 2 * SECOND, tookMs: 1, observation: 'answered' } as never)
      }
      watch.tick()
    }
  await Promise.all(watches.map((watch) => watch.written()))
  const { user, system } = process.cpuUsage(began)
  const after = await held()
  const what = `series of ${CLUSTERS} clusters of ${SERVERS}`
  const minutes = ROUNDS * (PACE_MS / MINUTE)
  const rows = [
    judgeRow({ name: `${what}: memory`, value: (after - before) / 1e6, unit: 'MB', target: atMost(20) }),
    judgeRow({
      name: `${what}: the same a server`,
      value: (after - before) / (CLUSTERS * SERVERS) / 1e3,
      unit: 'kB',
    }),
    judgeRow({
      name: `${what}: processor`,
      value: ((user + system) / 1e6 / (minutes * 60)) * 100,
      unit: '% of a core',
    }),
  ]
  await Promise.all(watches.map((watch) => watch.close()))
  return rows
}

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

const lists = new Map<number, ReturnType<typeof named>>()

/** Servers share names and equal values, as probes make them do. */
function statusOf(round: number): ReturnType<typeof named> {
  const found =
    lists.get(round) ?? named({ questions: `${round * 600}`, threads_running: '3', uptime: `${1_000 + round * 60}` })
  lists.set(round, found)
  return found
}

/** Bytes of objects and buffers after a collection. */
async function held(): Promise<number> {
  for (let count = 0; count < 3; count += 1) {
    collect()
    await sleep(100)
  }
  const { heapUsed, arrayBuffers, external } = process.memoryUsage()
  return heapUsed + Math.max(arrayBuffers, external)
}
