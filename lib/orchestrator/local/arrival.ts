// Waits for an archive that is being built.
import { SECOND, sleep } from '../../base/time.js'
import { exists } from './process/exists.js'

const ARRIVAL_MS = 2 * SECOND

/** Whether it is there: that of a service that was just added is on its way and is waited for a moment. */
export async function archiveArrives(archive: string, signal: AbortSignal): Promise<boolean> {
  const until = performance.now() + ARRIVAL_MS
  while (!(await exists(archive))) {
    if (signal.aborted || performance.now() > until) return false
    await sleep(ARRIVAL_MS / 20, signal)
  }
  return true
}
