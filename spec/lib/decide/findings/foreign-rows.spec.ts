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
