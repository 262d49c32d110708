// The tags that clusters can have: sent to each thread when it starts, since every cluster object shows them.
import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads'
import type { TagView } from '../../protocol/manager/configurator.js'

const KEY = 'offered-tags'

/** For threads that start from now on. */
export const offerTags = (tags: readonly TagView[]): void => setEnvironmentData(KEY, tags)

/** In a thread: as sent by the main thread; none where it sent none. */
export function offeredTags(): readonly TagView[] {
  const sent = getEnvironmentData(KEY)
  return Array.isArray(sent) ? (sent as readonly TagView[]) : []
}
