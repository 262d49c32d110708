// Commands on many hosts over SSH: one persistent connection and one command at a time per host, a bounded number of hosts.
import { createLimit, type Limit } from '../../base/limit.js'
import { fail, type Result } from '../../base/result.js'
import {
  openSsh,
  type SshAnswer,
  type SshOptions,
  type SshRequest,
  type SshSession,
  type SshTarget,
} from './session.js'

export type { SshAnswer, SshOptions, SshRequest, SshTarget } from './session.js'

export interface SshPoolOptions extends SshOptions {
  /** Maximum number of hosts with a running command. */
  readonly maxHosts: number
  /** Idle timeout of a connection, milliseconds. */
  readonly idleMs: number
}

export interface SshPool {
  /** Waits for a free slot of the host, then runs; the request's timeout starts with the run. */
  run(target: SshTarget, request: SshRequest): Promise<Result<SshAnswer>>
  /** Several consecutive commands on one host, without commands of other callers in between. */
  hold<T>(target: SshTarget, signal: AbortSignal, work: (run: HeldRun) => Promise<Result<T>>): Promise<Result<T>>
  /** Number of busy hosts now, and the maximum so far. */
  readonly limit: Pick<Limit, 'busy' | 'peak'>
  close(): void
}

export type HeldRun = (request: SshRequest) => Promise<Result<SshAnswer>>

interface Kept {
  readonly session: SshSession
  readonly secret: string
  idle: NodeJS.Timeout | undefined
}

export function createSshPool(options: SshPoolOptions): SshPool {
  const limit = createLimit(options.maxHosts)
  const kept = new Map<string, Kept>()

  const session = async (target: SshTarget): Promise<Result<SshSession>> => {
    const key = keyOf(target)
    const secret = JSON.stringify([target.user, target.password, target.privateKey])
    const known = kept.get(key)
    if (known && !known.session.closed && known.secret === secret) {
      clearTimeout(known.idle)
      return { ok: true, value: known.session }
    }
    if (known && !known.session.closed) known.session.close()
    clearTimeout(known?.idle)
    kept.delete(key)
    const opened = await openSsh(target, options)
    if (opened.ok) kept.set(key, { session: opened.value, secret, idle: undefined })
    return opened
  }
  const rest = (target: SshTarget): void => {
    const known = kept.get(keyOf(target))
    if (!known) return
    if (known.session.closed) return void kept.delete(keyOf(target))
    known.idle = setTimeout(() => {
      known.session.close()
      if (kept.get(keyOf(target)) === known) kept.delete(keyOf(target))
    }, options.idleMs)
    known.idle.unref()
  }
  const hold: SshPool['hold'] = async (target, signal, work) => {
    const held = await limit.runAlone(keyOf(target), signal, async () => {
      const result = await work(async (request) => {
        const open = await session(target)
        return open.ok ? open.value.run(request) : open
      })
      rest(target)
      return result
    })
    return held ?? fail('deadline-passed', `${keyOf(target)}: ended while it waited for its turn`)
  }
  return {
    hold,
    run: (target, request) => hold(target, request.signal, (run) => run(request)),
    limit,
    close() {
      for (const { session: open, idle } of kept.values()) {
        clearTimeout(idle)
        open.close()
      }
      kept.clear()
    },
  }
}

const keyOf = ({ host, port }: SshTarget): string => `${host}:${port}`
