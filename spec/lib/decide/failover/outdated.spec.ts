// Plans that a manager continues after it was suspended: what the servers show by then decides whether they go on.
import { expect } from 'chai'
import { type Outdated, refuseOutdated } from '../../../../lib/decide/failover/outdated.js'
import type { ServerSnapshot } from '../../../../lib/model/snapshot.js'
import { cutOff, primary, refused, replica, server, situation } from '../../../support/simulator/situation.js'

const frozen = {
  steps: [{ command: { type: 'reprobe', candidate: 'db2', frozen: true } as const, state: 'done' as const }],
}
const failover: Outdated = { kind: 'failover', owner: 'manager', oldPrimary: 'db1', newPrimary: 'db2', ...frozen }
const switchover: Outdated = { kind: 'switchover', owner: 'ann', oldPrimary: 'db1', newPrimary: 'db2', steps: [] }
const stopped = { io: 'stopped' } as const
const dead = server(1, refused)
const frozenOld = primary(1, { readOnly: true })

describe('refuseOutdated', () => {
  for (const [claim, expected, servers, operation, candidate = 'db2'] of [
    ['lets a failover go on without interference', undefined, [dead, replica(2, stopped), replica(3, stopped)]],
    [
      'lets one go on whose candidate is promoted',
      undefined,
      [dead, primary(2, { readOnly: true }), replica(3, stopped)],
    ],
    ['lets a switchover go on', undefined, [frozenOld, replica(2), replica(3)], switchover],
    [
      'lets a switchover go back',
      undefined,
      [frozenOld, primary(2, { readOnly: true }), replica(3)],
      switchover,
      'db1',
    ],
    ['refuses when another replica was opened', 'db3', [dead, replica(2, stopped), primary(3)]],
    [
      'refuses when another server is followed',
      'db3',
      [dead, replica(2, { source: 3 }), primary(3, { readOnly: true })],
    ],
    ['refuses when the old primary takes writes again', 'db1', [primary(1), replica(2, stopped), replica(3, stopped)]],
    ['refuses when the candidate receives again', 'db1', [frozenOld, replica(2), replica(3, stopped)]],
    ['refuses when the candidate tries to receive again', 'db1', [dead, replica(2, cutOff), replica(3, stopped)]],
    [
      'refuses to go back when the role has moved on',
      'db3',
      [frozenOld, replica(2, { source: 3 }), primary(3)],
      switchover,
      'db1',
    ],
  ] as readonly (readonly [string, string | undefined, readonly ServerSnapshot[], Outdated?, string?])[])
    it(claim, () => {
      const refusal = refuseOutdated(situation(servers), candidate, operation ?? failover)
      if (expected === undefined) expect(refusal).to.equal(undefined)
      else expect(refusal).to.include(expected)
    })
})
