// A scrape of a million samples, packed for the wire, against prom-client that renders as many.
import { get } from 'node:http'
import { startChild } from './child.js'
import { least, takeTurns } from './measure.js'
import type { CannedFleet, metricsAnswers } from './metrics-process.js'
import { atMost, atMostTimes, type BenchRow, judgeRow } from './row.js'

const ROUNDS = 3
const FLEET: CannedFleet = { clusters: 2_500, servers: 4, families: 100 }
const what = `scrape of ${((FLEET.clusters * FLEET.servers * FLEET.families) / 1e6).toFixed(0)} million samples`
const program = new URL('./metrics-process.js', import.meta.url)

export async function benchMetrics(): Promise<readonly BenchRow[]> {
  const gateway = await startChild<typeof metricsAnswers>(program)
  const library = await startChild<typeof metricsAnswers>(program)
  try {
    const port = await gateway.ask('start', FLEET)
    await library.ask('fill', FLEET)
    await scrape(port)
    await gateway.ask('stall', undefined)
    const firstBytes: number[] = []
    const stalls: number[] = []
    const cpu = await takeTurns(ROUNDS, {
      library: () => library.cpuOf(() => library.ask('render', undefined)),
      own: () =>
        gateway.cpuOf(async () => {
          firstBytes.push(await scrape(port))
          stalls.push(await gateway.ask('stall', undefined))
        }),
    })
    const [value, floor] = [least(cpu.own), least(cpu.library)]
    return [
      judgeRow({ name: `${what}, gzip`, value, unit: 'CPU ms', floor, target: atMostTimes(0.1) }),
      judgeRow({ name: `${what}: first byte`, value: least(firstBytes), unit: 'ms', target: atMost(50) }),
      judgeRow({ name: `${what}: longest stall`, value: least(stalls), unit: 'ms', target: atMost(30) }),
    ]
  } finally {
    await Promise.all([gateway.end(), library.end()])
  }
}

/** Reads all of it; milliseconds to the first byte of the packed text. */
function scrape(port: number): Promise<number> {
  const startedAt = performance.now()
  return new Promise((resolve, reject) => {
    const headers = { 'Accept-Encoding': 'gzip' }
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
