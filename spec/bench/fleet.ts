// A thousand idle clusters of three servers: memory over a manager of one cluster a thread, lateness of probes, processor time.
import { availableParallelism } from 'node:os'
import { healthyInterval } from '../../actors/cluster/watch/schedule.js'
import { SECOND, sleep } from '../../lib/base/time.js'
import { defaultSettings } from '../../lib/settings/index.js'
import { type Fleet, startFleet } from '../support/canned/fleet.js'
import { ManagerProcess, type ManagerRequest } from '../support/manager/manager-process.js'
import { cpuOfProcess, quantile, residentOf, threadsOf } from './measure.js'
import { atMost, type BenchRow, judgeRow } from './row.js'

export const CLUSTERS = 1_000
export const REPLICAS = 2
export const START_LIMIT_MS = 90 * SECOND
/** Long enough for every server's first slow probe, which the pace of a large fleet spreads over a minute. */
export const SETTLE_MS = 35 * SECOND
/** An idle fleet builds no archives: their threads end when all are built and their trees written. */
const ARCHIVES_MS = 300 * SECOND
/** What was freed is given back within seconds: memory has settled when it falls by less than this between two probes. */
const SETTLED_MB = 1
const SETTLED_MS = 5 * SECOND
const SETTLED_LIMIT_MS = 60 * SECOND
const WATCH_MS = 15 * SECOND

export async function benchFleet(): Promise<readonly BenchRow[]> {
  const fleet = await startFleet({ clusters: CLUSTERS, replicas: REPLICAS })
  try {
    const few = await measureManager({ clusters: firstOf(watchAll(fleet)) }, async ({ manager, memory }) => {
      // Its archives are built, and their thread has ended.
      await sleep(SETTLE_MS)
      return { memory: await memory(), threads: threadsOf(manager.pid) }
    })
    return await measureManager({ clusters: watchAll(fleet) }, async (running) => {
      await sleep(SETTLE_MS)
      await untilThreads(running.manager, few.threads)
      const builtMs = running.aliveFor()
      await untilSettled(running.manager)
      const threads = threadsOf(running.manager.pid) - few.threads
      const { lateness, perProbe, share } = await watch(fleet, running.manager)
      const before = residentOf(running.manager.pid)
      const memory = await running.memory()
      const what = `${CLUSTERS} idle clusters of ${REPLICAS + 1}`
      return [
        judgeRow({
          name: `${what}: memory over one cluster a thread`,
          value: memory - few.memory,
          unit: 'MB',
          target: atMost(150),
        }),
        judgeRow({ name: `${what}: the same before a collection`, value: before - few.memory, unit: 'MB' }),
        judgeRow({
          name: `${what}: threads beyond those of one cluster a thread`,
          value: threads,
          unit: '',
          target: atMost(0),
        }),
        judgeRow({ name: `${what}: lateness of a probe, p99`, value: quantile(lateness, 0.99), unit: 'ms' }),
        judgeRow({ name: `${what}: lateness of a probe, median`, value: quantile(lateness, 0.5), unit: 'ms' }),
        judgeRow({ name: `${what}: processor`, value: share * 100, unit: '% of a core' }),
        judgeRow({ name: `${what}: a probe and its judgement`, value: perProbe, unit: 'CPU us' }),
        judgeRow({ name: `${what}: actors that failed`, value: crashes(running.manager), unit: '', target: atMost(0) }),
        judgeRow({ name: `${what}: until all are known`, value: running.startedMs / SECOND, unit: 's' }),
        judgeRow({ name: `${what}: until archives and trees are written`, value: builtMs / SECOND, unit: 's' }),
      ]
    })
  } finally {
    await fleet.teardown()
  }
}

/** One cluster for each host thread: a thread starts with its first cluster. */
const firstOf = (clusters: ManagerRequest['clusters']): ManagerRequest['clusters'] =>
  Object.fromEntries(Object.entries(clusters).slice(0, Math.min(4, availableParallelism())))

async function untilThreads(manager: ManagerProcess, threads: number): Promise<void> {
  const until = performance.now() + ARCHIVES_MS
  while (threadsOf(manager.pid) > threads && performance.now() < until) await sleep(SECOND)
}

async function untilSettled({ pid }: ManagerProcess): Promise<void> {
  const until = performance.now() + SETTLED_LIMIT_MS
  for (let before = Number.POSITIVE_INFINITY; performance.now() < until; await sleep(SETTLED_MS)) {
    const held = residentOf(pid)
    if (before - held < SETTLED_MB) return
    before = held
  }
}

/** Their tags are chosen, so that nothing is discovered while something is measured. */
export const watchAll = (
  { clusters }: Fleet,
  tags = 'semisync,row,innodb,noquerycache,threadpool,slow,pfs,docker,linux,readonly',
): ManagerRequest['clusters'] =>
  Object.fromEntries(
    clusters.map((servers, index) => [
      `c${index + 1}`,
      {
        'db-servers-hosts': servers.map(({ host, port }) => `${host}:${port}`).join(','),
        'db-servers-credential': 'monitor:monitor',
        'replication-credential': 'repl:repl',
        'prov-db-tags': tags,
      },
    ]),
  )

/** Anybody that was restarted on the way spoils every other figure. */
const crashes = (manager: ManagerProcess): number => manager.log().split('actor-crashed').length - 1

interface Running {
  readonly manager: ManagerProcess
  readonly startedMs: number
  /** Milliseconds since its start. */
  aliveFor(): number
  /** Resident megabytes of the whole process: heaps, buffers and code of all threads, after a collection in each. */
  memory(): Promise<number>
}

/** Starts a manager whose garbage can be collected from outside, and ends it when the work is done. */
async function measureManager<T>(request: ManagerRequest, work: (running: Running) => Promise<T>): Promise<T> {
  const manager = await ManagerProcess.create(request)
  const options = process.env.NODE_OPTIONS ?? ''
  try {
    const startedAt = performance.now()
    process.env.NODE_OPTIONS = `${options} --import=${new URL('./collect.js', import.meta.url).href}`
    manager.start()
    process.env.NODE_OPTIONS = options
    await manager.alive(START_LIMIT_MS)
    const memory = async () => {
      for (let count = 0; count < 3; count += 1) {
        manager.signal('SIGUSR2')
        await sleep(SECOND)
      }
      await untilSettled(manager)
      return residentOf(manager.pid)
    }
    const aliveFor = () => performance.now() - startedAt
    return await work({ manager, startedMs: aliveFor(), aliveFor, memory })
  } finally {
    await manager.destroy()
  }
}

/** The pause that is meant to be between two probes at a healthy server of this fleet, milliseconds. */
export const pauseOfLooks = (): number =>
  healthyInterval({
    watched: (CLUSTERS * (REPLICAS + 1)) / Math.min(4, availableParallelism()),
    tickerMs: defaultSettings()['monitoring-ticker'] * SECOND,
  })

/** Lateness is the time between two probes beyond the pause that is meant to be between them. */
async function watch(fleet: Fleet, { pid }: ManagerProcess) {
  const pause = pauseOfLooks()
  await fleet.takeGaps()
  const cpuBefore = cpuOfProcess(pid)
  await sleep(WATCH_MS)
  const spent = cpuOfProcess(pid) - cpuBefore
  const gaps = await fleet.takeGaps()
  if (gaps.length === 0) throw new Error('the manager probes no server')
  return { lateness: gaps.map((gap) => gap - pause), perProbe: (spent * 1_000) / gaps.length, share: spent / WATCH_MS }
}
