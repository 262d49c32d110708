// How much of the time the cluster was writable, failable and in sync: three accumulators over elapsed time.

export interface Sla {
  readonly since: number
  readonly at: number
  readonly upMs: number
  readonly failableMs: number
  readonly syncMs: number
}

export interface SlaState {
  readonly up: boolean
  readonly failable: boolean
  readonly inSync: boolean
}

export const startSla = (now: number): Sla => ({ since: now, at: now, upMs: 0, failableMs: 0, syncMs: 0 })

/** Adds the time since the last call, counted by the state that held during it. */
export function advanceSla(sla: Sla, state: SlaState, now: number): Sla {
  const elapsed = Math.max(0, now - sla.at)
  return {
    since: sla.since,
    at: now,
    upMs: sla.upMs + (state.up ? elapsed : 0),
    failableMs: sla.failableMs + (state.failable ? elapsed : 0),
    syncMs: sla.syncMs + (state.inSync ? elapsed : 0),
  }
}

/** Percent as text with five decimals; never rounds up to a full hundred unless nothing was missed. */
export function slaPercent(partMs: number, sla: Sla): string {
  const total = sla.at - sla.since
  if (total <= 0 || partMs >= total) return '100.00000'
  return Math.min(99.99999, (partMs / total) * 100).toFixed(5)
}
