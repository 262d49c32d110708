// The states of a registration and what leads from one to another, as a table (pure).

export const registrationStates = ['idle', 'pending', 'complete', 'timeout', 'error'] as const

/**
 * idle: not registered. pending: the account waits for its confirmation. complete: registered. timeout: not confirmed in
 * time. error: the service refused while it was waited for.
 */
export type RegistrationState = (typeof registrationStates)[number]

export const registrationEvents = ['requested', 'withdrawn', 'confirmed', 'refused', 'expired', 'unregistered'] as const

/**
 * requested: the account is asked for. withdrawn: that was refused. confirmed: the service has registered the manager. refused,
 * expired: while waiting. unregistered: on request.
 */
export type RegistrationEvent = (typeof registrationEvents)[number]

/** What is not in the table does not happen. */
const transitions: Readonly<
  Record<RegistrationState, Readonly<Partial<Record<RegistrationEvent, RegistrationState>>>>
> = {
  idle: { requested: 'pending', confirmed: 'complete' },
  pending: { withdrawn: 'idle', confirmed: 'complete', refused: 'error', expired: 'timeout' },
  complete: { unregistered: 'idle' },
  timeout: { requested: 'pending', confirmed: 'complete' },
  error: { requested: 'pending', confirmed: 'complete' },
}

/** The state after the event; undefined where it cannot happen. */
export const nextState = (state: RegistrationState, event: RegistrationEvent): RegistrationState | undefined =>
  transitions[state][event]
