// The public interface of hosted services: names of managers, plans, licenses, registration and its API.

export { type Account, type Applicant, type OfferedPlan, RegistrationApi } from './api/registration-api.js'
export { type HostedPlan, hostedPlans, isHostedPlan, leastPlan, permitsOf } from './instance/plan.js'
export { type InstanceUri, parseUri, renderUri, uriOfSettings, uriPattern } from './instance/uri.js'
export { type License, readSigningKey, renderLicense, signLicense } from './license/license.js'
export { readLicense, SIGNING_KEY, signatureOf } from './license/license-files.js'
export {
  acceptRegistration,
  type Connection,
  noRegistration,
  type RegistrationRecord,
  type RegistrationStatus,
  renderStatus,
} from './registration/record.js'
export { nextState, type RegistrationEvent, type RegistrationState } from './registration/states.js'
export {
  type Applicant as SelfServiceApplicant,
  type Holdings,
  judgeDoor,
  judgeRoom,
  neededUnits,
  type Offer,
  RESERVED_DATABASES,
  type Room,
} from './self-service/admission.js'
export { askGate, type GateQuestion, type GateVerdict } from './self-service/gate.js'
export {
  judgePool,
  type PoolFigures,
  type PoolTerms,
  poolFigures,
  type Taken,
  type Units,
} from './self-service/pool.js'
