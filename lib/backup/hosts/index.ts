// What runs on a database's own host by the job script `dbjobs_new`: the public interface of the room.
import type { Result } from '../../base/result.js'
import { runDirectly } from './direct.js'
import { runByTable } from './polled.js'
import type { HostReach, HostTaskEnd, HostTaskRequest, HostTaskRun } from './request.js'

export { makeTransferCertificate } from './certificate.js'
export { jobTable } from './job-table.js'
export { isLogTask, type KeptLog, keepLog, type LogTask, logTasks, readKeptLog } from './kept-logs.js'
export type { LogPlace } from './order.js'
export { type HostReport, OrderBook, type OrderKept } from './order-book.js'
export { runScript } from './polled.js'
export type { HostListener, HostReach, HostTaskEnd, HostTaskRequest, HostTaskRun } from './request.js'
export { LONGEST_DATA, openSealed } from './seal.js'
export { askSnapshot } from './snapshot.js'

/**
 * One task on the host of a database: in a session of the manager's where it has one and the script is the delivered one, else
 * by the job table. Ok only when every program of the host's pipe has ended with 0. Never throws.
 */
export const runHostTask = (
  reach: HostReach,
  request: HostTaskRequest,
  run: HostTaskRun,
): Promise<Result<HostTaskEnd>> =>
  (reach.session && reach.ownScript === '' ? runDirectly : runByTable)(reach, request, run)
