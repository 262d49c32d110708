// The exposition: samples of every cluster as rendered by the host threads, and those of the process.
import { packageVersion } from '../../../lib/base/package-root.js'
import { SECOND } from '../../../lib/base/time.js'
import {
  type ExpositionForm,
  type InstanceFigures,
  openProcessMetrics,
  type ScrapeRequest,
  type SelectionSettings,
  type SliceBatch,
  selectionOf,
  selectText,
  stitch,
} from '../../../lib/metrics/index.js'
import type { ThreadReader } from '../../protocol/envelope.js'
import type { ExpositionProtocol } from '../../protocol/exposition.js'
import type { ManagerFace } from '../../protocol/manager/face.js'
import type { Supervisor } from '../../supervisor/index.js'

export interface MetricsParts {
  readonly supervisor: Supervisor
  readonly face: () => ManagerFace
  /** The server's own settings. */
  readonly settings: () => SelectionSettings
  /** Events of the security log by their codes. */
  readonly securityEvents: ReadonlyMap<string, number>
}

export interface Metrics {
  /** Streams the exposition; each call is one scrape. */
  scrape(form: ExpositionForm, request: ScrapeRequest): AsyncIterable<Buffer>
  /** Figures of a cluster's database servers; undefined while its thread does not answer. */
  figures(cluster: string): Promise<readonly InstanceFigures[] | undefined>
  close(): void
}

/** A thread that does not answer within this time is left out of the rest of the scrape, milliseconds. */
const ANSWER_MS = 5 * SECOND

type Reader = ThreadReader<ExpositionProtocol>

export function openMetrics({ supervisor, face, settings, securityEvents }: MetricsParts): Metrics {
  const own = openProcessMetrics({
    version: packageVersion,
    clusters: () => ({ configured: face().clusters().length, quarantined: face().quarantined().size }),
    threads: () => supervisor.threads(),
    securityEvents,
  })
  let scrapes = 0

  async function* scrape(form: ExpositionForm, request: ScrapeRequest): AsyncGenerator<Buffer> {
    scrapes += 1
    const selection = selectionOf(settings(), request)
    const order = { scrape: scrapes, clusters: face().clusters(), selection }
    const readers: readonly Reader[] = supervisor.readers<ExpositionProtocol>()
    const sources = readers.map((reader) => batches(reader, order))
    yield* stitch(sources, { own: selectText(await own.text(), selection), form })
  }

  async function figures(cluster: string): Promise<readonly InstanceFigures[] | undefined> {
    const read = await supervisor.readerOf<ExpositionProtocol>(cluster)?.read('figures', { cluster }, ANSWER_MS)
    return read?.ok ? read.value : undefined
  }
  return { scrape, figures, close: () => own.close() }
}

/** The batches of a thread; the next one is rendered while one is joined. */
async function* batches(
  reader: Reader,
  order: ExpositionProtocol['open-scrape']['in'],
): AsyncGenerator<SliceBatch, undefined> {
  const { scrape } = order
  const opened = await reader.read('open-scrape', order, ANSWER_MS)
  if (!opened.ok) return
  const next = () => reader.read('next-batch', { scrape }, ANSWER_MS)
  try {
    for (let coming = next(); ; ) {
      const batch = await coming
      if (!batch.ok || !batch.value) return
      coming = next()
      yield batch.value
    }
  } finally {
    void reader.read('close-scrape', { scrape }, ANSWER_MS)
  }
}
