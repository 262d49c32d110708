// Whether a caller's grants open a row.

import type { Caller } from '../../../actors/protocol/manager/face.js'
import { done, fail, type Result } from '../../../lib/base/result.js'
import type { RouteGrant } from '../../api/kit/route.js'

/** `no-grant` names the missing grant. The cluster is that of the path, when it has one. */
export function authorise(caller: Caller, grant: RouteGrant, cluster: string | undefined): Result<void> {
  return isGranted(caller, grant, cluster) ? done : fail('no-grant', `${caller.user} has no grant ${grantText(grant)}`)
}

function isGranted(caller: Caller, grant: RouteGrant, cluster: string | undefined): boolean {
  if (grant === 'none') return true
  if (grant === 'token') return cluster === undefined || caller.sees(cluster)
  const any = typeof grant === 'string' ? [grant] : grant
  return any.some((one) => caller.may(one, cluster ?? ''))
}

function grantText(grant: RouteGrant): string {
  if (grant === 'token') return 'on the cluster'
  return typeof grant === 'string' ? grant : grant.join(' or ')
}
