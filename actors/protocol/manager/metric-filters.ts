// What the graphite routes can request from the running manager.
import type { Result } from '../../../lib/base/result.js'
import type { FilterLists, FilterTemplate } from '../../../lib/metrics/metric-filter.js'

/** The filter lists of the clusters. */
export interface FilterFace {
  lists(cluster: string): Promise<Result<FilterLists>>
  setList(cluster: string, name: 'whitelist' | 'blacklist', text: string): Promise<Result<void>>
  reloadLists(cluster: string): Promise<Result<void>>
  resetLists(cluster: string, template: FilterTemplate): Promise<Result<void>>
}
