// The tags that clusters choose from: told to each thread when it starts, since every cluster object shows them.
import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads'
import type { TagView } from '../../protocol/manager/configurator.js'

const KEY = 'offered-tags'

/** For threads that start from now on. */
export const offerTags = (tags: readonly TagView[]): void => setEnvironmentData(KEY, tags)

/** In a thread: as the main thread told them; none where it did not. */
export function offeredTags(): readonly TagView[] {
  const told = getEnvironmentData(KEY)
  return Array.isArray(told) ? (told as readonly TagView[]) : []
}
