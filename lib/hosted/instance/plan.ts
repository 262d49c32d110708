// The plans of a hosted service and what each permits, one row each.

interface HostedPlanRow {
  /** ALERT and ALERTOK are forwarded to `hosted-alert-slack-url`. */
  readonly forwardsAlerts: boolean
}

const rows = {
  free: { forwardsAlerts: false },
  support: { forwardsAlerts: true },
  'support-services': { forwardsAlerts: true },
  partner: { forwardsAlerts: true },
} as const satisfies Readonly<Record<string, HostedPlanRow>>

export type HostedPlan = keyof typeof rows

export const hostedPlans = Object.keys(rows) as readonly HostedPlan[]

/** The plan of a manager without a subscription and without a license. */
export const leastPlan: HostedPlan = 'free'

export const isHostedPlan = (text: unknown): text is HostedPlan => typeof text === 'string' && Object.hasOwn(rows, text)

/** What the plan permits. */
export const permitsOf = (plan: HostedPlan): HostedPlanRow => rows[plan]
