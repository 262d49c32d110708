// A scrape of a large fleet in a process of its own: the real gateway before host threads of canned servers, or prom-client.
import { once } from 'node:events'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { Worker } from 'node:worker_threads'
import { Gauge, Registry } from 'prom-client'
import { routes } from '../../http/api/index.js'
import { startGateway } from '../../http/gateway/index.js'
import { unwrap } from '../../lib/base/result.js'
import { secret } from '../../lib/base/secret.js'
import { HOUR } from '../../lib/base/time.js'
import { type SliceBatch, stitch } from '../../lib/metrics/index.js'
import { FakeFace } from '../support/http/fake-face.js'
import { openBrowsers, openTokens } from '../support/http/test-gateway.js'
import { answer } from './child.js'
import { type CannedFleet, figureOf, named, type ToBenchHost } from './metrics-host.js'

const loop = monitorEventLoopDelay({ resolution: 1 })
let registry: Registry | undefined

/** As many as host threads on a machine with two processors. */
const HOSTS = 2
let hosts: readonly Worker[] = []
let rounds = 0

async function ask(host: Worker, order: ToBenchHost): Promise<SliceBatch | undefined> {
  host.postMessage(order)
  const [answer] = (await once(host, 'message')) as [SliceBatch | undefined]
  return answer
}

/** One batch ahead, as the manager reads its host threads. */
async function* batchesOf(host: Worker): AsyncGenerator<SliceBatch, undefined> {
  await ask(host, { kind: 'open' })
  for (let coming = ask(host, { kind: 'next' }); ; ) {
    const batch = await coming
    if (!batch) return
    coming = ask(host, { kind: 'next' })
    yield batch
  }
}

export const metricsAnswers = {
  /** Starts the gateway before the fleet; its plain port. */
  async start(fleet: CannedFleet): Promise<number> {
    await metricsAnswers.change(fleet)
    const face = new FakeFace()
    face.packsMetrics = true
    face.metricPieces = (form) => stitch(hosts.map(batchesOf), { own: 'manager_up 1\n', form })
    const gateway = unwrap(
      await startGateway({
        manager: face,
        routes,
        openapi: () => ({}),
        http: { host: '127.0.0.1', port: 0 },
        httpsBind: false,
        access: { credentials: secret(''), allow: '', discard: '' },
        tokenHours: 1,
        userTokens: false,
        tokenDays: 1,
        visitors: {},
        tokens: await openTokens(),
        ...(await openBrowsers()),
        ...{ sessionMs: HOUR, refreshMs: 4_000, staticMaxAge: 0 },
        page: { root: '' },
        log: () => undefined,
      }),
    )
    loop.enable()
    return gateway.httpPort ?? 0
  },

  /** Every figure of the fleet becomes another one, as after a poll of every server. */
  async change(fleet: CannedFleet): Promise<void> {
    if (hosts.length === 0)
      hosts = Array.from({ length: HOSTS }, () => new Worker(new URL('./metrics-host.js', import.meta.url)))
    rounds += 1
    const order = { kind: 'poll', fleet, round: rounds, step: HOSTS } as const
    await Promise.all(hosts.map((host, first) => ask(host, { ...order, first })))
  },

  /** The longest time that the main thread did nothing else, milliseconds, since this was last asked. */
  stall(): number {
    const longest = loop.max / 1e6
    loop.reset()
    return longest
  },

  /** Keeps the same samples in prom-client. */
  fill({ clusters, servers, families }: CannedFleet): void {
    registry = new Registry()
    for (let family = 0; family < families; family += 1) {
      const gauge = new Gauge({
        ...{ name: named(family), help: 'Canned.', labelNames: ['instance', 'cluster'], registers: [registry] },
      })
      for (let cluster = 0; cluster < clusters; cluster += 1)
        for (let server = 0; server < servers; server += 1)
          gauge.set({ instance: `db${server}`, cluster: `c${cluster}` }, figureOf(cluster, server, family))
    }
  },

  /** Renders them; the length of the text. */
  async render(): Promise<number> {
    return (await registry?.metrics())?.length ?? 0
  },
}

answer(metricsAnswers)
