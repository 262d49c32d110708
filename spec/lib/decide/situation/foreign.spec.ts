// What a replica has from another cluster: it elects nobody, is nobody's loss, and is errant nowhere.
import { expect } from 'chai'
import { SECOND } from '../../../../lib/base/time.js'
import { elect } from '../../../../lib/decide/failover/election/elect.js'
import { judgeFailover } from '../../../../lib/decide/failover/failover.js'
import { applyReading } from '../../../../lib/decide/situation/health.js'
import { errantOf, executedByOrigin } from '../../../../lib/decide/situation/history/holdings.js'
import { judgeSwitchover } from '../../../../lib/decide/switchover/switchover.js'
import { formatSet, parseGtidSet } from '../../../../lib/model/server/gtid.js'
import type { Channel, ServerState } from '../../../../lib/model/server/reading.js'
import { findServer, type ServerSnapshot } from '../../../../lib/model/snapshot.js'
import {
  channel,
  cutOff,
  gtid,
  type JudgedSituation,
  NOW,
  primary,
  refused,
  replica,
  server,
  situation,
  stateOf,
} from '../../../support/simulator/situation.js'

/** A replica of db1 with channel x from db9, whose server_id is that of db1. */
function shared(
  number: number,
  position: string,
  own: Partial<Omit<Channel, 'received' | 'applied' | 'source'>> = {},
): ServerSnapshot {
  const foreign = channel({ source: 9, name: 'x', received: position })
  const x = { ...foreign, source: { ...foreign.source, serverNumber: 1 } }
  const main = channel({ source: 1, received: position, ...own })
  return server(number, {
    state: stateOf(number, { executed: position, replicaPosition: position, channels: [x, main] }),
  })
}

/** All servers were read a second ago, then the primary, which dies; the others are as `later`. */
function afterDeath(alive: readonly ServerSnapshot[], later: readonly ServerSnapshot[]): JudgedSituation {
  const { snapshot, memory } = situation(alive.map((one) => ({ ...one, stateAt: NOW - SECOND })))
  const servers = later.map((one) => {
    const { strange } = findServer(snapshot, one.id) ?? {}
    return { ...one, ...(strange ? { strange } : {}), ...(one.id === 'db1' ? refused : {}) }
  })
  return situation(servers, { memory })
}
const failover = (judged: JudgedSituation) => elect(judged, { kind: 'failover' })
const called = (judged: JudgedSituation, id: string): ServerSnapshot => {
  const found = findServer(judged.snapshot, id)
  if (!found) throw new Error(`${id} is there`)
  return found
}

describe('limitToOwn', () => {
  const position = '0-1-100,7-1-500'
  const servers = [primary(), shared(2, position), replica(3)]

  it('leaves out domains that only a channel to another cluster brings, though origins have equal numbers', () => {
    const judged = situation(servers)
    const { state, reported } = called(judged, 'db2')
    expect(formatSet(state?.gtid.executed ?? {})).to.equal('0:1-100')
    expect(formatSet(state?.gtid.foreign ?? {})).to.equal('7:1-500')
    expect(formatSet(executedByOrigin(called(judged, 'db2')))).to.equal('0-1:1-100')
    expect(formatSet(reported?.gtid.executed ?? {})).to.equal('0:1-100,7:1-500')
    expect(errantOf(called(judged, 'db2'), called(judged, 'db1'), judged.memory)).to.deep.equal({})
    expect(judged.memory.held?.set).to.deep.equal({ '0-1': [[1, 100]] })
    expect(judged.snapshot.findings.map(({ code }) => code)).to.not.include.members(['WARN0091'])
  })

  it('leaves them out of a reading that was not judged with the others yet', () => {
    const before = called(situation(servers), 'db2')
    const { state } = shared(2, '0-1-101,7-1-600')
    const reading = {
      server: 'db2',
      at: NOW + 10,
      tookMs: before?.probeMs ?? 0,
      observation: 'answered',
      state: state as ServerState,
    } as const
    const after = applyReading(before, reading, NOW + 10)
    expect(formatSet(after.state?.gtid.executed ?? {})).to.equal('0:1-101')
    expect(formatSet(after.reported?.gtid.executed ?? {})).to.equal('0:1-101,7:1-600')
  })

  it('lets the other replica take over when the primary dies, and counts no loss for it', () => {
    const dead = [primary(), shared(2, position, { io: 'connecting' }), replica(3, cutOff)]
    const judged = afterDeath(servers, dead)
    const { candidate, ranking, heldElsewhere } = failover(judged)
    expect(candidate).to.equal('db3')
    expect(ranking.map(({ server: id, missing }) => [id, missing])).to.deep.equal([
      ['db3', 0],
      ['db2', 0],
    ])
    expect(ranking[1]?.reason).to.include('also replicates from db9:3306 (channel x)')
    expect(heldElsewhere).to.deep.equal([])
    const { loss } = judgeFailover(judged)
    expect(loss.kind === 'at-least' || loss.kind === 'at-most' ? loss.transactions : 0).to.equal(0)
  })

  it('keeps a stream that came after the primary was last read: it may be of the primary', () => {
    const judged = afterDeath(
      [primary(), shared(2, '0-1-100'), replica(3)],
      [primary(), shared(2, '0-1-100,8-1-5', cutOff), replica(3, cutOff)],
    )
    expect(formatSet(called(judged, 'db2').state?.gtid.executed ?? {})).to.equal('0:1-100,8:1-5')
    expect(failover(judged).candidate).to.equal('db2')
    expect(judged.snapshot.findings.map(({ code }) => code)).to.include('WARN0255')
  })

  it('keeps domains of members: the gtid_domain_id of each, and what the server itself wrote', () => {
    const own = gtid('0-1-100,12-2-7,13-3-4', '0-1-100')
    const one = shared(2, position)
    const judged = situation([
      primary(),
      { ...one, state: { ...one.state, gtid: { ...own, domain: 12 } } as ServerState },
      replica(3, { state: { gtid: { ...gtid('0-1-100', '0-1-100'), domain: 13 } } }),
    ])
    expect(formatSet(called(judged, 'db2').state?.gtid.executed ?? {})).to.equal('0:1-100,12:1-7,13:1-4')
    expect(Object.keys(errantOf(called(judged, 'db2'), called(judged, 'db1'), judged.memory))).to.include('12-2')
  })

  it('counts everything of a primary with such a channel, and says that it flows to all', () => {
    const judged = situation([
      primary(1, { executed: position, channels: [channel({ source: 9, name: 'x', received: position })] }),
      replica(2, { received: position }),
      replica(3, { received: position }),
    ])
    expect(formatSet(called(judged, 'db1').state?.gtid.executed ?? {})).to.equal('0:1-100,7:1-500')
    expect(judged.snapshot.primary).to.equal('db1')
    expect(judged.snapshot.findings.find(({ code }) => code === 'WARN0256')?.detail).to.equal(
      'db1: channel x from db9:3306.',
    )
  })

  it('reports a domain that both clusters write in', () => {
    const one = shared(2, '0-9-120')
    const channels = one.state?.channels.map((each) =>
      each.name === 'x' ? { ...each, source: { ...each.source, serverNumber: 9 } } : each,
    )
    const judged = situation([primary(), { ...one, state: { ...one.state, channels } as ServerState }, replica(3)])
    expect(judged.snapshot.findings.find(({ code }) => code === 'WARN0255')?.detail).to.equal(
      'db2: channel x from db9:3306: 0.',
    )
  })

  describe('on MySQL', () => {
    const uuid = (number: number) => `${number}`.repeat(8)
    const mysql = (one: ServerSnapshot, executed: string, received = executed): ServerSnapshot => {
      const number = Number(one.id.slice(2))
      const set = parseGtidSet(executed)
      const text = { binlog: executed, current: executed, replica: executed, executed }
      const state = {
        ...one.state,
        ...{
          uuid: uuid(number),
          identity: { flavour: 'mysql', version: { major: 8, minor: 4, patch: 0 }, versionText: '8.4.0' },
        },
        gtid: { enabled: true, strict: true, domain: 0, executed: set, byOrigin: set, text },
        channels: (one.state?.channels ?? []).map((each) => ({
          ...each,
          ...{ received: parseGtidSet(received), applied: set },
          source: { ...each.source, uuid: uuid(Number(each.source.host.slice(2))) },
        })),
      }
      return { ...one, state: state as ServerState }
    }
    const cluster = (executed: string, received = executed) => [
      mysql(primary(), `${uuid(1)}:1-100`),
      mysql(shared(2, '0-1-1'), executed, received),
      mysql(replica(3), `${uuid(1)}:1-100`),
    ]

    it('leaves out streams that are named after the foreign source, received or executed, and those behind it', () => {
      const sets = `${uuid(1)}:1-100,${uuid(8)}:1-9,${uuid(9)}:1-50`
      const judged = situation(cluster(sets, `${uuid(1)}:1-100,${uuid(8)}:1-9,${uuid(9)}:1-53`))
      const { state } = called(judged, 'db2')
      expect(formatSet(state?.gtid.executed ?? {})).to.equal(`${uuid(1)}:1-100`)
      expect(formatSet(state?.channels.find(({ name }) => name === '')?.received ?? {})).to.equal(`${uuid(1)}:1-100`)
      expect(errantOf(called(judged, 'db2'), called(judged, 'db1'), judged.memory)).to.deep.equal({})
      expect(failover(judged).candidate).to.equal('db3')
    })

    it('leaves out what a former primary received there since, beyond what it passed on', () => {
      const [first, two, three] = cluster(`${uuid(1)}:1-100,${uuid(9)}:1-50`)
      if (!first || !two || !three) throw new Error('there are three')
      const passed = `${uuid(1)}:1-100,${uuid(9)}:1-30`
      const judged = situation([mysql(first, passed), two, mysql(three, passed)])
      expect(formatSet(called(judged, 'db2').state?.gtid.executed ?? {})).to.equal(`${uuid(1)}:1-100,${uuid(9)}:1-30`)
    })

    it('keeps transactions that the server itself wrote', () => {
      const judged = situation(cluster(`${uuid(1)}:1-100,${uuid(2)}:1-2`))
      expect(formatSet(errantOf(called(judged, 'db2'), called(judged, 'db1'), judged.memory))).to.equal(
        `${uuid(2)}:1-2`,
      )
    })
  })
})

describe('A replica whose own channel is not certain', () => {
  it('is not elected while a channel to another cluster has the configured name', () => {
    const named = shared(2, '0-1-100')
    const channels = named.state?.channels.map((each) => ({ ...each, name: each.name === '' ? 'own' : '' }))
    const judged = situation([primary(), { ...named, state: { ...named.state, channels } as ServerState }, replica(3)])
    const row = failover(judged).ranking.find(({ server: id }) => id === 'db2')
    expect(row?.code).to.equal('ERR00190')
    expect(judged.snapshot.findings.map(({ code }) => code)).to.include('ERR00190')
    expect(called(judged, 'db2').sourceId).to.equal('db1')
  })
})

describe('A primary that also replicates from another cluster', () => {
  const position = '0-1-100,7-1-500'
  const foreign = (io: Channel['io'], sql: Channel['sql']) =>
    primary(1, {
      executed: position,
      channels: [{ ...channel({ source: 9, name: 'x', received: position }), io, sql }],
    })
  const asked = (one: ServerSnapshot, next: ServerSnapshot) =>
    judgeSwitchover(situation([one, next, replica(3, { received: position, server: { maintenance: true } })]))

  it('keeps its role on MariaDB until that channel is stopped: it could not follow a server that does not receive there', () => {
    const refused = asked(foreign('running', 'running'), replica(2, { received: position }))
    expect(refused.ok ? '' : refused.failure.message).to.include('also replicates from db9:3306 (channel x)')
    expect(asked(foreign('stopped', 'stopped'), replica(2, { received: position })).ok).to.equal(true)
    expect(asked(foreign('running', 'running'), shared(2, position)).ok).to.equal(true)
  })
})
