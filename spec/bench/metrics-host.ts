// A thread that renders the samples of canned servers, as a host thread does with those of its clusters.
import { parentPort } from 'node:worker_threads'
import { STATUS_PREFIX } from '../../lib/metrics/families.js'
import { type ClusterSamples, renderSlices } from '../../lib/metrics/index.js'
import { labelText } from '../../lib/metrics/labels.js'

export interface CannedFleet {
  readonly clusters: number
  readonly servers: number
  /** Families of each server. */
  readonly families: number
}

export type ToBenchHost =
  /** Every figure becomes another one, as after a poll of all servers; every `step`-th cluster from `first` is kept here. */
  | { readonly kind: 'poll'; readonly fleet: CannedFleet; readonly round: number; first: number; step: number }
  | { readonly kind: 'open' }
  | { readonly kind: 'next' }

export const named = (family: number): string => `${STATUS_PREFIX}canned_${family}`

export const figureOf = (cluster: number, server: number, family: number): number =>
  cluster * 1_009 + server * 31 + family

let clusters: { readonly place: number; readonly samples: ClusterSamples }[] = []
let batches = renderSlices([])

function poll({ fleet, round, first, step }: Extract<ToBenchHost, { kind: 'poll' }>): void {
  const places = new Map(Array.from({ length: fleet.families }, (_, family) => [named(family), family]))
  const none = { places: new Map<string, number>(), values: [] }
  clusters = []
  for (let place = first; place < fleet.clusters; place += step) {
    const servers = Array.from({ length: fleet.servers }, (_, server) => ({
      instance: `db${server}`,
      labels: Buffer.from(labelText({ instance: `db${server}`, cluster: `c${place}` })),
      status: {
        places,
        values: Array.from({ length: fleet.families }, (_, family) => `${figureOf(place, server, family) + round * 7}`),
      },
      variables: none,
    }))
    clusters.push({ place, samples: { known: new Map(), servers } })
  }
}

parentPort?.on('message', (order: ToBenchHost) => {
  if (order.kind === 'poll') poll(order)
  if (order.kind === 'open') batches = renderSlices(clusters)
  const batch = order.kind === 'next' ? batches.next().value : undefined
  parentPort?.postMessage(batch, batch ? [batch.text.buffer as ArrayBuffer] : [])
})
