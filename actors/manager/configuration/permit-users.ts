// The check of every change of settings at run time: what it makes of the users of its cluster.
import { permitListChange } from '../../../lib/access/index.js'
import { done } from '../../../lib/base/result.js'
import { accessLists } from '../../../lib/settings/configuration/access-lists.js'
import { settingNames } from '../../../lib/settings/table/index.js'
import { sameValue } from '../../../lib/settings/table/settings.js'
import type { Caller } from '../../protocol/manager/caller.js'
import type { Permit } from './clusters.js'

/** Settings that say who a user is and what it may do. */
const userLists = settingNames.filter((name) => /^api-credentials(-acl-(allow|discard))?(-external)?$/.test(name))

/** For every user, on every path: by a route of users, by the lists as settings, by taking a change back. */
export const permitUsers =
  ({ cluster, may }: { readonly cluster: string; readonly may?: Caller['may'] }): Permit =>
  (before, after) => {
    if (userLists.every((name) => sameValue(name, before[name], after[name]))) return done
    const lists = { before: accessLists(before), after: accessLists(after) }
    return permitListChange({ cluster, ...lists }, may && ((grant) => may(grant, cluster)))
  }
