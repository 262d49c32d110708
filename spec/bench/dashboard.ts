// The page of the fleet in a browser: how soon it is painted with a slow processor, what changes cost it, whether it grows.
import type { CDPSession } from 'playwright-core'
import { SECOND, sleep } from '../../lib/base/time.js'
import type { FleetDelta } from '../../lib/model/fleet/row.js'
import { openBrowser, openPage } from '../support/browser/chromium.js'
import { type PageServer, servePage } from '../support/browser/page-server.js'
import { fleetRowOf } from '../support/http/fleet-rows.js'
import { median } from './measure.js'
import { atMost, type BenchRow, judgeRow } from './row.js'

const CLUSTERS = 1_000
const CHANGES_A_SECOND = 1_000
/** As the manager flushes those of a busy fleet. */
const FLUSH_MS = 200
const WATCH_MS = 20 * SECOND
const ROUNDS = 5
/** Seconds of changes between two collections, for what the heap grows by. */
const GROW_MS = 30 * SECOND

const rows = Array.from({ length: CLUSTERS }, (_none, index) =>
  fleetRowOf(`cluster-${index}`, { wps: index, tags: ['prod'], ...(index < 12 ? { state: 'degraded', lag: 7 } : {}) }),
)

export async function benchDashboard(): Promise<readonly BenchRow[]> {
  const browser = await openBrowser()
  const server = await servePage(rows)
  try {
    const paints: Paint[] = []
    for (let round = 0; round < ROUNDS; round += 1) paints.push(await paint())
    const changes = await watchChanges()
    const what = `the page of ${CLUSTERS} clusters`
    const busy = `${what}, ${CHANGES_A_SECOND} changes a second`
    return [
      judgeRow({
        name: `${what}, processor slowed 4 times: processor until it is drawn`,
        value: median(paints.map(({ cpuMs }) => cpuMs)),
        unit: 'CPU ms',
        target: atMost(1_500),
      }),
      judgeRow({
        name: `${what}: first contentful paint`,
        value: median(paints.map(({ firstMs }) => firstMs)),
        unit: 'ms',
      }),
      judgeRow({
        name: `${what}: all of it is drawn`,
        value: median(paints.map(({ drawnMs }) => drawnMs)),
        unit: 'ms',
      }),
      judgeRow({
        name: `${what}: on the wire`,
        value: median(paints.map(({ kB }) => kB)),
        unit: 'kB',
        target: atMost(110),
      }),
      judgeRow({ name: `${busy}: scripts`, value: changes.script, unit: '% of a core', target: atMost(3) }),
      judgeRow({ name: `${busy}: the whole main thread`, value: changes.task, unit: '% of a core' }),
      judgeRow({ name: `${busy}: longest task`, value: changes.longestMs, unit: 'CPU ms', target: atMost(50) }),
      judgeRow({ name: `${busy}: nodes`, value: changes.nodes, unit: '', target: atMost(1_500) }),
      judgeRow({ name: `${busy}: heap`, value: changes.heapMB, unit: 'MB', target: atMost(40) }),
      judgeRow({
        name: `${busy}: growth of it by ${GROW_MS / SECOND},000 more changes`,
        value: changes.growth,
        unit: '%',
        target: atMost(5),
      }),
    ]
  } finally {
    await browser.close()
    await server.close()
  }

  async function paint(): Promise<Paint> {
    const { page } = await openPage(browser)
    const session = await page.context().newCDPSession(page)
    await session.send('Performance.enable', { timeDomain: 'threadTicks' })
    await session.send('Network.enable')
    await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWED })
    let bytes = 0
    // Of the stream, which does not end, and of everything else, without heads.
    session.on('Network.dataReceived', ({ encodedDataLength }) => {
      bytes += encodedDataLength
    })
    await page.goto(server.url)
    await page.locator('.tile').nth(20).waitFor()
    const { TaskDuration = Number.NaN } = await metricsOf(session)
    const [firstMs, drawnMs] = (await page.evaluate(
      "[performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN, performance.now()]",
    )) as [number, number]
    await page.context().close()
    return { cpuMs: TaskDuration * SECOND, firstMs, drawnMs, kB: bytes / 1_000 }
  }

  async function watchChanges() {
    const { page } = await openPage(browser)
    const session = await page.context().newCDPSession(page)
    await session.send('Performance.enable', { timeDomain: 'threadTicks' })
    await page.goto(server.url)
    await page.locator('.tile').nth(20).waitFor()
    const stop = keepChanging(server)
    try {
      await sleep(5 * SECOND)
      const before = await metricsOf(session)
      const trace = await longestTaskOf(session, () => sleep(WATCH_MS))
      const after = await metricsOf(session)
      const share = (name: string) => (((after[name] ?? 0) - (before[name] ?? 0)) / (WATCH_MS / SECOND)) * 100
      const heap = await heapOf(session)
      await sleep(GROW_MS)
      const later = await heapOf(session)
      return {
        ...{ script: share('ScriptDuration'), task: share('TaskDuration'), longestMs: trace },
        ...{ nodes: await nodesOf(), heapMB: later / 1_048_576, growth: (later / heap - 1) * 100 },
      }
    } finally {
      stop()
      await page.context().close()
    }

    async function nodesOf(): Promise<number> {
      return Number(
        await page.evaluate(
          '(() => { let count = 0; const walk = document.createTreeWalker(document); while (walk.nextNode()) count++; return count })()',
        ),
      )
    }
  }
}

const SLOWED = 4

interface Paint {
  /** Of the main thread. */
  readonly cpuMs: number
  readonly firstMs: number
  readonly drawnMs: number
  readonly kB: number
}

async function metricsOf(session: CDPSession): Promise<Readonly<Record<string, number>>> {
  const { metrics } = await session.send('Performance.getMetrics')
  return Object.fromEntries(metrics.map(({ name, value }) => [name, value]))
}

/** Bytes in use after a collection. */
async function heapOf(session: CDPSession): Promise<number> {
  await session.send('HeapProfiler.collectGarbage')
  const { usedSize } = await session.send('Runtime.getHeapUsage')
  return usedSize
}

/** Processor time of the longest task of the main thread meanwhile, milliseconds: a busy machine makes none longer. */
async function longestTaskOf(session: CDPSession, work: () => Promise<unknown>): Promise<number> {
  let longest = 0
  session.on('Tracing.dataCollected', ({ value }) => {
    for (const { name, tdur } of value as unknown as readonly { readonly name?: string; readonly tdur?: number }[])
      if (name === 'RunTask' || name === 'ThreadControllerImpl::RunTask')
        longest = Math.max(longest, (tdur ?? 0) / 1_000)
  })
  const ended = new Promise<void>((resolve) => session.once('Tracing.tracingComplete', () => resolve()))
  await session.send('Tracing.start', { categories: 'devtools.timeline,toplevel', transferMode: 'ReportEvents' })
  await work()
  await session.send('Tracing.end')
  await ended
  return longest
}

/** Writes of clusters in turn; now and then one is degraded or healthy again, which moves it. */
function keepChanging(server: PageServer): () => void {
  let at = 0
  let due = 0
  let before = performance.now()
  const timer = setInterval(() => {
    const now = performance.now()
    due += ((now - before) / SECOND) * CHANGES_A_SECOND
    before = now
    const deltas: FleetDelta[] = []
    for (; due >= 1; due -= 1) {
      const index = at++ % CLUSTERS
      const isMoved = at % 200 === 0
      const k = isMoved ? { state: at % 400 === 0 ? 'healthy' : 'degraded', lag: at % 9 } : { wps: (at * 37) % 9_000 }
      deltas.push({ c: `cluster-${index}`, k: k as FleetDelta['k'] })
    }
    server.send(deltas)
  }, FLUSH_MS)
  return () => clearInterval(timer)
}
