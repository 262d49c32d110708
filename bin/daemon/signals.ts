// What the daemon does on a signal: it ends in order, or reads its configuration again.

import type { WriteLog } from '../../lib/base/log-codes.js'
import type { Result } from '../../lib/base/result.js'
import { SECOND } from '../../lib/base/time.js'

/** What has not ended by then is cut off. A busy machine needs several seconds; service managers wait 90. */
const STOP_LIMIT_MS = 30 * SECOND

interface SignalParts {
  readonly log: WriteLog
  readonly reload: () => Promise<Result<unknown>>
  readonly stop: () => Promise<void>
}

export function onSignals({ log, reload, stop }: SignalParts): void {
  let ending = false
  const end = (signal: NodeJS.Signals) => {
    if (ending) return
    ending = true
    log('info', 'manager-stopping', { signal })
    void stop().then(() => process.exit(0))
    setTimeout(() => {
      log('error', 'manager-stop-incomplete', { seconds: STOP_LIMIT_MS / SECOND })
      process.exit(1)
    }, STOP_LIMIT_MS).unref()
  }
  process.on('SIGTERM', end)
  process.on('SIGINT', end)
  process.on('SIGHUP', () => {
    void reload().then((result) => {
      if (result.ok) log('info', 'settings-reloaded', {})
      else log('error', 'settings-kept', { faults: result.failure.message.split('\n') })
    })
  })
}
