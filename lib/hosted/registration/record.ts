// What a manager keeps of its registration over a restart, and what it shows of it.
import * as z from 'zod'
import { type HostedPlan, hostedPlans } from '../instance/plan.js'
import { type RegistrationState, registrationStates } from './states.js'

/** The connection after a confirmation. */
export interface Connection {
  readonly state: 'running' | 'failed' | 'done'
  /** Why it failed. */
  readonly problem?: string
}

export interface RegistrationRecord {
  readonly state: RegistrationState
  /** Empty while there is none. */
  readonly uri: string
  readonly email: string
  readonly message: string
  /** Milliseconds since the epoch. */
  readonly since: number
  /** Until when the confirmation is waited for. */
  readonly until?: number
  /** The password while it is still needed, encrypted with the key of the settings; absent without a key. */
  readonly sealed?: string
  /** What the service answered to the confirmation, without secrets. */
  readonly result?: Readonly<Record<string, unknown>>
  readonly connection?: Connection
  /** Of the subscription, as the service named it last. */
  readonly plan?: HostedPlan
}

export const noRegistration: RegistrationRecord = {
  ...{ state: 'idle', uri: '', email: '', message: 'This manager is not registered.', since: 0 },
}

const shape: z.ZodType<RegistrationRecord> = z.looseObject({
  state: z.enum(registrationStates),
  ...{ uri: z.string(), email: z.string(), message: z.string(), since: z.number() },
  until: z.number().exactOptional(),
  sealed: z.string().exactOptional(),
  result: z.record(z.string(), z.unknown()).exactOptional(),
  connection: z
    .looseObject({
      state: z.enum(['running', 'failed', 'done']),
      problem: z.string().exactOptional(),
    })
    .exactOptional(),
  plan: z.enum(hostedPlans).exactOptional(),
})

/** The record when the value is one, else undefined. */
export const acceptRegistration = (value: unknown): RegistrationRecord | undefined => shape.safeParse(value).data

/** What `GET /api/register/status` answers. */
export interface RegistrationStatus {
  readonly state: RegistrationState
  readonly message: string
  readonly result?: Readonly<Record<string, unknown>>
}

export function renderStatus({
  state,
  message,
  uri,
  plan,
  result,
  connection,
}: RegistrationRecord): RegistrationStatus {
  if (state !== 'complete') return { state, message }
  const problem = connection?.problem
  return {
    ...{ state, message },
    result: {
      ...{ ...result, uri },
      ...(plan === undefined ? {} : { plan }),
      ...(problem === undefined ? {} : { connect_error: problem }),
    },
  }
}
