// How the limits of commands and of whole plans grow with the way to the servers.
import { expect } from 'chai'
import { SECOND } from '../../../../lib/base/time.js'
import { lockSeconds } from '../../../../lib/effect/kit/statements.js'
import { defaultLimits, limitOf, nearby, wayOf } from '../../../../lib/effect/plan/limits.js'
import type { Command } from '../../../../lib/model/operation/command.js'

const far = SECOND / 2
const wayTo = (id?: string): number => ({ db1: 1, db3: far })[id ?? 'db3'] ?? 0

describe('limitOf', () => {
  const fence: Command = { type: 'fence', server: 'db3', timeoutMs: SECOND }
  const repoint: Command = { type: 'repoint', server: 'db1', source: 'db3' }

  it('is the time of the command where the servers are nearby', () => {
    expect(limitOf(fence, nearby)).to.include({ nearbyMs: SECOND, limitMs: SECOND })
    const { limitMs } = limitOf(repoint, nearby)
    expect(limitMs).to.equal(defaultLimits.repoint)
  })

  it('leaves the time nearby to the server, after a login and a statement that are far away', () => {
    const { nearbyMs, limitMs, tripMs } = limitOf(fence, wayTo)
    expect({ nearbyMs, tripMs }).to.deep.equal({ nearbyMs: SECOND, tripMs: far })
    const [login, statement] = [8 * far, far]
    expect(limitMs - nearbyMs).to.be.at.least(login + statement)
  })

  it('goes by the farthest server of the command', () => {
    expect(limitOf(repoint, wayTo).tripMs).to.equal(far)
    expect(limitOf({ ...repoint, source: 'db2' }, wayTo).tripMs).to.equal(1)
    expect(limitOf({ type: 'reprobe', candidate: 'db1' }, wayTo).tripMs, 'asks all').to.equal(far)
    expect(limitOf({ type: 'set-semi-sync', server: 'db1', source: true, replica: false }, wayTo).tripMs).to.equal(1)
    expect(limitOf({ type: 'route-writes' }, wayTo).tripMs, 'proxies are elsewhere').to.equal(0)
  })

  it('takes the round trips that the command names', () => {
    expect(limitOf({ ...fence, trips: 2 }, wayTo).limitMs).to.equal(SECOND + 2 * far)
  })

  it('adds up for a plan', () => {
    expect(wayOf([{ ...fence, trips: 2 }, { ...fence, trips: 3 }, { type: 'route-writes' }], wayTo)).to.equal(5 * far)
    expect(wayOf([fence, repoint], nearby)).to.equal(0)
  })
})

describe('lockSeconds', () => {
  const seconds = (nearbyMs: number, tripMs: number, leftMs: number) =>
    lockSeconds({ nearbyMs, tripMs, remaining: () => leftMs } as never)

  it('ends in the server before the command does, and not later because that is far away', () => {
    expect(seconds(10 * SECOND, 0, 10 * SECOND)).to.equal(9)
    expect(seconds(10 * SECOND, far, 16 * SECOND), 'nothing was needed of the way').to.equal(9)
    expect(seconds(10 * SECOND, far, 3 * SECOND + far)).to.equal(2)
    expect(seconds(SECOND / 4, far, SECOND), 'at least one').to.equal(1)
  })
})
