// What is reported of channels to other clusters.
import { expect } from 'chai'
import type { Channel } from '../../../../lib/model/server/reading.js'
import type { ServerSnapshot } from '../../../../lib/model/snapshot.js'
import { channel, primary, refused, replica, situation } from '../../../support/simulator/situation.js'

const stopped = { code: 1593, message: 'equal server ids' }
const foreign = (rest: Partial<Channel>): Channel => ({ ...channel({ source: 9, name: 'x' }), ...rest })
const detailOf = (...servers: readonly ServerSnapshot[]) =>
  situation(servers).snapshot.findings.find(({ code }) => code === 'WARN0272')?.detail

describe('WARN0272, a channel to another cluster with an error', () => {
  const withReceiver = foreign({ io: 'stopped', ioError: stopped })

  it('names server, channel, thread, number and text, of the primary', () => {
    expect(detailOf(primary(1, { channels: [withReceiver] }), replica(2))).to.equal(
      'db1: channel x from db9:3306: the receiver is stopped, error 1593: equal server ids',
    )
  })

  it('does so of a replica, both threads, and a receiver that gets no connection', () => {
    const both = foreign({
      ...{ io: 'connecting', ioError: { code: 1045, message: 'denied' } },
      ...{ sql: 'stopped', sqlError: { code: 1146, message: 'no table' } },
    })
    expect(detailOf(primary(), replica(2, { state: { channels: [channel({ source: 1 }), both] } }))).to.equal(
      'db2: channel x from db9:3306: the receiver cannot connect, error 1045: denied; the applier is stopped, error 1146: no table',
    )
  })

  const silent: Readonly<Record<string, readonly ServerSnapshot[]>> = {
    'one that runs': [primary(1, { channels: [foreign({})] }), replica(2)],
    'one that a person stopped': [primary(1, { channels: [foreign({ io: 'stopped', sql: 'stopped' })] }), replica(2)],
    'the own channel of a replica': [primary(), replica(2, { io: 'stopped', ioError: stopped })],
    'a server that does not answer': [primary(1, { channels: [withReceiver] }, refused), replica(2)],
  }
  for (const [name, servers] of Object.entries(silent))
    it(`is not open for ${name}`, () => expect(detailOf(...servers)).to.equal(undefined))
})

describe('ERR00125 after a failover to a server with a channel to another cluster', () => {
  const purged = { code: 1236, message: 'Could not find GTID state requested by slave in any binlog files.' }
  const judged = (position: string) => {
    const next = primary(1, { executed: '0-1-100,7-9-30', channels: [foreign({})] })
    const out = replica(2, { io: 'stopped', ioError: purged, received: position })
    return situation([next, out]).snapshot.findings.find(({ code }) => code === 'ERR00125')?.detail
  }

  it('names what of there the replica has nothing of', () => {
    expect(judged('0-1-100')).to.equal(
      `db2, at 0:1-100: ${purged.message} Its source also replicates from another cluster, and this server has nothing of what came from there (7).`,
    )
  })

  it('names nothing where the replica has a part of it', () => {
    expect(judged('0-1-100,7-9-20')).to.equal(`db2, at 0:1-100,7:1-20: ${purged.message}`)
  })
})
