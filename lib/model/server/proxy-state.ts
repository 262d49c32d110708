// The states of a proxy.

/**
 * running: answers and matches the applied configuration. desync: answers, but differs from it. suspect: did not answer the last
 * probe. failed: did not answer several probes.
 */
export type ProxyStateName = 'running' | 'desync' | 'suspect' | 'failed'
