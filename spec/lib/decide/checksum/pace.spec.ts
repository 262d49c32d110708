// The size of the parts and the rests between them.
import { expect } from 'chai'
import fc from 'fast-check'
import { FIRST_ROWS, judgePace, nextSize, smallerSize } from '../../../../lib/decide/checksum/pace.js'

const bounds = { lagSeconds: 5, running: 25 }

describe('nextSize', () => {
  it('follows the speed of the primary, at most twice as large as before', () => {
    expect(nextSize(1_000, { rows: 1_000, tookMs: 500 })).to.equal(500)
    expect(nextSize(1_000, { rows: 1_000, tookMs: 1 })).to.equal(2_000)
  })

  it('stays as it is after a part with few rows', () => {
    expect(nextSize(1_000, { rows: 3, tookMs: 1 })).to.equal(1_000)
  })

  it('never leaves its bounds', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 60_000 })), (durations) => {
        let size = FIRST_ROWS
        for (const tookMs of durations) size = nextSize(size, { rows: size, tookMs })
        expect(size).to.be.within(100, 20_000)
      }),
    )
  })
})

describe('smallerSize', () => {
  it('reaches the least size, and then gives up', () => {
    expect([1_000, 250, 100].map(smallerSize)).to.deep.equal([250, 100, undefined])
  })
})

describe('judgePace', () => {
  it('rests half as long as the part took, at most a second', () => {
    expect(judgePace({ running: 1 }, bounds, 200)).to.deep.equal({ ms: 100 })
    expect(judgePace({ running: 1 }, bounds, 60_000)).to.deep.equal({ ms: 1_000 })
  })

  it('waits while a replica is behind or the primary is busy, and names which', () => {
    expect(judgePace({ lag: { name: 'db2', seconds: 6 }, running: 1 }, bounds, 0).reason).to.equal(
      'db2 is 6 s behind, the limit is 5 s',
    )
    expect(judgePace({ running: 26 }, bounds, 0).reason).to.equal('the primary runs 26 statements, the limit is 25')
  })

  it('knows no bound of 0', () => {
    const pressure = { lag: { name: 'db2', seconds: 600 }, running: 900 }
    expect(judgePace(pressure, { lagSeconds: 0, running: 0 }, 0)).to.deep.equal({ ms: 0 })
  })
})
