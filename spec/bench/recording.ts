// What the flight recorder costs: the same messages of a cluster of three with and without it, at rest and during a failover.
import { readdirSync, statSync } from 'node:fs'
import path from 'node:path'
import { newDirectory } from '../support/machine/directories.js'
import { World } from '../support/simulator/cluster.js'
import { RecordedManager } from '../support/simulator/recorded.js'
import { cpuOf, least, takeTurns } from './measure.js'
import { atMostTimes, type BenchRow, judgeRow } from './row.js'

const ROUNDS = 5
const TICKS = 400
/** As the default of `monitoring-ticker`, and as probes follow each other while a primary does not answer. */
const [REST_MS, ALARM_MS] = [2_000, 100]
/** Ticks between two writes of the recorder. */
const PER_WRITE = 5

interface Run {
  readonly manager: RecordedManager
  readonly directory: string
}

export async function benchRecording(): Promise<readonly BenchRow[]> {
  const cpu = await takeTurns(ROUNDS, {
    without: () => perMessage(started(false), REST_MS),
    recorded: () => perMessage(started(true), REST_MS),
  })
  const rest = started(true)
  await perMessage(rest, REST_MS)
  const alarm = started(true)
  alarm.manager.world.kill(1)
  await perMessage(alarm, ALARM_MS)
  return [
    judgeRow({
      ...{ name: 'a message of three servers with the flight recorder', unit: 'CPU us' },
      ...{ value: least(cpu.recorded), floor: least(cpu.without), target: atMostTimes(1.5) },
    }),
    judgeRow({ name: 'recording of three servers at rest', value: rate(rest, REST_MS), unit: 'bytes/s' }),
    judgeRow({ name: 'recording of three servers during a failover', value: rate(alarm, ALARM_MS), unit: 'bytes/s' }),
  ]
}

function started(isRecorded: boolean): Run {
  const directory = newDirectory('recording')
  const manager = new RecordedManager(new World({ servers: 3, semiSync: true }), directory)
  manager.record(isRecorded)
  manager.begin()
  manager.ticks(5)
  return { manager, directory }
}

/** Processor time of one message, microseconds. */
async function perMessage({ manager }: Run, tickMs: number): Promise<number> {
  const before = manager.originals.length
  const spent = await cpuOf(async () => {
    for (let tick = 0; tick < TICKS; tick += 1) {
      manager.world.write(manager.world.writable()[0] ?? 1)
      manager.tick(tickMs)
      if (tick % PER_WRITE === 0) await manager.recorder.flush()
    }
    await manager.recorder.flush()
  })
  return (spent * 1_000) / (manager.originals.length - before)
}

/** Bytes on disk as they are written, before parts are packed, by the time of the world. */
function rate({ directory }: Run, tickMs: number): number {
  const folder = path.join(directory, 'recording')
  const bytes = readdirSync(folder).reduce((sum, name) => sum + statSync(path.join(folder, name)).size, 0)
  return (bytes * 1_000) / (TICKS * tickMs)
}
