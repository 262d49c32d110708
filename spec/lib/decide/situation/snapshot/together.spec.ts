import { expect } from 'chai'
import { SECOND } from '../../../../../lib/base/time.js'
import { seenTogether } from '../../../../../lib/decide/situation/snapshot/together.js'
import { NOW, primary, refused, replica, settings } from '../../../../support/simulator/situation.js'

/** A probe of a server near by, milliseconds. */
const FAST = 20

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

  it('are those of a server far away, whose login took long before it was asked', () => {
    const probeMs = 5 * SECOND
    const far = (askedAt: number) => beside({ stateAt: NOW, probeMs, stateFrom: askedAt })
    expect(seenTogether(far(NOW - SECOND), settings)).to.equal(true)
    expect(seenTogether(far(NOW - probeMs), settings)).to.equal(false)
  })

  it('are not those from before a server turned: whom the others follow since then is not known', () => {
    const turned = (turnedAt: number, probeMs = 5) => [
      primary(1, {}, { stateAt: NOW, probeMs, turnedAt }),
      replica(2, { server: { stateAt: NOW - 10, probeMs: FAST } }),
    ]
    expect(seenTogether(turned(NOW), settings)).to.equal(false)
    expect(seenTogether(turned(NOW - 29), settings)).to.equal(false)
    expect(seenTogether(turned(NOW - 30), settings)).to.equal(true)
    const both = (probeMs: number) => [
      primary(1, {}, { stateAt: NOW, probeMs, turnedAt: NOW - 40 }),
      replica(2, { server: { stateAt: NOW - 10, probeMs: FAST, turnedAt: NOW - 50 } }),
    ]
    expect(seenTogether(both(50), settings)).to.equal(true)
    expect(seenTogether(both(51), settings)).to.equal(false)
  })

  it('are those of the servers that answer', () => {
    expect(seenTogether(beside({ ...refused, stateAt: NOW - 9 * SECOND }), settings)).to.equal(true)
    expect(seenTogether([], settings)).to.equal(true)
  })
})
