// The exposition: samples of every cluster as their actors render them, and the process's own.

import { packageVersion } from '../../../lib/base/package-root.js'
import { type ExpositionForm, openProcessMetrics, stitch } from '../../../lib/metrics/index.js'
import type { ManagerFace } from '../../protocol/manager/face.js'
import type { Supervisor } from '../../supervisor/index.js'

export interface MetricsParts {
  readonly supervisor: Supervisor
  readonly face: () => ManagerFace
  /** Events of the security log by their codes. */
  readonly securityEvents: ReadonlyMap<string, number>
}

export interface Metrics {
  /** Streams the exposition; each call is one scrape. */
  scrape(form: ExpositionForm): AsyncIterable<Buffer>
  close(): void
}

export function openMetrics({ supervisor, face, securityEvents }: MetricsParts): Metrics {
  const own = openProcessMetrics({
    version: packageVersion,
    clusters: () => ({ configured: face().clusters().length, quarantined: face().quarantined().size }),
    threads: () => supervisor.threads(),
    securityEvents,
  })

  async function* frames(): AsyncGenerator<Buffer> {
    for (const name of face().clusters()) {
      const frame = await face().view(name, 'metrics')
      if (frame.ok) yield frame.value.bytes
    }
  }

  async function* scrape(form: ExpositionForm): AsyncGenerator<Buffer> {
    yield* stitch(frames(), { own: await own.text(), form })
  }
  return { scrape, close: () => own.close() }
}
