// The face of the metrics room.
export { type ClusterFigures, freshFigures, type Outcome } from './figures.js'
export { observe } from './histogram.js'
export { openProcessMetrics, type ProcessMetrics, type ProcessSources, type ThreadFigures } from './process.js'
export { renderSamples, type SampleInput } from './samples.js'
export { EXPOSITION_TYPE, stitch } from './stitch.js'
