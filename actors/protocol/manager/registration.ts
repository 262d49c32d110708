// What the routes can request of the registration at a hosted service.
import type { Result } from '../../../lib/base/result.js'
import type { Secret } from '../../../lib/base/secret.js'
import type { HostedPlan, OfferedPlan, RegistrationStatus } from '../../../lib/hosted/index.js'

export interface RegistrationRequest {
  readonly email: string
  readonly password: Secret
  /** `domain.subdomain.zone`. */
  readonly uri: string
  /** Who asks. */
  readonly user: string
}

/** What the service answered, without secrets, and the name it is about. */
export type RegistrationAnswer = Readonly<Record<string, unknown>> & { readonly uri: string }

export interface SubscriptionView {
  readonly uri: string
  readonly plan: HostedPlan
}

export interface RegistrationFace {
  /** Asks for the account; then waits for its confirmation. */
  register(request: RegistrationRequest): Promise<Result<RegistrationAnswer>>
  /** Asks once whether the account is confirmed, and connects this manager; `connect_error` where that failed. */
  confirm(request: RegistrationRequest): Promise<Result<RegistrationAnswer>>
  status(): RegistrationStatus
  /** Of the manager named, by default this one. `unknown-account` while no account is known here. */
  subscription(uri: string | undefined): Promise<Result<SubscriptionView>>
  subscribe(request: SubscriptionView & { readonly user: string }): Promise<Result<SubscriptionView>>
  /** What the service offers. */
  plans(): Promise<Result<readonly OfferedPlan[]>>
  /** Ends the registration of this manager there, then here. */
  unregister(request: { readonly uri: string; readonly user: string }): Promise<Result<{ readonly uri: string }>>
}
