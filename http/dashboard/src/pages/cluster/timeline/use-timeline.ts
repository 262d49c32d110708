// The entries that the page shows: the newest or those around a moment, read again when the cluster's events say that something changed.
import { useSignal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { call } from '../../../client/call.js'
import type { Failure } from '../../../client/failure.js'
import { type Entry, type EntryPage, readTimeline } from '../../../model/cluster/timeline.js'
import { listenToCluster } from '../../../stream/cluster-events.js'
import { joinOlder } from './days.js'

export interface Wanted {
  readonly cluster: string
  readonly kind?: string
  readonly server?: string
  /** The list reaches to this moment at least. */
  readonly at?: number
  /** At first. */
  readonly limit?: number
}

export interface Shown {
  readonly entries: readonly Entry[]
  readonly next?: string
  /** What came after this moment is not in the list. */
  readonly upTo?: number
  /** When it was read. */
  readonly at: number
}

export interface TimelineReading {
  readonly shown: Shown | undefined
  readonly failure: Failure | undefined
  readonly isReadingOlder: boolean
  readonly older: () => void
  readonly retry: () => void
}

const USUAL = 100
/** What the interface gives at once. */
const MOST = 1_000
/** What is shown after a moment that is too old for the newest entries. */
const AFTER_MS = 10 * 60_000
/** Events that come together are answered by one reading. */
const SOON_MS = 250
/** What raises no event: logins, settings, actions of users. */
const EVERY_MS = 15_000

export function useTimeline({ cluster, kind, server, at, limit = USUAL }: Wanted): TimelineReading {
  const shown = useSignal<Shown | undefined>(undefined)
  const failure = useSignal<Failure | undefined>(undefined)
  const isReadingOlder = useSignal(false)
  /** The filter of what is shown. */
  const of = useSignal('')
  const reader = useMemo(() => {
    let ended = new AbortController()
    let isReading = false
    let isWanted = false

    const ask = async (query: { readonly before?: string; readonly limit: number }, stop: AbortSignal) => {
      const reply = await call('GET /api/clusters/:cluster/timeline', {
        params: { cluster },
        query: { ...query, kind, server },
        signal: stop,
      })
      if (stop.aborted) return undefined
      failure.value = reply.ok ? undefined : reply.failure
      return reply.ok ? readTimeline(reply.value) : undefined
    }

    const reaches = ({ entries, next }: EntryPage) =>
      at === undefined || next === undefined || (entries.at(-1)?.at ?? 0) <= at

    /** The newest, unless the moment lies before them. */
    const first = async (stop: AbortSignal): Promise<void> => {
      const head = await ask({ limit }, stop)
      if (!head || at === undefined || reaches(head)) return head && put(head)
      const upTo = at + AFTER_MS
      const around = await ask({ before: String(upTo), limit: 2 * USUAL }, stop)
      if (!around || reaches(around)) return around && put(around, upTo)
      const until = await ask({ before: String(at + 1), limit: USUAL }, stop)
      if (until) put(until, at + 1)
    }

    /** All that is shown, as far as one reply holds it; what is older stays. */
    const again = async (known: Shown, stop: AbortSignal): Promise<void> => {
      const { upTo } = known
      const count = Math.min(Math.max(known.entries.length, limit), MOST)
      const page = await ask({ ...(upTo === undefined ? {} : { before: String(upTo) }), limit: count }, stop)
      if (!page) return
      const last = page.entries.at(-1)
      const place = known.entries.findIndex(({ id }) => id === last?.id)
      const rest = known.entries.length > MOST && place >= 0 ? known.entries.slice(place + 1) : []
      const next = rest.length === 0 ? page.next : known.next
      put({ entries: joinOlder(page.entries, rest), ...(next === undefined ? {} : { next }) }, upTo)
    }

    const put = (page: EntryPage, upTo?: number): void => {
      shown.value = { ...page, ...(upTo === undefined ? {} : { upTo }), at: Date.now() }
    }

    const read = async (): Promise<void> => {
      isWanted = isReading
      if (isReading || isReadingOlder.peek()) return
      isReading = true
      const { signal: stop } = ended
      const known = shown.peek()
      await (known ? again(known, stop) : first(stop))
      isReading = false
      if (isWanted && !stop.aborted) void read()
    }

    const older = async (): Promise<void> => {
      const known = shown.peek()
      if (known?.next === undefined || isReadingOlder.peek()) return
      isReadingOlder.value = true
      const page = await ask({ before: known.next, limit: USUAL }, ended.signal)
      isReadingOlder.value = false
      // What came meanwhile is in the list already.
      if (page)
        put(
          {
            entries: joinOlder(shown.peek()?.entries ?? [], page.entries),
            ...(page.next === undefined ? {} : { next: page.next }),
          },
          known.upTo,
        )
    }

    const start = () => {
      ended = new AbortController()
      isReading = false
      const filter = JSON.stringify([cluster, kind, server])
      if (filter !== of.peek() || !holds(shown.peek(), at)) shown.value = undefined
      of.value = filter
      failure.value = undefined
      let soon: ReturnType<typeof setTimeout> | undefined
      const listening = listenToCluster(cluster, ({ kind: event }) => {
        if (event === 'log') return
        soon ??= setTimeout(() => {
          soon = undefined
          void read()
        }, SOON_MS)
      })
      const timer = setInterval(() => {
        if (!document.hidden) void read()
      }, EVERY_MS)
      void read()
      return () => {
        ended.abort()
        clearTimeout(soon)
        clearInterval(timer)
        listening.stop()
      }
    }
    return { start, read, older }
  }, [cluster, kind, server, at, limit])
  useEffect(reader.start, [reader])
  return {
    shown: shown.value,
    failure: failure.value,
    isReadingOlder: isReadingOlder.value,
    older: () => void reader.older(),
    retry: () => void reader.read(),
  }
}

/** Whether the list reaches the moment, so that a link within it reads nothing. */
function holds(shown: Shown | undefined, at: number | undefined): boolean {
  if (!shown) return false
  if (at === undefined) return shown.upTo === undefined
  const { entries, next, upTo } = shown
  return (upTo === undefined || at < upTo) && (next === undefined || (entries.at(-1)?.at ?? 0) <= at)
}
