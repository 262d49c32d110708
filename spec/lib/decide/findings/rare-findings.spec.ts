// Findings that stories rarely meet: each opens under its condition, and under no other.
import { expect } from 'chai'
import { judgeFailover } from '../../../../lib/decide/failover/failover.js'
import type { FindingCode } from '../../../../lib/model/findings.js'
import type { RunningRecovery } from '../../../../lib/model/operation/cluster-recovery.js'
import {
  cutOff,
  member,
  NOW,
  primary,
  refused,
  replica,
  type SituationDraft,
  situation,
} from '../../../support/simulator/situation.js'

type Servers = Parameters<typeof situation>[0]

interface Case {
  readonly code: FindingCode
  readonly fact: string
  readonly servers: Servers
  readonly draft?: SituationDraft
  /** The same, but for the condition. */
  readonly otherwise: { readonly servers?: Servers; readonly draft?: SituationDraft }
}

const dead = [primary(1, {}, refused), replica(2, cutOff)] as const

const rejected = (message: string) => ({
  observation: 'rejected' as const,
  error: { code: 'sql-failed', message },
})

const refusedPosition = (message: string) => ({ io: 'stopped' as const, ioError: { code: 1236, message } })

const cases: readonly Case[] = [
  {
    code: 'ERR00014',
    fact: 'the statement that reads the replication of a server fails',
    servers: [primary(), replica(2, { server: rejected('error 1872: replica failed to initialize relay log info') })],
    otherwise: { servers: [primary(), replica(2, { server: rejected('error 1227: Access denied') })] },
  },
  {
    code: 'ERR00031',
    fact: 'the external check reaches a primary that the manager does not reach',
    servers: dead,
    draft: {
      settings: { 'failover-falsepositive-external': true },
      memory: { externalCheck: { at: NOW, alive: true, detail: 'alive' } },
    },
    otherwise: {
      draft: {
        settings: { 'failover-falsepositive-external': true },
        memory: { externalCheck: { at: NOW, alive: false, detail: 'dead' } },
      },
    },
  },
  {
    code: 'ERR00114',
    fact: 'only replicas have reported the primary that is down',
    servers: dead,
    draft: { memory: { primary: 'db9' } },
    otherwise: {},
  },
  {
    code: 'ERR00126',
    fact: 'a source does not have the position that its replica asks for',
    servers: [primary(), replica(2, refusedPosition('requested GTID 0-1-101, which is not in the binlog'))],
    otherwise: { servers: [primary(), replica(2, refusedPosition('the binary logs were purged'))] },
  },
  {
    code: 'ERR00125',
    fact: 'a source has deleted the binary logs that its replica asks for',
    servers: [primary(), replica(2, refusedPosition('the binary logs were purged'))],
    otherwise: {
      servers: [primary(), replica(2, refusedPosition('requested GTID 0-1-101, which is not in the binlog'))],
    },
  },
]

const codesOf = (servers: Servers, draft: SituationDraft = {}): readonly string[] =>
  situation(servers, draft).snapshot.findings.map(({ code }) => code)

describe('rare findings', () => {
  for (const { code, fact, servers, draft = {}, otherwise } of cases)
    it(`${code} opens when ${fact}`, () => {
      expect(codesOf(servers, draft)).to.include(code)
      expect(codesOf(otherwise.servers ?? servers, otherwise.draft)).to.not.include(code)
    })
})

describe('what explain alone reports', () => {
  const stateOf = (servers: Servers, code: FindingCode) =>
    judgeFailover(situation(servers)).rows.find((row) => row.code === code)?.state

  it('ERR00170 and ERR00171 name the point of a recovery of all servers, who asked for it and when, not the id of its plan', () => {
    const restoring: RunningRecovery = {
      ...{ id: 'pitr/shop/1795246812/0-1-93/db1+db2', user: 'ann', since: Date.UTC(2026, 10, 23, 15), primary: 'db1' },
      ...{ servers: ['db1', 'db2'], history: '0-1-99', stage: 'restoring', filled: [] },
      wish: { target: { type: 'gtid', gtid: '0-1-93', inclusive: false } },
    }
    const point = 'Back to just before 0-1-93, requested by ann at 2026-11-23T15:00:00.000Z'
    const detailOf = (code: FindingCode, failure: Partial<RunningRecovery>) =>
      situation([primary(), replica(2)], {
        memory: { restoring: { ...restoring, ...failure } },
      }).snapshot.findings.find((finding) => finding.code === code)?.detail
    expect(detailOf('ERR00170', {})).to.equal(`${point}.`)
    expect(detailOf('ERR00171', { failure: 'the disk is full' })).to.equal(
      `${point}; ended while restoring: the disk is full.`,
    )
  })

  it('ERR00115: a server has not been probed since the failure; no alert opens for it', () => {
    const servers = [...dead, replica(3, { server: { observation: 'unseen' } })]
    expect(stateOf(servers, 'ERR00115')).to.equal('waiting')
    expect(stateOf(dead, 'ERR00115')).to.equal('clear')
    expect(codesOf(servers)).to.not.include('ERR00115')
  })

  it('ERR00122: members of a Galera cluster replace each other; no alert opens for it', () => {
    const servers = [member(1), member(2), member(3, undefined, refused)]
    expect(stateOf(servers, 'ERR00122')).to.equal('closed')
    expect(codesOf(servers)).to.not.include('ERR00122')
  })

  it('ERR00047: a primary in maintenance is not replaced; no alert opens for it', () => {
    const servers = [primary(1, {}, { ...refused, maintenance: true }), replica(2, cutOff)]
    expect(stateOf(servers, 'ERR00047')).to.equal('closed')
    expect(codesOf(servers)).to.not.include('ERR00047')
  })
})
