// Entry of the process that recovers: one order in, lines, progress and one result out. It ends with the manager.
import type { Result } from '../../base/result.js'
import { enclose } from '../stream/wire.js'
import { type RecoveryOrder, type RecoveryReport, recover } from './recovery.js'
import { type SearchAnswer, type SearchOrder, searchLogs } from './search-logs.js'

export type FromRecovery =
  | { readonly type: 'line'; readonly line: string }
  | { readonly type: 'progress'; readonly bytes: number }
  | { readonly type: 'ended'; readonly result: Result<RecoveryReport | SearchAnswer> }

const ending = new AbortController()

const send = (message: FromRecovery, sent: () => void = () => undefined): void => {
  if (process.connected) process.send?.(message, undefined, undefined, sent)
}

process.once('message', async (disclosed: unknown) => {
  const order = enclose(disclosed) as RecoveryOrder | SearchOrder // disclosed by `startWork`
  const run = {
    signal: ending.signal,
    log: (line: string) => send({ type: 'line', line }),
    progress: (bytes: number) => send({ type: 'progress', bytes }),
  }
  const result = 'search' in order ? await searchLogs(order, run) : await recover(order, run)
  // A long answer takes several writes: the channel is closed after the last one.
  send({ type: 'ended', result }, () => process.disconnect?.())
})
process.on('disconnect', () => ending.abort())
process.on('SIGTERM', () => ending.abort())
process.on('SIGINT', () => undefined)
