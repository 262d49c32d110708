// The latest rolling work of a cluster: read when an event names it, and while it runs.
import { type Signal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { call } from '../../client/call.js'
import { listenToCluster } from '../../stream/cluster-events.js'

/** The reply of `C/rolling`; undefined until it was read. */
export function useRollingReply(cluster: string): Signal<unknown> {
  const reply = useSignal<unknown>(undefined)
  useEffect(() => {
    const over = new AbortController()
    const read = async () => {
      const answer = await call('GET /api/clusters/:cluster/rolling', { params: { cluster }, signal: over.signal })
      if (answer.ok && !over.signal.aborted) reply.value = answer.value
    }
    let soon: ReturnType<typeof setTimeout> | undefined
    const { stop } = listenToCluster(cluster, ({ kind }) => {
      if (kind !== 'rolling' && kind !== 'reset') return
      clearTimeout(soon)
      soon = setTimeout(() => void read(), 100)
    })
    void read()
    const timer = setInterval(() => {
      if ((reply.peek() as { readonly phase?: string } | null | undefined)?.phase === 'running') void read()
    }, 2_000)
    return () => {
      over.abort()
      clearTimeout(soon)
      clearInterval(timer)
      stop()
    }
  }, [cluster, reply])
  return reply
}
