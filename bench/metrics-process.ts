// A scrape of a large fleet in a process of its own: the real gateway before frames of canned servers, or prom-client.
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { Gauge, Registry } from 'prom-client'
import { routes } from '../http/api/index.js'
import { startGateway } from '../http/gateway/index.js'
import { unwrap } from '../lib/base/result.js'
import { secret } from '../lib/base/secret.js'
import { openFrame } from '../lib/metrics/frames.js'
import { stitch } from '../lib/metrics/index.js'
import { FakeFace } from '../spec/support/fake-face.js'
import { openTokens } from '../spec/support/test-gateway.js'
import { answer } from './child.js'

export interface CannedFleet {
  readonly clusters: number
  readonly servers: number
  /** Families of each server. */
  readonly families: number
}

const loop = monitorEventLoopDelay({ resolution: 1 })
let registry: Registry | undefined

const named = (family: number): string => `mysql_global_status_canned_${family}`
const figureOf = (cluster: number, server: number, family: number): number => cluster * 1_009 + server * 31 + family

/** What a scrape finds; all its figures are other ones each time. */
let frames: readonly Buffer[] = []
let scrapes = 0

/** The packed samples of a cluster, as its actor keeps them. */
function frameOf(cluster: number, { servers, families }: CannedFleet): Buffer {
  const frame = openFrame()
  for (let server = 0; server < servers; server += 1) {
    const labels = { instance: `db${server}`, cluster: `c${cluster}` }
    for (let family = 0; family < families; family += 1)
      frame.add(named(family), { labels, value: figureOf(cluster, server, family) + scrapes * 7 })
  }
  return frame.encode()
}

export const metricsAnswers = {
  /** Starts the gateway before the fleet; its plain port. */
  async start(fleet: CannedFleet): Promise<number> {
    metricsAnswers.change(fleet)
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
  change(fleet: CannedFleet): void {
    scrapes += 1
    frames = Array.from({ length: fleet.clusters }, (_, cluster) => frameOf(cluster, fleet))
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
