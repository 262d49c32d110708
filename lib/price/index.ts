// The public interface of prices: units, the formula, its integral over a month, and the statement.
export { renderCsv } from './csv.js'
export {
  bundles,
  familyRows,
  type PerFamily,
  perFamily,
  type Quantity,
  readQuantities,
  type Size,
  type Terms,
  type UnitFamily,
  type Usage,
  unitFamilies,
  unitsOfService,
  unitsOfStorage,
} from './family.js'
export {
  addTick,
  type ClusterLedger,
  closeMonth,
  type Instant,
  type Ledgers,
  LONGEST_GAP_MS,
  type Mark,
  type MonthLedger,
  mayClose,
  monthsOfTick,
  type Reading,
  type Sample,
  type Tick,
  withoutMarks,
} from './ledger.js'
export { elapsedOf, lengthOf, type Month, monthOf, monthPattern, spanOfMonth, splitByMonth } from './month.js'
export {
  type ClusterStatement,
  clustersOf,
  emptyStatement,
  joinStatements,
  type MonthStatement,
  renderCluster,
  renderStatement,
  type StatementTraits,
  type UnitRow,
} from './statement.js'
export { type Accrual, costOf, parsePrice, pricePattern, type Tariff } from './tariff.js'
