// Entry of the process that stores the binary logs of one cluster: orders in, reports out, by the channel of its parent.
import { enclose } from '../stream/index.js'
import { Storing } from './storing.js'
import type { StoringOrder, StoringReport, StoringSettings } from './storing-state.js'

let settings: StoringSettings | undefined
let storing: Storing | undefined

const report = (message: StoringReport): void => {
  if (process.connected) process.send?.(message)
}

const take = async (order: StoringOrder): Promise<void> => {
  if (order.type === 'configure') {
    settings = enclose(order.settings) as StoringSettings // disclosed by the collector
    storing?.configured()
  }
  if (order.type === 'close') return leave()
  if (order.type === 'fetched') return storing?.fetched(order.id, order.failure)
  if (!settings) return
  const known = settings
  if (!storing) {
    storing = new Storing(() => settings ?? known, report)
    void storing.run()
  }
  if (order.type === 'follow') storing.follow(order.source)
}

const leave = async (copyMs?: number): Promise<void> => {
  await storing?.close(copyMs)
  process.exit(0)
}

process.on('message', (order: StoringOrder) => void take(order))
// The manager has ended: another one may begin to store the same logs.
process.on('disconnect', () => void leave(0))
for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined)
process.on('SIGTERM', () => void leave())
