// The samples of a cluster as carbon takes them: `mysql.<host>.<metric> <value> <seconds>`, one a line. Pure.
import { readFrame } from './frames.js'
import type { MetricFilter } from './metric-filter.js'
import { TextSink } from './sink.js'

/** Bytes that the samples of a family mostly fit in. */
const SAMPLES = 1_024

/** Lines of a frame's samples of database servers that the filter lets through; '' when there are none. */
export function carbonLines(frame: Buffer, wanted: MetricFilter, seconds: number): string {
  const reader = readFrame(frame)
  const sink = new TextSink(SAMPLES)
  let text = ''
  for (let { family } = reader; family !== undefined; family = reader.family) {
    reader.take(sink)
    const samples = sink.take()
    if (!family.text.startsWith('mysql_')) continue
    for (const line of samples.toString().split('\n')) {
      const [, instance, value] = sample.exec(line) ?? []
      if (instance === undefined || value === undefined) continue
      const name = `mysql.${pathPart(instance)}.${family.text}`
      if (wanted(name)) text += `${name} ${value} ${seconds}\n`
    }
  }
  return text
}

const sample = /\{[^}]*instance="([^"]+)"[^}]*\} (\S+)$/

/** A dot would begin a folder of the store, a blank would end the name. */
const pathPart = (text: string): string => text.replace(/[^\w-]/g, '-')
