// Bounds that owners share: the table, how each is divided by cluster and user, and what is dropped where the oldest makes room.
export { sharedBounds } from './bounds.js'
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
} from './fair-bound.js'
export { keepFairly } from './keep-fairly.js'
