// A scrape of a million samples, packed for the wire, against prom-client that renders as many.
import { get } from 'node:http'
import { startChild } from './child.js'
import { least, takeTurns } from './measure.js'
import type { CannedFleet } from './metrics-host.js'
import type { metricsAnswers } from './metrics-process.js'
import { atMost, atMostTimes, type BenchRow, judgeRow } from './row.js'

/** The compiler is done after a few: a manager is scraped every ten seconds for months. */
const ROUNDS = 6
const PLAIN_ROUNDS = 3
const FLEET: CannedFleet = { clusters: 2_500, servers: 4, families: 100 }
const what = `scrape of ${((FLEET.clusters * FLEET.servers * FLEET.families) / 1e6).toFixed(0)} million samples`
const program = new URL('./metrics-process.js', import.meta.url)

/**
 * All figures change between two scrapes: nothing may be gained from what was there before. What is measured
 * are all threads together: those of the clusters render, the thread pool packs, the main thread joins.
 */
export async function benchMetrics(): Promise<readonly BenchRow[]> {
  const gateway = await startChild<typeof metricsAnswers>(program)
  const library = await startChild<typeof metricsAnswers>(program)
  try {
    const port = await gateway.ask('start', FLEET)
    await library.ask('fill', FLEET)
    const render = () => library.cpuOf(() => library.ask('render', undefined))
    const [firstFloor, first] = [await render(), await gateway.cpuOf(() => scrape(port, 'gzip'))]
    const [firstBytes, stalls]: [number[], number[]] = [[], []]
    const packed = async () => {
      await gateway.ask('stall', undefined)
      firstBytes.push(await scrape(port, 'gzip'))
      stalls.push(await gateway.ask('stall', undefined))
    }
    const cpu = await takeTurns(ROUNDS, {
      library: render,
      change: () => gateway.ask('change', FLEET).then(() => 0),
      gzip: () => gateway.cpuOf(packed),
    })
    const { plain } = await takeTurns(PLAIN_ROUNDS, { plain: () => gateway.cpuOf(() => scrape(port, 'identity')) })
    const floor = least(cpu.library)
    const unit = 'CPU ms'
    return [
      judgeRow({ name: `${what}, gzip`, value: least(cpu.gzip), unit, floor, target: atMostTimes(0.2) }),
      judgeRow({ name: `${what}, gzip, the first of a process`, value: first, unit, floor: firstFloor }),
      judgeRow({ name: `${what}, plain`, value: least(plain), unit, floor }),
      judgeRow({ name: `${what}: first byte`, value: least(firstBytes), unit: 'ms', target: atMost(50) }),
      judgeRow({ name: `${what}: longest stall`, value: least(stalls), unit: 'ms', target: atMost(50) }),
    ]
  } finally {
    await Promise.all([gateway.end(), library.end()])
  }
}

/** Reads all of it; milliseconds to its first byte. */
function scrape(port: number, encoding: 'gzip' | 'identity'): Promise<number> {
  const startedAt = performance.now()
  return new Promise((resolve, reject) => {
    const headers = { 'Accept-Encoding': encoding }
    get({ host: '127.0.0.1', port, path: '/api/prometheus', headers, agent: false }, (response) => {
      let firstAt = 0
      response.on('data', () => {
        firstAt ||= performance.now()
      })
      response.on('end', () => resolve(firstAt - startedAt))
      response.on('error', reject)
    }).on('error', reject)
  })
}
