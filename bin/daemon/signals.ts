// What the daemon does on a signal: it ends in order, or reads its configuration again.

import type { Log } from '../../actors/manager/outlet/log.js'
import type { Result } from '../../lib/base/result.js'

interface SignalParts {
  readonly log: Log
  readonly reload: () => Promise<Result<void>>
  readonly stop: () => Promise<void>
}

export function onSignals({ log, reload, stop }: SignalParts): void {
  let ending = false
  const end = (signal: NodeJS.Signals) => {
    if (ending) return
    ending = true
    log('info', 'manager-stopping', { signal })
    void stop().then(() => process.exit(0))
    setTimeout(() => process.exit(1), 5_000).unref()
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
