// Whether a proxy is still the process that it was: a new one has forgotten what was configured in it.
import type { ProxyProcess, ProxyReading } from './index.js'

/**
 * Whether the process that answers now may not be the one that answered before: the proxy was away meanwhile, or it says so itself. A restart
 * between two readings shows by the second alone. False for a proxy that does not answer now.
 */
export function hasReturned(before: ProxyReading | undefined, { alive, process }: ProxyReading): boolean {
  if (!alive || before === undefined) return false
  return !before.alive || isAnother(before.process ?? {}, process ?? {})
}

const isAnother = (before: ProxyProcess, after: ProxyProcess): boolean =>
  (before.id !== undefined && after.id !== undefined && before.id !== after.id) ||
  (before.upMs !== undefined && after.upMs !== undefined && after.upMs < before.upMs)
