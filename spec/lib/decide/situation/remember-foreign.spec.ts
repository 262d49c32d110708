// What is known of other clusters holds for a manager that starts while the primary is dead, and for a channel that is gone.
import { expect } from 'chai'
import { elect } from '../../../../lib/decide/failover/election/elect.js'
import { limitToOwn } from '../../../../lib/decide/situation/foreign.js'
import { rememberForeign } from '../../../../lib/decide/situation/remember-foreign.js'
import { resolveSources } from '../../../../lib/decide/situation/topology/sources.js'
import { formatSet } from '../../../../lib/model/server/gtid.js'
import type { Channel } from '../../../../lib/model/server/reading.js'
import { findServer, type ServerSnapshot } from '../../../../lib/model/snapshot.js'
import {
  channel,
  cutOff,
  type JudgedSituation,
  NOW,
  primary,
  refused,
  replica,
  server,
  settings,
  situation,
  stateOf,
} from '../../../support/simulator/situation.js'

const POSITION = '0-1-100,7-1-500'

/** A replica of db1 with channel x from db9, whose server_id is `foreignNumber`. */
function shared(position = POSITION, { foreignNumber = 1, own = {} as Partial<Channel> } = {}): ServerSnapshot {
  const foreign = channel({ source: 9, name: 'x', received: position })
  const x = { ...foreign, source: { ...foreign.source, serverNumber: foreignNumber } }
  const main = { ...channel({ source: 1, received: position }), ...own }
  return server(2, { state: stateOf(2, { executed: position, replicaPosition: position, channels: [x, main] }) })
}

/** db2 without channel x any more. */
const alone = (position = POSITION) => replica(2, { received: position })

/** A primary that was dead before its first reading. */
function unread(): ServerSnapshot {
  const { stateAt: _, state: __, ...rest } = server(1, refused)
  return rest as ServerSnapshot
}

const lost: Partial<Channel> = { io: 'connecting', ioError: { code: 2003, message: 'cannot connect' } }
const executed = (judged: JudgedSituation, id = 'db2') =>
  formatSet(findServer(judged.snapshot, id)?.state?.gtid.executed ?? {})
const candidate = (judged: JudgedSituation) => elect(judged, { kind: 'failover' }).candidate
const codes = (judged: JudgedSituation) => judged.snapshot.findings.map(({ code }) => code)

describe('rememberForeign', () => {
  const before = situation([primary(), shared(), replica(3)])
  const after = [unread(), shared(POSITION, { own: lost }), replica(3, cutOff)]

  it('keeps the streams and the sources of channels of other clusters', () => {
    expect(before.memory.foreign).to.deep.equal({
      db2: { channels: { x: { host: 'db9', port: 3306 } }, streams: ['7'] },
    })
  })

  it('lets the other replica take over when a manager starts after the death of the primary', () => {
    const judged = situation(after, { memory: before.memory })
    expect(executed(judged)).to.equal('0:1-100')
    expect(candidate(judged)).to.equal('db3')
    expect(codes(judged)).to.not.include('WARN0255')
  })

  it('says where nothing is known, and counts everything then', () => {
    const judged = situation(after)
    expect(executed(judged)).to.equal('0:1-100,7:1-500')
    expect(candidate(judged)).to.equal('db2')
    expect(codes(judged)).to.include('WARN0255')
    expect(elect(judged, { kind: 'failover' }).ranking[0]?.reason).to.include('it is not known whether 7')
  })

  it('needs no memory where the foreign source wrote the domain, and no server of the cluster has its number', () => {
    const others = shared('0-1-100,7-9-500', { foreignNumber: 9, own: lost })
    const judged = situation([unread(), others, replica(3, cutOff)], { memory: { members: { db1: 1 } } })
    expect(executed(judged)).to.equal('0:1-100')
    expect(candidate(judged)).to.equal('db3')
  })

  it('does not conclude it while the number of a server is unknown', () => {
    const others = shared('0-1-100,7-9-500', { foreignNumber: 9 })
    const servers = [unread(), { ...others, state: stateOf(2, { channels: others.state?.channels.slice(0, 1) ?? [] }) }]
    const limited = limitToOwn(resolveSources(servers as ServerSnapshot[], { settings, memory: {} }), {
      memory: {},
      settings,
    })
    expect(limited[1]?.reported).to.equal(undefined)
  })

  it('keeps what it knows of a server that does not answer', () => {
    const { stateAt: _, state: __, ...silentOne } = server(2, refused)
    const judged = situation([primary(), silentOne as ServerSnapshot, replica(3)], { memory: before.memory })
    expect(judged.memory.foreign).to.equal(before.memory.foreign)
  })

  it('keeps the streams of a replica that lost the channel: it wins by none of them', () => {
    const judged = situation([primary(), alone(), replica(3)], { memory: before.memory })
    expect(executed(judged)).to.equal('0:1-100')
    expect(judged.memory.foreign).to.deep.equal({ db2: { channels: {}, streams: ['7'] } })
    const dead = situation([unread(), replica(2, { received: POSITION, ...cutOff }), replica(3, cutOff)], {
      memory: judged.memory,
    })
    expect(elect(dead, { kind: 'failover' }).ranking.map(({ missing }) => missing)).to.deep.equal([0, 0])
  })

  it('forgets a stream as soon as the cluster has it', () => {
    const all = [primary(1, { executed: POSITION }), alone(), replica(3, { received: POSITION })]
    const judged = situation(all, { memory: before.memory })
    expect(executed(judged)).to.equal('0:1-100,7:1-500')
    expect(judged.memory.foreign).to.deep.equal({})
  })

  it('counts a stream that a primary was seen to have, though no server that answers shows it', () => {
    const held = { primary: 'db1', set: { '0-1': [[1, 100]], '7-1': [[1, 500]] }, at: NOW } as const
    const judged = situation(after, { memory: { ...before.memory, held } })
    expect(executed(judged)).to.equal('0:1-100,7:1-500')
  })

  it('is the very memory given while nothing changes', () => {
    const again = situation([primary(), shared(), replica(3)], { memory: before.memory })
    expect(again.memory.foreign).to.equal(before.memory.foreign)
    expect(rememberForeign(before.memory, again.snapshot.servers, 'db1')).to.deep.equal({})
  })

  it('knows a channel by its source: another one under its name is judged by its source alone', () => {
    const elsewhere = { source: { host: 'net-1', port: 3306, serverNumber: 1, user: 'repl' } }
    const at = (host: string) => {
      const one = shared(POSITION, { own: elsewhere })
      const channels = one.state?.channels.map((each) =>
        each.name === 'x' ? { ...each, source: { ...each.source, host } } : each,
      )
      return { ...one, state: { ...one.state, channels } } as ServerSnapshot
    }
    const own = (host: string) => {
      const judged = situation([primary(), at(host), replica(3)], { memory: before.memory })
      return findServer(judged.snapshot, 'db2')?.foreignChannels
    }
    expect(own('db9')).to.deep.equal(['x'])
    expect(own('db8')).to.equal(undefined)
  })
})
