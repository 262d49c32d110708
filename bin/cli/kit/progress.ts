// The progress of an operation on a terminal: its events, line by line, until its last one.
import { openEvents, readEvents } from '../../../http/client/events.js'
import type { Session } from '../../../http/client/session.js'
import { now, SECOND, sleep } from '../../../lib/base/time.js'
import type { ClusterEvent } from '../../../lib/model/event.js'
import { talk } from '../output/output.js'
import { renderItem } from './event-line.js'

/** How long the last event may come after the reply, and how long the first one of an operation that was refused. */
const GRACE_MS = SECOND
const REFUSED_GRACE_MS = 100
const STEP_MS = 20

export interface Progress {
  /** Waits a moment for the last event of an operation that was started, and closes the stream. */
  end(hasBegun: boolean): Promise<void>
}

export type IsOwn = (event: ClusterEvent) => boolean

/** The events of the operation of this kind that begins first from now on: its beginning, its steps, its end. */
export function ofOperation(kind: string): IsOwn {
  let id: unknown
  return ({ kind: what, data = {} }) => {
    if (what === 'step') return id !== undefined && data.operation === id
    if (what !== 'operation') return false
    if (data.kind === kind) id ??= data.id
    return id !== undefined && data.id === id
  }
}

/** Shows the events that are its own (all, without `isOwn`) from now on; where the stream cannot be had, the operation goes without. */
export async function showProgress(session: Session, cluster: string, isOwn: IsOwn = () => true): Promise<Progress> {
  const opened = await openEvents(session, cluster)
  if (!opened.ok || opened.value.type !== 'open') return { end: async () => {} }
  const { response } = opened.value
  let phase: unknown
  const read = async () => {
    for await (const item of readEvents(response)) {
      if (item.type === 'event' && !isOwn(item.event)) continue
      talk(renderItem(item, process.stderr))
      if (item.type === 'event' && item.event.kind === 'operation') phase = item.event.data?.phase
    }
  }
  void read()
  const isOver = () => phase !== undefined && phase !== 'running'
  return {
    end: async (hasBegun) => {
      const until = now() + (hasBegun || phase === 'running' ? GRACE_MS : REFUSED_GRACE_MS)
      while (!isOver() && now() < until) await sleep(STEP_MS)
      response.destroy()
    },
  }
}
