// The parts of the metrics room that other rooms use.
export { carbonLines, type InstanceFigures, instanceFigures } from './carbon.js'
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
export { type ClusterSamples, collectSamples, type SampleInput } from './samples.js'
export {
  everything,
  type ScrapeRequest,
  type Selection,
  type SelectionSettings,
  selectionOf,
  selectText,
} from './selection.js'
export { renderSlices, type SliceBatch } from './slices.js'
export { EXPOSITION_TYPE, type ExpositionForm, stitch } from './stitch.js'
