// The face of the metrics room.
export { carbonLines } from './carbon.js'
export { type ClusterFigures, freshFigures, type Outcome } from './figures.js'
export { observe } from './histogram.js'
export {
  checkFilterList,
  type FilterLists,
  type FilterTemplate,
  filterTemplates,
  type MetricFilter,
  openFilter,
  patternsOf,
} from './metric-filter.js'
export { openProcessMetrics, type ProcessMetrics, type ProcessSources, type ThreadFigures } from './process.js'
export { renderSamples, type SampleInput } from './samples.js'
export { EXPOSITION_TYPE, type ExpositionForm, stitch } from './stitch.js'
