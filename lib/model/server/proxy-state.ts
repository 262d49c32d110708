// How a proxy stands.

/**
 * running: answers and does what it was told. desync: answers, and does something else. suspect: did not answer the last
 * time. failed: has not answered for several times.
 */
export type ProxyStateName = 'running' | 'desync' | 'suspect' | 'failed'
