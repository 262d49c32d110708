// The public interface of the room: grants, users and permissions.
export { type Access, type AccessLists, type AccessOptions, createAccess, type Identity } from './access.js'
export { type ApiToken, grantToken, isTokenLive, scopeOf, type TokenRequest, type TokenScope } from './api-token.js'
export { type Asker, type AskerSight, askerShape, judgeAsker } from './asker.js'
export { sharedBounds } from './bound/bounds.js'
export {
  type BoundCaller,
  createFairShares,
  type FairBound,
  type FairShares,
  type Holder,
  holderOf,
  judgeShare,
  placeShare,
  SERVICE,
  type Share,
} from './bound/fair-bound.js'
export { expandGrant, type Grant, globalGrants, grants, isChanging } from './grants.js'
export { type ListChange, permitListChange } from './list-change.js'
export { isLocal, isLoopback, type Origin } from './local.js'
export { type BrowserSession, judgeRefresh, type LoginWay } from './refresh.js'
export { roleNames } from './roles.js'
export { type ClusterUser, listUsers } from './users.js'
