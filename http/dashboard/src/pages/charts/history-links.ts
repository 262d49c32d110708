// Addresses of Prometheus and Grafana that show a cluster, or one of its servers, over a span until now. Pure.
import { seriesOf } from '../../model/cluster/series.js'
import type { HistoryPlaces } from '../../store/me.js'
import type { SpanName } from './spans.js'

export interface HistorySubject {
  readonly cluster: string
  readonly span: SpanName
  /** What metrics call a server; absent: the whole cluster. */
  readonly instance?: string
}

export interface HistoryLink {
  readonly title: string
  readonly href: string
}

export const historyLinks = (places: HistoryPlaces, subject: HistorySubject): readonly HistoryLink[] => [
  ...linkTo('Prometheus', places.prometheus, (base) => prometheusAddress(base, subject)),
  ...linkTo('Grafana', places.grafana, (base) => grafanaAddress(base, places, subject)),
]

function linkTo(title: string, base: string | null, make: (base: string) => string): readonly HistoryLink[] {
  // The manager takes nothing else; a page trusts no text with what a click opens.
  if (base === null || !/^https?:\/\//i.test(base)) return []
  return [{ title, href: make(base.replace(/\/+$/, '')) }]
}

/** A panel for each, the same as the first charts show. */
const expressions = [
  (labels: string) => `rate(${seriesOf.queries}${labels}[5m])`,
  (labels: string) => `${seriesOf.running}${labels}`,
  (labels: string) => `${seriesOf.lag}${labels}`,
] as const

function prometheusAddress(base: string, { cluster, span, instance }: HistorySubject): string {
  const labels = `{cluster="${quoted(cluster)}"${instance === undefined ? '' : `,instance="${quoted(instance)}"`}}`
  const panels = expressions.flatMap((expression, index): (readonly [string, string])[] => [
    [`g${index}.expr`, expression(labels)],
    [`g${index}.tab`, '0'],
    [`g${index}.range_input`, span],
  ])
  return `${base}/graph?${new URLSearchParams(panels.map(([key, value]) => [key, value]))}`
}

/** A label value of PromQL. */
const quoted = (text: string): string => text.replace(/[\\"\n]/g, (sign) => (sign === '\n' ? '\\n' : `\\${sign}`))

function grafanaAddress(base: string, places: HistoryPlaces, { cluster, span, instance }: HistorySubject): string {
  const dashboard = instance === undefined ? places.grafanaCluster : places.grafanaServer
  const query = new URLSearchParams({
    'var-cluster': cluster,
    ...(instance === undefined ? {} : { 'var-instance': instance }),
    ...{ from: `now-${span}`, to: 'now' },
  })
  return `${base}/d/${encodeURIComponent(dashboard)}?${query}`
}
