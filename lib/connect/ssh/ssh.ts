// Commands on many hosts over SSH: one kept connection per host, one command at a time there, so many hosts at once.
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
  /** Hosts on which something runs at once, at most. */
  readonly maxHosts: number
  /** How long an unused connection is kept, milliseconds. */
  readonly idleMs: number
}

export interface SshPool {
  /** Waits for the host's turn, then runs; the request's time begins with the turn. */
  run(target: SshTarget, request: SshRequest): Promise<Result<SshAnswer>>
  /** Several commands in a row on one host, with nothing of others between them. */
  hold<T>(target: SshTarget, signal: AbortSignal, work: (run: HeldRun) => Promise<Result<T>>): Promise<Result<T>>
  /** Hosts busy now and at most so far. */
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
