// Holds changes of tables off while a server is copied: a lock lives as long as its session, so that every end releases it.
import { ok, type Result } from '../../base/result.js'
import { SECOND } from '../../base/time.js'
import { openSession } from '../../connect/sql/mysql2-session.js'
import { limitLockWait, lockDdl } from '../../dialect/shared/backup/backups.js'
import type { CopySource } from './method.js'

export interface DdlLock {
  /** What is held, for the log; undefined where the server has no such lock. */
  readonly held: string | undefined
  /** At once, and as often as one likes. */
  release(): void
}

/** A change of tables that runs when the backup begins is waited for this long, seconds. */
const WAIT_SECONDS = 60

/** Failure: something else holds the lock for longer, or the account may not take it. */
export async function holdDdl({ target, flavour, version }: CopySource, signal: AbortSignal): Promise<Result<DdlLock>> {
  const statements = lockDdl(flavour, version)
  if (statements.length === 0) return ok({ held: undefined, release: () => undefined })
  const opened = await openSession(target)
  if (!opened.ok) return opened
  const session = opened.value
  const release = () => {
    signal.removeEventListener('abort', release)
    session.close()
  }
  signal.addEventListener('abort', release, { once: true })
  if (signal.aborted) release()
  for (const { sql, values } of [limitLockWait(WAIT_SECONDS), ...statements]) {
    const done = await session.run(sql, values, (WAIT_SECONDS + 10) * SECOND)
    if (done.ok) continue
    release()
    return done
  }
  return ok({ held: statements.map(({ sql }) => sql).join(', '), release })
}
