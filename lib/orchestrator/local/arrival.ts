// Waits for an archive that is being built.
import { SECOND, sleep } from '../../base/time.js'
import { exists } from './process/exists.js'

const ARRIVAL_MS = 2 * SECOND

/** Whether it exists: the archive of a service that was just added is being built, so it is waited for briefly. */
export async function archiveArrives(archive: string, signal: AbortSignal): Promise<boolean> {
  const until = performance.now() + ARRIVAL_MS
  while (!(await exists(archive))) {
    if (signal.aborted || performance.now() > until) return false
    await sleep(ARRIVAL_MS / 20, signal)
  }
  return true
}
