// Names of metric families, as rules, dashboards and pages ask for them.

import { families, STATUS_PREFIX, VARIABLE_PREFIX } from '../../../lib/metrics/families.js'
import { isSelected, type Selection } from '../../../lib/metrics/selection.js'

/** Families of the process, which is asked about by its job as well. */
const ofProcess: ReadonlySet<string> = new Set([
  ...['manager_up', 'manager_clusters', 'manager_clusters_quarantined', 'manager_build_info'],
  ...['manager_loop_delay_seconds', 'manager_thread_actors', 'manager_security_events_total'],
  ...['process_resident_memory_bytes', 'process_heap_used_bytes', 'process_start_time_seconds'],
  'process_cpu_seconds_total',
])

const usual: Selection = { names: 'usual', also: [] }

/** Every name in the text that is one of a family, or claims to be. */
export const namesIn = (text: string): readonly string[] => text.match(/\b(?:manager|mysql|process)_\w+/g) ?? []

/** By default, without a setting or `?full`. */
export const isExported = (name: string): boolean => {
  const family = name.replace(/_(bucket|sum|count)$/, '')
  return (
    family in families ||
    ofProcess.has(name) ||
    ([STATUS_PREFIX, VARIABLE_PREFIX].some((own) => name.startsWith(own)) && isSelected(name, usual))
  )
}

/** The names of families of the process. */
export const processFamilies: readonly string[] = [...ofProcess]
