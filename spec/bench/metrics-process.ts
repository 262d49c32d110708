// A scrape of a large fleet in a process of its own: the real gateway before frames of canned servers, or prom-client.
import { once } from 'node:events'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { Worker } from 'node:worker_threads'
import { Gauge, Registry } from 'prom-client'
import { routes } from '../../http/api/index.js'
import { startGateway } from '../../http/gateway/index.js'
import { unwrap } from '../../lib/base/result.js'
import { secret } from '../../lib/base/secret.js'
import { stitch } from '../../lib/metrics/index.js'
import { FakeFace } from '../support/http/fake-face.js'
import { openTokens } from '../support/http/test-gateway.js'
import { answer } from './child.js'
import { type CannedFleet, figureOf, type Look, named } from './metrics-frames.js'

const loop = monitorEventLoopDelay({ resolution: 1 })
let registry: Registry | undefined

/** What a scrape finds; all its figures are other ones each time. */
let frames: readonly Buffer[] = []
let looks = 0
let maker: Worker | undefined

export const metricsAnswers = {
  /** Starts the gateway before the fleet; its plain port. */
  async start(fleet: CannedFleet): Promise<number> {
    await metricsAnswers.change(fleet)
    const face = new FakeFace()
    async function* published(): AsyncGenerator<Buffer> {
      for (const frame of frames) yield await Promise.resolve(frame)
    }
    face.packsMetrics = true
    face.metricPieces = (form) => stitch(published(), { own: 'manager_up 1\n', form })
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
        log: () => undefined,
      }),
    )
    loop.enable()
    return gateway.httpPort ?? 0
  },

  /** Every figure of the fleet becomes another one, as after a look at every server. */
  async change(fleet: CannedFleet): Promise<void> {
    maker ??= new Worker(new URL('./metrics-frames.js', import.meta.url))
    looks += 1
    maker.postMessage({ fleet, number: looks } satisfies Look)
    const [made] = (await once(maker, 'message')) as [Uint8Array<ArrayBuffer>[]]
    frames = made.map(({ buffer }) => Buffer.from(buffer))
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
