// What a host thread answers of all its clusters together: their samples, for scrapes and for carbon.
import type { InstanceFigures, Selection, SliceBatch } from '../../lib/metrics/index.js'

export type ExpositionProtocol = {
  /** Collects the samples of the clusters that this thread has, for the batches of a scrape. */
  'open-scrape': { in: { scrape: number; clusters: readonly string[]; selection: Selection }; out: void }
  /** The next batch; undefined behind the last one and for a scrape that is not open. */
  'next-batch': { in: { scrape: number }; out: SliceBatch | undefined }
  /** Forgets a scrape before its last batch. */
  'close-scrape': { in: { scrape: number }; out: void }
  /** Figures of a cluster's database servers; undefined for a cluster of another thread. */
  figures: { in: { cluster: string }; out: readonly InstanceFigures[] | undefined }
}
