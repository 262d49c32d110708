// What counts as proof that a primary is dead.
import { setting } from '../../kit/row.js'
import { boolean, integer, port } from '../../kit/shape.js'

export const evidenceSettings = {
  'failover-falsepositive-ping-counter': setting({
    shape: integer({ min: 1, max: 1000, unit: 'probes' }),
    default: 5,
    scope: 'cluster',
    apply: 'live',
    json: 'failoverFalsePositivePingCounter',
    doc: 'Silent probes in a row before the primary counts as dead; a refused connection needs fewer.',
  }),
  'failover-falsepositive-heartbeat': setting({
    shape: boolean(),
    default: true,
    scope: 'cluster',
    apply: 'live',
    json: 'failoverFalsePositiveHeartbeat',
    doc: 'Asks the replicas first: one that still hears the primary prevents a failover.',
  }),
  'failover-falsepositive-heartbeat-timeout': setting({
    shape: integer({ min: 1, max: 3600, unit: 'seconds' }),
    default: 3,
    scope: 'cluster',
    apply: 'live',
    json: 'failoverFalsePositiveHeartbeatTimeout',
    doc: 'How long a replica may have heard nothing before it counts as cut off.',
  }),
  'failover-falsepositive-external': setting({
    shape: boolean(),
    default: false,
    scope: 'cluster',
    apply: 'live',
    json: 'failoverFalsePositiveExternal',
    doc: "Asks an HTTP agent on the primary's host; its answer prevents a failover.",
  }),
  'failover-falsepositive-external-port': setting({
    shape: port(),
    default: 80,
    scope: 'cluster',
    apply: 'live',
    json: 'failoverFalsePositiveExternalPort',
    doc: 'Port of that agent.',
  }),
}
