// The checks of every change of settings at run time: what it makes of the users of its cluster, and where it sends secrets.
import { globalGrants } from '../../../lib/access/grants.js'
import { permitListChange } from '../../../lib/access/index.js'
import { done } from '../../../lib/base/result.js'
import { accessLists } from '../../../lib/settings/configuration/access-lists.js'
import { scopeOf } from '../../../lib/settings/configuration/configuration.js'
import { permitReceivers } from '../../../lib/settings/configuration/receivers.js'
import { settingNames } from '../../../lib/settings/table/index.js'
import { sameValue } from '../../../lib/settings/table/settings.js'
import type { Caller } from '../../protocol/manager/caller.js'
import type { Permit } from './clusters.js'

interface Requester {
  readonly cluster: string
  /** Absent: the manager itself makes the change. */
  readonly may?: Caller['may']
}

/** For every user, on every path: by a route of users, by the lists as settings, by taking a change back. */
export const permitChange =
  (requester: Requester): Permit =>
  (before, after) => {
    const users = permitUsers(requester)(before, after)
    const { cluster, may } = requester
    const isServiceUser = may === undefined || globalGrants.some((grant) => may(grant, ''))
    return users.ok && !isServiceUser ? permitReceivers(before, after, cluster) : users
  }

/** Settings that say who a user is and what it may do. */
const userLists = settingNames.filter((name) => /^api-credentials(-acl-(allow|discard))?(-external)?$/.test(name))

const permitUsers =
  ({ cluster, may }: Requester): Permit =>
  (before, after) => {
    const [was, is] = [scopeOf(before, cluster)?.settings, scopeOf(after, cluster)?.settings]
    if (!was || !is || userLists.every((name) => sameValue(name, was[name], is[name]))) return done
    const lists = { before: accessLists(was), after: accessLists(is) }
    return permitListChange({ cluster, ...lists }, may && ((grant) => may(grant, cluster)))
  }
