// The series that the manager keeps itself.
export {
  clusterColumns,
  probeColumns,
  type SeriesColumn,
  type SeriesUnit,
  seriesNames,
  serverColumns,
  statusColumns,
} from './columns.js'
export {
  evaluateTarget,
  type MetricPath,
  parseMoment,
  parseTarget,
  pathsIn,
  type RenderedTarget,
  type TargetExpression,
} from './graphite.js'
export {
  BLOCK_MS,
  type Block,
  blockBytes,
  COARSE_KEPT_MS,
  COARSE_MS,
  coarsen,
  decodeBlock,
  decodeRing,
  encodeBlock,
  FINE_KEPT_MS,
  FINE_MS,
  HEAD_BYTES,
  joinBlocks,
  placeOf,
  type RingName,
  renderHead,
  ringRange,
} from './layout.js'
export { countPoints, pointsOf, type Series, type SeriesSpan, spanOf, type WantedSpan } from './points.js'
export { Recorder, type Source } from './recorder.js'
export { type Counted, countStatus, statusValues } from './status-values.js'
