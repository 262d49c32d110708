// A thread that makes the frames of canned servers, as the threads of clusters do: not where they are joined.
import { parentPort } from 'node:worker_threads'
import { openFrame } from '../../lib/metrics/frame-writer.js'

export interface CannedFleet {
  readonly clusters: number
  readonly servers: number
  /** Families of each server. */
  readonly families: number
}

/** A look at all servers: its number, from which every figure follows. */
export interface Look {
  readonly fleet: CannedFleet
  readonly number: number
}

export const named = (family: number): string => `mysql_global_status_canned_${family}`

export const figureOf = (cluster: number, server: number, family: number): number =>
  cluster * 1_009 + server * 31 + family

/** The packed samples of a cluster, as its actor keeps them. */
function frameOf(cluster: number, { fleet: { servers, families }, number }: Look): Uint8Array<ArrayBuffer> {
  const frame = openFrame()
  for (let server = 0; server < servers; server += 1) {
    const labels = { instance: `db${server}`, cluster: `c${cluster}` }
    for (let family = 0; family < families; family += 1)
      frame.add(named(family), { labels, value: figureOf(cluster, server, family) + number * 7 })
  }
  return new Uint8Array(frame.encode()) // memory of its own, which can be handed over
}

parentPort?.on('message', (look: Look) => {
  const frames = Array.from({ length: look.fleet.clusters }, (_, cluster) => frameOf(cluster, look))
  parentPort?.postMessage(
    frames,
    frames.map(({ buffer }) => buffer),
  )
})
