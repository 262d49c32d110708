// A server that another cluster goes on sending to cannot follow a primary that has a part of it.
import { expect } from 'chai'
import { elect } from '../../../../lib/decide/failover/election/elect.js'
import { planCleanup } from '../../../../lib/decide/repair/cleanup.js'
import { foreignHold } from '../../../../lib/decide/repair/foreign-hold.js'
import { planRejoin } from '../../../../lib/decide/repair/rejoin.js'
import { errantOf } from '../../../../lib/decide/situation/history/holdings.js'
import { formatSet } from '../../../../lib/model/server/gtid.js'
import type { Channel } from '../../../../lib/model/server/reading.js'
import { findServer, type ServerSnapshot } from '../../../../lib/model/snapshot.js'
import {
  channel,
  crash,
  cutOff,
  type JudgedSituation,
  primary,
  refused,
  replica,
  server,
  situation,
  stateOf,
} from '../../../support/simulator/situation.js'

const foreign = (position: string, rest: Partial<Channel> = {}): Channel => ({
  ...channel({ source: 9, name: 'x', received: position }),
  ...rest,
})
const stopped = { io: 'stopped', sql: 'stopped' } as const

/** db1 was the primary with channel x; db2, which had 7-9-500 then, replaced it. */
function returned(position: string, channels: readonly Channel[]): JudgedSituation {
  const old = server(1, { state: stateOf(1, { executed: position, replicaPosition: '7-9-500', channels }) })
  const next = primary(2, { executed: '0-1-100,7-9-500' })
  const other = replica(3, { source: 2, received: '0-1-100,7-9-500' })
  return situation([old, next, other], { memory: { primary: 'db2', crashes: [crash()] } })
}
const called = (judged: JudgedSituation, id: string): ServerSnapshot => {
  const found = findServer(judged.snapshot, id)
  if (!found) throw new Error(`${id} is there`)
  return found
}
const codes = (judged: JudgedSituation) => judged.snapshot.findings.map(({ code }) => code)
const holdOf = (judged: JudgedSituation) => foreignHold(called(judged, 'db1'), judged)

describe('foreignHold', () => {
  const ahead = '0-1-100,7-9-520'

  it('keeps a former primary out that has more from there than its successor', () => {
    const judged = returned(ahead, [foreign(ahead)])
    expect(formatSet(holdOf(judged)?.extra ?? {})).to.equal('7-9:501-520')
    expect(planRejoin(judged)).to.equal(undefined)
    expect(codes(judged)).to.include('WARN0264').and.not.include('WARN0186')
    expect(judged.snapshot.findings.find(({ code }) => code === 'WARN0264')?.detail).to.equal(
      'db1, channel x from db9:3306: the primary is missing 20 transactions, 7-9:501-520.',
    )
  })

  it('keeps it out while the channel runs, though the successor has everything just now', () => {
    const judged = returned('0-1-100,7-9-500', [foreign('0-1-100,7-9-500')])
    expect(holdOf(judged)?.isOut).to.equal(true)
    expect(planRejoin(judged)).to.equal(undefined)
    expect(codes(judged)).to.include('WARN0264').and.not.include('WARN0022')
  })

  it('lets it follow once the channel is stopped and the successor has everything', () => {
    const judged = returned('0-1-100,7-9-500', [foreign('0-1-100,7-9-500', stopped)])
    expect(holdOf(judged)).to.equal(undefined)
    expect(planRejoin(judged)?.commands.map(({ type }) => type)).to.include('repoint')
  })

  it('counts what it wrote itself as its own', () => {
    const position = '0-1-103,7-9-520'
    const judged = returned(position, [foreign(position)])
    expect(codes(judged)).to.include.members(['WARN0264', 'WARN0186'])
    const plan = planRejoin(judged)?.commands[0]
    expect(plan?.type === 'save-tail' ? formatSet(plan.extra) : '').to.equal('0-1:101-103')
  })

  it('says of a replica that follows with such a channel that it may be refused next time', () => {
    const position = '0-1-100,7-9-500'
    const main = channel({ source: 1, received: position })
    const shared = server(2, {
      state: stateOf(2, { executed: position, replicaPosition: position, channels: [main, foreign(position)] }),
    })
    const judged = situation([primary(1, { executed: '0-1-100,7-9-400' }), shared, replica(3)])
    expect(judged.snapshot.findings.find(({ code }) => code === 'WARN0265')?.detail).to.equal(
      'db2, channel x from db9:3306: domain 7.',
    )
    const apart = situation([primary(), shared, replica(3)])
    expect(codes(apart)).to.not.include.members(['WARN0264', 'WARN0265'])
  })
})

describe('A primary with a channel to another cluster', () => {
  it('is replaced when it dies: what it passed on since its last reading makes no replica errant', () => {
    const position = '0-1-100,7-9-400'
    const old = primary(1, { executed: position, channels: [foreign(position)] }, refused)
    const judged = situation([
      old,
      replica(2, { received: '0-1-100,7-9-500', ...cutOff }),
      replica(3, { received: '0-1-100,7-9-500', ...cutOff }),
    ])
    expect(errantOf(called(judged, 'db2'), called(judged, 'db1'), judged.memory)).to.deep.equal({})
    expect(elect(judged, { kind: 'failover' }).candidate).to.equal('db2')
    expect(codes(judged)).to.not.include('WARN0091')
  })
})

describe('planCleanup with a channel to another cluster', () => {
  it('is refused: the position of that channel would be deleted', () => {
    const position = '0-1-100,7-9-500'
    const judged = situation([primary(1, { executed: position, channels: [foreign(position)] }), replica(2)])
    const plan = planCleanup(judged, { force: true })
    expect(plan.ok ? '' : plan.failure.message).to.include('db1 (channel x from db9:3306) also replicates')
  })
})
