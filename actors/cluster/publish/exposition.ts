// The samples of all clusters of this thread: collected when a scrape begins, rendered a batch at a time.
import { AsyncResource } from 'node:async_hooks'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { instanceFigures } from '../../../lib/metrics/carbon.js'
import { type ClusterSamples, collectSamples, type SampleInput } from '../../../lib/metrics/samples.js'
import { renderSlices, type SliceBatch } from '../../../lib/metrics/slices.js'
import type { ActorContext } from '../../protocol/actor.js'
import type { ThreadReads } from '../../protocol/envelope.js'
import type { ExpositionProtocol } from '../../protocol/exposition.js'

interface Exposed {
  readonly input: () => SampleInput
  /** Throws in the name of the actor, which is restarted; the others are not concerned. */
  readonly blame: (error: unknown) => void
}

/** Clusters whose samples are collected before other work of the thread gets its turn. */
const CLUSTERS_A_TURN = 50

const exposed = new Map<string, Exposed>()
const scrapes = new Map<number, Generator<SliceBatch, undefined>>()

/** Offers the samples of a cluster until its actor ends. Called by the actor. */
export function expose({ id, signal }: Pick<ActorContext, 'id' | 'signal'>, input: () => SampleInput): void {
  const blame = AsyncResource.bind((error: unknown) =>
    queueMicrotask(() => {
      throw error
    }),
  )
  const own: Exposed = { input, blame }
  exposed.set(id, own)
  signal.addEventListener('abort', () => {
    if (exposed.get(id) === own) exposed.delete(id)
  })
}

export const expositionReads: ThreadReads<ExpositionProtocol> = {
  'open-scrape': async ({ scrape, clusters, selection }) => {
    const collected: { place: number; samples: ClusterSamples }[] = []
    for (const [place, cluster] of clusters.entries()) {
      const samples = samplesOf(cluster)
      if (!samples) continue
      collected.push({ place, samples })
      if (collected.length % CLUSTERS_A_TURN === 0) await nextTurn()
    }
    scrapes.set(scrape, renderSlices(collected, selection))
  },
  'next-batch': ({ scrape }) => {
    const batch = scrapes.get(scrape)?.next().value
    if (!batch) scrapes.delete(scrape)
    return batch
  },
  'close-scrape': ({ scrape }) => {
    scrapes.delete(scrape)
  },
  figures: ({ cluster }) => {
    const samples = samplesOf(cluster)
    return samples && instanceFigures(samples)
  },
}

function samplesOf(cluster: string): ClusterSamples | undefined {
  const source = exposed.get(cluster)
  try {
    return source && collectSamples(source.input())
  } catch (error) {
    source?.blame(error)
    return undefined
  }
}
