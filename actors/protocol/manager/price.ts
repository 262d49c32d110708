// What the price routes can request from the running manager.
import type { Result } from '../../../lib/base/result.js'
import type { ClusterStatement, Month, MonthStatement } from '../../../lib/price/index.js'

/** The statements of months. Failures of all: `disabled` while `hosted` is false, `file-unreadable`. */
export interface PriceFace {
  /** The month's statement, that of the running month without one; `no-statement` when nothing was accounted in it. */
  statement(month?: Month): Promise<Result<MonthStatement>>
  /** The same with this cluster alone, empty when it was not accounted in the month. */
  clusterStatement(
    cluster: string,
    month?: Month,
  ): Promise<Result<{ readonly statement: MonthStatement; readonly cluster: ClusterStatement }>>
  /** Months that have a statement, oldest first. */
  months(): Promise<Result<readonly Month[]>>
}
