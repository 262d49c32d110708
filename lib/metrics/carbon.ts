// The samples of a cluster in the carbon format: `mysql.<host>.<metric> <value> <seconds>`, one per line. Pure.
import { isNumeric } from './labels.js'
import type { MetricFilter } from './metric-filter.js'
import type { ClusterSamples } from './samples.js'

/** Figures of one database server, in columns. Plain data. */
export interface InstanceFigures {
  readonly instance: string
  readonly families: readonly string[]
  /** The n-th value belongs to the n-th family; text as the server wrote it (its integers have up to 64 bits). */
  readonly values: readonly (number | string)[]
}

/** What is sent for a cluster: the figures of its database servers, not those of the manager. */
export const instanceFigures = ({ known, servers }: ClusterSamples): readonly InstanceFigures[] =>
  servers.map(({ instance, status, variables }) => {
    const families: string[] = []
    const values: (number | string)[] = []
    const put = (family: string, value: number | string) => {
      families.push(family)
      values.push(value)
    }
    for (const [family, samples] of known)
      if (isSent(family)) for (const { labels, value } of samples) if (labels.instance === instance) put(family, value)
    for (const { places, values: texts } of [status, variables])
      for (const [family, place] of places) {
        const text = texts[place]
        if (text !== undefined && isNumeric(text)) put(family, text)
      }
    return { instance, families, values }
  })

/** Lines of the figures that the filter accepts; '' when there are none. */
export function carbonLines(figures: readonly InstanceFigures[], wanted: MetricFilter, seconds: number): string {
  let text = ''
  for (const { instance, families, values } of figures)
    for (const [index, family] of families.entries()) {
      const name = `mysql.${hostPart(instance)}.${family}`
      if (wanted(name)) text += `${name} ${values[index]} ${seconds}\n`
    }
  return text
}

const isSent = (family: string): boolean => family.startsWith('mysql_')

/** A dot would begin a folder of the store, a blank would end the name. */
export const hostPart = (text: string): string => text.replace(/[^\w-]/g, '-')
