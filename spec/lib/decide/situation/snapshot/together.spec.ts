import { expect } from 'chai'
import { SECOND } from '../../../../../lib/base/time.js'
import { seenTogether } from '../../../../../lib/decide/situation/snapshot/together.js'
import { NOW, primary, refused, replica, settings } from '../../../../support/simulator/situation.js'

describe('readings that belong together', () => {
  const beside = (other: Parameters<typeof primary>[2]) => [
    primary(1, {}, other),
    replica(2, { server: { stateAt: NOW, probeMs: 5 } }),
  ]

  it('began and ended within a few seconds', () => {
    expect(seenTogether(beside({ stateAt: NOW - SECOND, probeMs: 5 }), settings)).to.equal(true)
    expect(seenTogether(beside({ stateAt: NOW - 5 * SECOND, probeMs: 5 }), settings)).to.equal(false)
  })

  it('are not those of which one waited while the manager was suspended, though it ended now', () => {
    expect(seenTogether(beside({ stateAt: NOW, probeMs: 5 * SECOND }), settings)).to.equal(false)
  })

  it('are those of the servers that answer', () => {
    expect(seenTogether(beside({ ...refused, stateAt: NOW - 9 * SECOND }), settings)).to.equal(true)
    expect(seenTogether([], settings)).to.equal(true)
  })
})
