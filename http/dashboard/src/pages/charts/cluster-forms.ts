// The charts of a cluster: a line for each server.
import { type SeriesSet, seriesOf } from '../../model/cluster/series.js'
import { isMeasured, type TitledLines } from './server-forms.js'

const forms = [
  { title: 'Queries a second', unit: 'per-second', series: seriesOf.queries, factor: 1 },
  { title: 'Replication lag', unit: 'ms', series: seriesOf.lag, factor: 1_000 },
  { title: 'Sessions connected', unit: 'count', series: seriesOf.connections, factor: 1 },
] as const

export const clusterNames: readonly string[] = forms.map(({ series }) => series)

/** `names` by id, in the order in which servers are shown. */
export function clusterCharts({ times, lines }: SeriesSet, names: ReadonlyMap<string, string>): readonly TitledLines[] {
  return forms.flatMap(({ title, unit, series, factor }) => {
    const drawn = [...names].flatMap(([id, name]) => {
      const found = lines.find((one) => one.name === series && one.server === id)
      if (!found || !isMeasured(found.values)) return []
      return [{ name, values: found.values.map((value) => (value === null ? null : value * factor)) }]
    })
    return drawn.length === 0 ? [] : [{ title, unit, times, lines: drawn }]
  })
}
