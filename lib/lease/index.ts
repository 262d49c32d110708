// The public interface of the room: who owns a cluster while several instances run, and what the next owner needs.

export { Arbitrator, type ArbitratorParts } from './arbitrator/arbitrator.js'
export { type ArbitratorAddress, ArbitratorSession, type ClusterReport, type Released } from './arbitrator/ask.js'
export type { Ruling } from './arbitrator/decide.js'
export { type Listening, listenArbitrator } from './arbitrator/listen.js'
export type { ClusterLoad, InstanceLoad } from './assign.js'
export { createTermBoard, hasLapsed, readTerm, Tenure, thisMoment, writeConfirmed, writeTerm } from './board.js'
export { ClusterCopy, dropFlags, fetchCopy, isLeft, leaveCopy, restoreCopy } from './copy.js'
export { decideOwnership, type Owner, type OwnershipAct, type OwnershipView } from './decide.js'
export type { Condition } from './etcd/client.js'
export { Etcd } from './etcd/client.js'
export type { EtcdOptions } from './etcd/options.js'
export { type ForwardedRequest, openForward, sealForward } from './forward.js'
export {
  clusterKeys,
  commonKeys,
  fleetKeys,
  type InstanceRecord,
  instanceKey,
  ownerKey,
  parseFleet,
  scopeOfSettings,
  sessionKey,
  sessionKeys,
  sessionsKey,
  settingsKey,
  settingsKeys,
  tokenKey,
} from './keys.js'
export { leftOf, mayBegin, noTerm, type Term, termOf } from './term.js'
export { agreeOnTokens, isKnown, joinTokens, parseToken, renderToken } from './tokens.js'
