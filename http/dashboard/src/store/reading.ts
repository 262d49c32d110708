// What a page reads of one row of the interface: again while the page is open, the last value kept with its time when a reading fails.
import { signal, useComputed, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { requestOf } from '../../../client/api/address.js'
import type { Given, Input, Reply, ValueAddress } from '../../../client/api/types.js'
import { type CallOptions, callAny } from '../client/call.js'
import type { Failure } from '../client/failure.js'
import { me } from './me.js'

export interface Reading<T> {
  /** Undefined: nothing was read yet. */
  readonly value: T | undefined
  /** When the value was true, milliseconds. */
  readonly at: number | undefined
  /** Why the latest reading brought nothing. */
  readonly failure: Failure | undefined
  /** Why there is nothing in the value: a plugin that is missing, a file that cannot be read. */
  readonly emptyBecause: string | undefined
  /** What is shown is not the present: the latest reading failed, or the server gave what was read last. */
  readonly isStale: boolean
  readonly reload: () => void
}

export interface ReadingTraits {
  /** How often; `live`: as often as the manager is set to. Absent: once. */
  readonly every?: number | 'live'
  /** False: nothing is asked. */
  readonly when?: boolean
}

interface State {
  readonly address: string
  readonly value?: unknown
  readonly at?: number
  readonly failure?: Failure
  readonly emptyBecause?: string
  readonly isOld?: boolean
}

/** More than a few seconds: the value was kept from before. */
const OLD_MS = 15_000

/** Moves when the user has changed something: what is shown is read again. */
const changes = signal(0)
export const noteChange = (): void => {
  changes.value += 1
}

export const useReading = <A extends ValueAddress>(
  row: A,
  ...[traits]: Given<Omit<Input<A>, 'body'> & ReadingTraits>
): Reading<Reply<A>> => useAny(row, traits) as Reading<Reply<A>>

type AnyTraits = ReadingTraits & Pick<CallOptions, 'params' | 'query'>

function useAny(row: ValueAddress, { params, query, every, when = true }: AnyTraits = {}): Reading<unknown> {
  const [, path] = requestOf(row, { params, query })
  const address = when ? path : ''
  const state = useSignal<State>({ address: '' })
  const turn = useSignal(0)
  const refreshMs = useComputed(() => me.value?.refreshMs ?? 2_000).value
  const everyMs = every === 'live' ? Math.max(refreshMs, 1_000) : every
  const asked = turn.value + changes.value
  useEffect(() => {
    if (address === '') return
    const ended = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    const read = async (): Promise<void> => {
      clearTimeout(timer)
      if (document.hidden) return
      const reply = await callAny(row, {
        ...(params ? { params } : {}),
        ...(query ? { query } : {}),
        signal: ended.signal,
      })
      if (ended.signal.aborted) return
      const before = state.peek().address === address ? state.peek() : { address }
      if (reply.ok) {
        const age = reply.ageMs ?? 0
        const { emptyBecause } = reply
        state.value = {
          ...{ address, value: reply.value, at: Date.now() - age, isOld: age > OLD_MS },
          ...(emptyBecause === undefined ? {} : { emptyBecause }),
        }
      } else state.value = { ...before, failure: reply.failure }
      if (everyMs !== undefined) timer = setTimeout(() => void read(), everyMs)
    }
    const seen = () => {
      if (!document.hidden && everyMs !== undefined) void read()
    }
    void read()
    document.addEventListener('visibilitychange', seen)
    return () => {
      clearTimeout(timer)
      ended.abort()
      document.removeEventListener('visibilitychange', seen)
    }
  }, [address, everyMs, asked])
  const shown = state.value.address === address ? state.value : { address }
  const { value, at, failure, emptyBecause, isOld = false } = shown as State
  return {
    ...{ value, at, failure, emptyBecause },
    isStale: value !== undefined && (failure !== undefined || isOld),
    reload: () => {
      turn.value += 1
    },
  }
}
