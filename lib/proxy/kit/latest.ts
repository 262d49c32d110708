// A proxy is configured by one request at a time, and the latest wins: an earlier one that still runs is aborted.
import type { Result } from '../../base/result.js'
import type { Proxy as ProxyAdapter } from './index.js'

interface Request {
  readonly end: AbortController
  readonly settled: Promise<Result<void>>
}

/** Without it a late alignment could open for writes what a switchover has just closed. */
export function latestOnly(proxy: ProxyAdapter): ProxyAdapter {
  let latest: Request | undefined
  return {
    ...proxy,
    apply(target, signal) {
      const before = latest
      const end = new AbortController()
      const settled = after(before).then(() => proxy.apply(target, AbortSignal.any([signal, end.signal])))
      latest = { end, settled }
      return settled
    },
  }
}

async function after(before: Request | undefined): Promise<void> {
  before?.end.abort()
  await before?.settled.catch(() => undefined)
}
