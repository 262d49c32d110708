// What open dashboards cost the manager, and what HTTP/2 costs it against HTTP/1.1: processor time of the real gateway.
import { once } from 'node:events'
import { Agent, get } from 'node:http'
import { connect } from 'node:http2'
import { get as getSecurely, Agent as SecureAgent } from 'node:https'
import { SECOND, sleep } from '../../lib/base/time.js'
import { type Child, startChild } from './child.js'
import type { gatewayAnswers, Started } from './gateway-process.js'
import { least, takeTurns } from './measure.js'
import { atMost, atMostTimes, type BenchRow, judgeRow } from './row.js'

const CLUSTERS = 1_000
const READERS = 50
const WATCH_MS = 10 * SECOND
/** Of a fleet that works: the writes a second of some clusters change all the time. */
const USUAL_CHANGES = 100
const MANY_CHANGES = 1_000
const REQUESTS = 1_000
const AT_ONCE = 20

type Gateway = Child<typeof gatewayAnswers>

export async function benchDashboards(): Promise<readonly BenchRow[]> {
  const gateway = await startChild<typeof gatewayAnswers>(new URL('./gateway-process.js', import.meta.url))
  try {
    const started = await gateway.ask('start', undefined)
    const rows: BenchRow[] = []
    for (const changes of [USUAL_CHANGES, MANY_CHANGES]) {
      await gateway.ask('fleet', { clusters: CLUSTERS, changes })
      await shareOf(gateway)
      const alone = await shareOf(gateway)
      const watch = async () => ({ share: await shareOf(gateway), held: await gateway.ask('held', undefined) })
      const one = await withReaders(started, 1, watch)
      const all = await withReaders(started, READERS, watch)
      const what = `${READERS} dashboards on ${CLUSTERS} clusters, ${changes} changes a second`
      const isUsual = changes === USUAL_CHANGES
      rows.push(
        judgeRow({
          name: what,
          value: all.share - alone,
          unit: '% of a core',
          floor: one.share - alone,
          ...(isUsual ? { target: atMost(3) } : {}),
        }),
        judgeRow({
          name: `${what}: memory of each`,
          value: (all.held - one.held) / (READERS - 1) / 1_000,
          unit: 'kB',
          ...(isUsual ? { target: atMost(200) } : {}),
        }),
      )
    }
    return [...rows, ...(await compareProtocols(gateway, started))]
  } finally {
    await gateway.end()
  }
}

/** Percent of a core that the gateway uses for a while. */
const shareOf = async (gateway: Gateway): Promise<number> => {
  const startedAt = performance.now()
  const spent = await gateway.cpuOf(() => sleep(WATCH_MS))
  return (spent / (performance.now() - startedAt)) * 100
}

async function withReaders<T>({ port, token }: Started, count: number, work: () => Promise<T>): Promise<T> {
  const agent = new Agent({ maxSockets: count })
  let heard = 0
  for (let index = 0; index < count; index += 1) {
    const request = get({ host: '127.0.0.1', port, path: '/api/fleet/events', agent, headers: bearer(token) })
    const [response] = await once(request, 'response')
    if (response.statusCode !== 200) throw new Error(`reader ${index} was answered ${response.statusCode}`)
    response.on('data', (piece: Buffer) => {
      heard += piece.length
    })
  }
  // The snapshots are not part of it.
  await sleep(2 * SECOND)
  heard = 0
  try {
    const result = await work()
    if (heard === 0) throw new Error('no reader heard anything')
    return result
  } finally {
    agent.destroy()
  }
}

async function compareProtocols(gateway: Gateway, { apiPort, token }: Started): Promise<readonly BenchRow[]> {
  const path = '/api/clusters/c1/topology/servers'
  const headers = bearer(token)
  const agent = new SecureAgent({ keepAlive: true, maxSockets: AT_ONCE, rejectUnauthorized: false })
  const session = connect(`https://127.0.0.1:${apiPort}`, { rejectUnauthorized: false })
  const overOne = () =>
    new Promise<number>((resolve, reject) => {
      getSecurely({ host: '127.0.0.1', port: apiPort, path, agent, headers }, (response) => {
        response.resume().once('end', () => resolve(response.statusCode ?? 0))
      }).once('error', reject)
    })
  const overTwo = () =>
    new Promise<number>((resolve, reject) => {
      const stream = session.request({ ':path': path, authorization: headers.Authorization })
      let status = 0
      stream.once('response', (answer) => {
        status = Number(answer[':status'])
      })
      stream.once('end', () => resolve(status)).once('error', reject)
      stream.resume()
    })
  const perRequest = (ask: () => Promise<number>) => async () =>
    ((await gateway.cpuOf(() => askMany(ask))) * 1_000) / REQUESTS
  try {
    await askMany(overOne)
    await askMany(overTwo)
    const cpu = await takeTurns(4, { one: perRequest(overOne), two: perRequest(overTwo) })
    return [
      judgeRow({
        name: 'a read of 5 KB over HTTP/2, against HTTP/1.1, both with TLS',
        value: least(cpu.two),
        unit: 'CPU us',
        floor: least(cpu.one),
        target: atMostTimes(1.5),
      }),
    ]
  } finally {
    agent.destroy()
    session.destroy()
  }
}

async function askMany(ask: () => Promise<number>): Promise<void> {
  let left = REQUESTS
  const work = async () => {
    while (left-- > 0) {
      const status = await ask()
      if (status !== 200) throw new Error(`answered ${status}`)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
}

const bearer = (token: string) => ({ Authorization: `Bearer ${token}` })
