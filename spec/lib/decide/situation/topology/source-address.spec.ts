// Where replicas reach a server is read from those that follow it, and stated by a setting: what decisions make of both.
import { expect } from 'chai'
import { planFailover } from '../../../../../lib/decide/failover/failover.js'
import {
  addressBookOf,
  sourceAddresses,
  unclearHosts,
} from '../../../../../lib/decide/situation/topology/source-address.js'
import { previewPlan } from '../../../../../lib/decide/switchover/preview.js'
import { planSwitchover } from '../../../../../lib/decide/switchover/switchover.js'
import { named } from '../../../../../lib/model/server/named.js'
import type { Channel, SlowReading } from '../../../../../lib/model/server/reading.js'
import type { ServerSnapshot } from '../../../../../lib/model/snapshot.js'
import {
  channel,
  type JudgedSituation,
  primary,
  refused,
  replica,
  type SituationDraft,
  situation,
} from '../../../../support/simulator/situation.js'

/** A replica of db1 that follows at this host. */
const following = (number: number, host: string, draft: Partial<Channel> = {}): ServerSnapshot => {
  const main = channel({ source: 1 })
  return replica(number, { state: { channels: [{ ...main, source: { ...main.source, host }, ...draft }] } })
}

const reporting = (server: ServerSnapshot, report_host: string): ServerSnapshot => ({
  ...server,
  slow: { variables: named({ report_host, report_port: '3306' }) } as SlowReading,
})

const of = (judged: JudgedSituation, id: string) => {
  const server = judged.snapshot.servers.find((each) => each.id === id)
  return server && sourceAddresses(server, addressBookOf(judged)).map(({ host, port }) => `${host}:${port}`)
}

const overNetwork = (draft: SituationDraft = {}) =>
  situation([primary(), following(2, '10.1.0.1'), following(3, '10.1.0.1')], draft)

const codes = ({ snapshot }: JudgedSituation) => snapshot.findings.map(({ code }) => code)
const detail = ({ snapshot }: JudgedSituation, code: string) =>
  snapshot.findings.find((finding) => finding.code === code)?.detail

describe('the addresses of a source', () => {
  it('are that of the manager where replicas follow there', () => {
    const judged = situation([primary(), replica(2)])
    expect([of(judged, 'db1'), of(judged, 'db2')]).to.deep.equal([['db1:3306'], ['db2:3306']])
    expect(judged.memory.sourceAddresses).to.equal(undefined)
  })

  it('are remembered as replicas were seen to follow, and kept while none does', () => {
    const { memory } = overNetwork()
    expect(memory.sourceAddresses).to.deep.equal({ db1: { host: '10.1.0.1', port: 3306 } })
    const later = situation([primary(), following(2, '10.1.0.1', { io: 'connecting' })], { memory })
    expect(of(later, 'db1')).to.deep.equal(['10.1.0.1:3306', 'db1:3306'])
  })

  it('are the address of the manager again when every replica follows there, and not while one is elsewhere', () => {
    const { memory } = overNetwork()
    const mixed = situation([primary(), replica(2), following(3, '10.1.0.1')], { memory })
    expect(of(mixed, 'db1')).to.deep.equal(['10.1.0.1:3306', 'db1:3306'])
    const all = situation([primary(), replica(2), replica(3)], { memory })
    expect(of(all, 'db1')).to.deep.equal(['db1:3306'])
  })

  it('are first what replication-hosts states, then what was seen; the one of the manager may be stated, too', () => {
    const stated = (pair: string) => overNetwork({ settings: { 'replication-hosts': [pair] } })
    expect(of(stated('db1=10.2.0.1:3307'), 'db1')).to.deep.equal(['10.2.0.1:3307', '10.1.0.1:3306', 'db1:3306'])
    expect(of(stated('db1=db1'), 'db1')).to.deep.equal(['db1:3306'])
  })

  it('are what a server reports where replicas follow another one at what that one reports', () => {
    const servers = (host: string) => [
      reporting(primary(), '10.1.0.1'),
      reporting(following(2, host), '10.1.0.2'),
      following(3, host),
    ]
    expect(of(situation(servers('10.1.0.1')), 'db2')).to.deep.equal(['10.1.0.2:3306', 'db2:3306'])
    expect(of(situation(servers('db1')), 'db2')).to.deep.equal(['db2:3306'])
    expect(of(situation(servers('10.1.0.9')), 'db2')).to.deep.equal(['db2:3306'])
  })

  it('lead from a replica that has not connected yet to its source by what is stated', () => {
    const main = channel({ source: 1 })
    const waiting = following(2, '10.1.0.1', {
      io: 'connecting',
      source: { ...main.source, host: '10.1.0.1', serverNumber: 0 },
    })
    const judged = situation([primary(), waiting], { settings: { 'replication-hosts': ['db1=10.1.0.1'] } })
    expect(judged.snapshot.servers[1]?.sourceId).to.equal('db1')
    expect(situation([primary(), waiting]).snapshot.servers[1]?.sourceId).to.equal(undefined)
  })
})

describe('a network for replication', () => {
  it('that a change of the primary would leave is WARN0259, and a risk of the plans, until it is stated or known', () => {
    const unknown = overNetwork()
    expect(detail(unknown, 'WARN0259')).to.equal(
      'Replicas follow db1 over 10.1.0.1:3306; as the primary they would follow db2 over db2:3306, db3 over db3:3306.',
    )
    const risk =
      'Replicas follow db1 over 10.1.0.1:3306; they will follow db2 over db2:3306, the address of the manager: replication-hosts states none for it.'
    const plan = planSwitchover(unknown, { user: 'admin', candidate: 'db2' })
    expect(plan.ok && previewPlan(plan.value, unknown).risks).to.include(risk)
    const stated = overNetwork({ settings: { 'replication-hosts': ['db2=10.1.0.2', 'db3=10.1.0.3'] } })
    expect(codes(stated)).to.not.include('WARN0259')
    const known = overNetwork({ memory: { sourceAddresses: { db2: { host: '10.1.0.2', port: 3306 } } } })
    expect(detail(known, 'WARN0259')).to.include('db3 over').and.not.include('db2 over')
    expect(codes(situation([primary(), replica(2)]))).to.not.include('WARN0259')
  })

  it('is none where a host name and an address lead to the same server', () => {
    const resolving = (addresses: readonly string[]) => {
      const slow = { variables: named({}), resolved: { db1: addresses } } as unknown as SlowReading
      return situation([{ ...primary(), slow }, following(2, '10.1.0.1'), following(3, '10.1.0.1')])
    }
    expect(codes(resolving(['10.1.0.1', '10.9.0.1']))).to.not.include('WARN0259')
    expect(codes(resolving(['10.9.0.1']))).to.include('WARN0259')
    // The address is kept: a replica may not resolve the name.
    expect(of(resolving(['10.1.0.1']), 'db1')).to.deep.equal(['10.1.0.1:3306', 'db1:3306'])
    const plan = planSwitchover(resolving(['10.1.0.1']), { user: 'admin', candidate: 'db2' })
    expect(plan.ok && previewPlan(plan.value, resolving(['10.1.0.1'])).risks.join()).to.not.include(
      'replication-hosts states none',
    )
  })

  it('is resolved where a replica names its source otherwise than the manager or the settings, and nowhere else', () => {
    const hosts = (one: ServerSnapshot, stated: readonly string[] = []) => {
      const { snapshot, settings } = situation([primary(), one], { settings: { 'replication-hosts': stated } })
      return unclearHosts(snapshot.servers, settings, one)
    }
    expect(hosts(replica(2))).to.deep.equal([])
    expect(hosts(following(2, '10.1.0.1'))).to.deep.equal(['10.1.0.1', 'db1', 'db1'])
    expect(hosts(replica(2), ['db1=net1'])).to.deep.equal(['db1', 'db1', 'net1'])
  })

  it('is named in the steps of a switchover and of a failover', () => {
    const settings = { 'replication-hosts': ['db2=10.1.0.2', 'db3=10.1.0.3'] }
    const alive = overNetwork({ settings })
    const switchover = planSwitchover(alive, { user: 'admin', candidate: 'db2' })
    const texts = switchover.ok ? previewPlan(switchover.value, alive) : undefined
    expect(texts?.steps.map(({ text }) => text)).to.include('Repoint db3 to db2 over 10.1.0.2:3306')
    expect(texts?.risks).to.include('Replicas will follow db2 over 10.1.0.2:3306.')
    const lost = (number: number) =>
      following(number, '10.1.0.1', { io: 'connecting', ioError: { code: 2003, message: 'cannot connect' } })
    const dead = situation([primary(1, {}, refused), lost(2), lost(3)], { settings })
    const failover = planFailover(dead)
    expect(failover.ok && previewPlan(failover.value, dead).risks.join()).to.match(
      /Replicas will follow db[23] over 10\.1\.0\.[23]:3306/,
    )
  })

  it('that is stated and not used is WARN0260', () => {
    const judged = situation([primary(), following(2, '10.1.0.1'), replica(3)], {
      settings: { 'replication-hosts': ['db1=10.1.0.1'] },
    })
    const found = judged.snapshot.findings.filter(({ code }) => code === 'WARN0260')
    expect(found).to.deep.equal([
      {
        code: 'WARN0260',
        server: 'db3',
        detail: 'db3 follows db1 over db1:3306; replication-hosts states 10.1.0.1:3306.',
      },
    ])
  })
})
