// Clusters that identities create without an operator, and the capacity that is sold to them; in force while `hosted` is on.
import { setting } from '../../kit/row.js'
import { boolean, integer, text } from '../../kit/shape.js'

const count = { scope: 'server', apply: 'live' } as const

export const selfServiceSettings = {
  'hosted-self-service-clusters': setting({
    shape: boolean(),
    default: false,
    scope: 'server',
    apply: 'live',
    doc: 'Users without a password (single sign-on) may create clusters on the orchestrator of prov-orchestrator in [Default], local so far (share/doc/self-service.md). Off: no script is run and nothing is computed.',
  }),
  'hosted-self-service-max-clusters-per-user': setting({
    ...count,
    shape: integer({ max: 10_000, unit: 'clusters' }),
    default: 3,
    doc: 'Clusters that one identity may sponsor; dropping one frees its place.',
  }),
  'hosted-self-service-cache-seconds': setting({
    ...count,
    shape: integer({ max: 86_400, unit: 'seconds' }),
    default: 10,
    doc: 'How long GET /api/hosted/self-service answers from what was computed last, and keeps the verdict of the gate script for an identity; 0: computed at every request. A creation computes in any case.',
  }),
  'hosted-self-service-clusters-enabled-script': setting({
    ...count,
    shape: text(),
    default: '',
    machine: 'program',
    doc: 'Gate script, run before every creation; arguments: identity, orchestrator. A status other than 0, or no answer within 30 s, refuses it; its first line of output is the reason. Empty: none.',
  }),
  'hosted-self-service-clusters-can-borrow': setting({
    ...count,
    shape: boolean(),
    default: false,
    doc: 'A cluster that the pool cannot guarantee is created on what is left of the capacity: without quota, minus every plan, minus what clusters use above theirs.',
  }),
  'hosted-self-service-sponsor': setting({
    shape: text(),
    default: '',
    scope: 'cluster',
    apply: 'live',
    machine: 'account',
    grant: 'sales-validate',
    doc: 'Identity that created the cluster in self-service, set then: the cluster counts for its limit, reserves the plan of two databases at least, and its databases’ account may be mailed to it. Empty: none.',
  }),
  'resource-manager-infra-quota-pct': setting({
    ...count,
    shape: integer({ max: 1_000, unit: 'percent' }),
    default: 100,
    doc: 'Share of the declared capacity that plans may take; above 100 more is sold than there is.',
  }),
  'resource-manager-infra-cpu-cores': setting({
    ...count,
    shape: integer({ max: 10_000_000, unit: 'cores' }),
    default: 0,
    doc: 'Cores of the infrastructure of self-service; 0: not known, they limit nothing.',
  }),
  'resource-manager-infra-memory-mb': setting({
    ...count,
    shape: integer({ max: 100_000_000_000, unit: 'MB' }),
    default: 0,
    doc: 'Memory of the infrastructure of self-service; 0: not known, it limits nothing.',
  }),
}
