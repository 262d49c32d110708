// The password of a user in the lists of a cluster.
import { reveal } from '../../../lib/base/secret.js'
import { accessLists, type Settings } from '../../../lib/settings/index.js'

/** The first that is listed; empty for a user that logs in elsewhere, undefined for one that is in no list. */
export function findPair(settings: Settings, username: string): string | undefined {
  const pairs = reveal(accessLists(settings).credentials).split(',')
  const pair = pairs.find((entry) => entry.trim().startsWith(`${username}:`))
  return pair?.trim().slice(username.length + 1)
}
