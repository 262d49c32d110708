// The registration of this manager at a hosted service: how it stands, and what a person does next.
import { fieldsOf, listOf, present, textOf, wireOf } from '../wire.js'

export const registrationStates = ['idle', 'pending', 'complete', 'timeout', 'error'] as const

export type RegistrationState = (typeof registrationStates)[number]

export interface Registration {
  readonly state: RegistrationState
  readonly message: string
  /** `domain.subdomain.zone`, of one that is complete. */
  readonly uri?: string
  readonly plan?: string
  /** Registered, and this manager could not be connected. */
  readonly connectError?: string
}

/** Of `/api/register/status`; undefined for a reply that names no state. */
export function readRegistration(reply: unknown): Registration | undefined {
  const wire = fieldsOf(wireOf<'GET /api/register/status'>(reply))
  const state = registrationStates.find((each) => each === wire.state)
  if (state === undefined) return undefined
  const { uri, plan, connect_error: problem } = fieldsOf(wire.result) as Readonly<Record<string, unknown>>
  return present<Registration>({
    ...{ state, message: textOf(wire.message) ?? '', uri: textOf(uri), plan: textOf(plan) },
    connectError: textOf(problem),
  })
}

/** What is asked of a person in each state. */
export const nextSteps: Readonly<Record<RegistrationState, string>> = {
  idle: 'Register with an account at the git host of the service, and the name that this manager is to have.',
  pending:
    'Open the link in the mail that the service has sent to the address of the account. The manager asks every 10 s whether that was done, also after a restart.',
  complete: 'Nothing: the manager is registered and connected.',
  timeout:
    'The mail was not answered within five minutes. If it is answered by now, ask again whether the account is confirmed; else register again.',
  error: 'Read why above. Correct it, then register again, or ask again whether the account is confirmed.',
}

/** Connecting is repeatable: the service does not need to confirm twice. */
export const nextStepOf = ({ state, connectError }: Registration): string =>
  state === 'complete' && connectError !== undefined
    ? 'The service knows this manager, and its settings could not be changed. Give the account once more to connect.'
    : nextSteps[state]

/** Which actions lead on. */
export const mayRegister = ({ state }: Registration): boolean =>
  state === 'idle' || state === 'timeout' || state === 'error'

export const mayConfirm = ({ state, connectError }: Registration): boolean =>
  state === 'complete' ? connectError !== undefined : true

export interface OfferedPlan {
  readonly plan: string
  /** What the service says of it: names with values. */
  readonly details: readonly (readonly [name: string, value: string])[]
}

/** Of `/api/register/subscription/plans`. */
export const readPlans = (reply: unknown): readonly OfferedPlan[] =>
  listOf(wireOf<'GET /api/register/subscription/plans'>(reply)).flatMap((wire) => {
    const { plan, ...rest } = wire as Readonly<Record<string, unknown>>
    const name = textOf(plan)
    if (name === undefined) return []
    const details = Object.entries(rest).flatMap(([key, value]) =>
      typeof value === 'string' || typeof value === 'number' ? [[key, String(value)] as const] : [],
    )
    return [{ plan: name, details }]
  })

export interface AccountWish {
  readonly email: string
  readonly password: string
  readonly uri: string
}

/** What the form still needs, in words; undefined: nothing. */
export function missingOf({ email, password, uri }: AccountWish): string | undefined {
  if (!/^[^\s@]+@[^\s@]+$/.test(email)) return 'The address of the account is needed.'
  if (password.length < 8) return 'Its password is needed: at least 8 characters.'
  if (!/^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?){2}$/.test(uri))
    return 'The name is domain.subdomain.zone: lower-case letters, digits and inner hyphens.'
  return undefined
}
