// The table of findings: its order is the order of what is reported, and it has a row for every code of lib/decide.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { packageRoot } from '../../../../lib/base/package-root.js'
import { MINUTE, SECOND } from '../../../../lib/base/time.js'
import { findingTable } from '../../../../lib/decide/findings/open-findings.js'
import type { DecideSettings } from '../../../../lib/decide/situation/situation.js'
import { explainedOnly } from '../../../../lib/model/explained.js'
import { findings } from '../../../../lib/model/findings.js'
import type { Operation } from '../../../../lib/model/operation/operation.js'
import {
  crash,
  cutOff,
  NOW,
  primary,
  refused,
  replica,
  running,
  type SituationDraft,
  server,
  silent,
  situation,
  stateOf,
} from '../../../support/simulator/situation.js'

const clusterCodes = findingTable.cluster.map(({ code }) => code)
const serverCodes = findingTable.server.map(({ code }) => code)

const repeated = (codes: readonly string[]): readonly string[] => [
  ...new Set(codes.filter((code, index) => codes.indexOf(code) !== index)),
]

const source = readdirSync(path.join(packageRoot, 'lib/decide'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => readFileSync(path.join(packageRoot, 'lib/decide', file), 'utf8'))
  .join('\n')

describe('findingTable', () => {
  it('has a row for every code that lib/decide names, and a description for every row', () => {
    const named = new Set(Array.from(source.matchAll(/'((?:ERR|WARN|MDEV)\d+)'/g), ([, code = '']) => code))
    const rows = new Set<string>([...clusterCodes, ...serverCodes])
    // Plans that would run if the cluster were not only observed: no conditions of a snapshot.
    const intended = ['WARN0351', 'WARN0352', 'WARN0353']
    // What the cluster actor knows besides the snapshot: lib/decide/watching.
    const besides = ['ERR00059', 'ERR00074', 'WARN0085', 'WARN0238', 'WARN0239']
    // What it knows of backups and stored binary logs: lib/decide/backup.
    const backups = ['WARN0101', 'WARN0111', 'WARN0112', 'WARN0400', 'WARN0401', 'WARN0402', 'WARN0403', 'WARN0404']
    const storing = ['WARN0410', 'WARN0411', 'WARN0412']
    // What it knows of job tables and of ways back: lib/decide/upkeep and lib/decide/backup.
    const jobs = ['ERR00060', 'ERR00102', 'WARN0190']
    // What the manager adds of drift and of its peers, which the state of a cluster weighs: lib/decide/cluster-state.ts.
    const weighed = ['WARN0079', 'WARN0320', 'WARN0322']
    // Work that was ended because of the user that asked for it: lib/decide/watching.
    const revoked = ['WARN0392']
    // What a change of the primary left undone: lib/decide/watching.
    const undone = ['WARN0398']
    // Failovers that failed one after the other: lib/decide/failover/attempts.ts, counted by the actor.
    const repeated = ['ERR00189']
    // Who acts on the cluster, which a row of the fleet names before what follows from it: lib/decide/fleet-row.ts.
    const owned = ['ERR00055', 'ERR00068', 'ERR00181']
    const others = [
      ...owned,
      ...revoked,
      ...undone,
      ...repeated,
      ...explainedOnly,
      ...intended,
      ...besides,
      ...backups,
      ...storing,
      ...jobs,
      ...weighed,
    ]
    expect([...named].filter((code) => !rows.has(code)).sort()).to.deep.equal(others.sort())
    expect([...rows].filter((code) => !(code in findings))).to.deep.equal([])
  })

  it('shares a code between rows only where the later one adds detail to the same condition', () => {
    // Each topology has its own row of WARN0004; a veto adds what the state means for the failover.
    expect(repeated(clusterCodes)).to.have.members(['WARN0350', 'ERR00120', 'ERR00022', 'ERR00001', 'WARN0004'])
    // The privileges add the statement to run, the election why the server cannot be elected.
    expect(repeated(serverCodes)).to.have.members([
      'ERR00006',
      'ERR00008',
      'ERR00009',
      'ERR00186',
      'ERR00195',
      'WARN0262',
      'WARN0087',
      'WARN0091',
    ])
  })
})

describe('openFindings', () => {
  const expectOrdered = ({ snapshot }: ReturnType<typeof situation>) => {
    const places = snapshot.findings.map(({ code, server: id }) =>
      id === undefined
        ? [0, clusterCodes.indexOf(code)]
        : [1 + snapshot.servers.findIndex((one) => one.id === id), serverCodes.indexOf(code)],
    )
    const ordered = [...places].sort(([a = 0, b = 0], [c = 0, d = 0]) => a - c || b - d)
    expect(places.length).to.be.above(4)
    expect(places).to.deep.equal(ordered)
  }
  const dead = primary(1, {}, refused)
  const twin = replica(3, { ...cutOff, state: { serverNumber: 2, readOnly: false } })

  const codesOf = ({ snapshot }: ReturnType<typeof situation>, id: string) =>
    snapshot.findings.filter((finding) => finding.server === id).map(({ code }) => code)
  const alone = server(1, { state: stateOf(1, { executed: '0-1-100' }), stateAt: 5_000 })
  const others = [primary(2, { executed: '0-1-100' }), replica(3, { source: 2 })]

  it('calls no server unexplained that is becoming the primary, or that became a replica after its last probe', () => {
    const standing = { memory: { primary: 'db2' } }
    expect(codesOf(situation([alone, ...others], standing), 'db1')).to.include('ERR00066')
    const moving = running({ kind: 'switchover', oldPrimary: 'db2', newPrimary: 'db1' })
    expect(codesOf(situation([alone, ...others], { ...standing, operation: moving }), 'db1')).not.to.include('ERR00066')
    const rejoinedAt = (at: number) => ({
      memory: { primary: 'db2', history: [{ ...crash(), outcome: { at, verdict: 'rejoined' as const } }] },
    })
    expect(codesOf(situation([alone, ...others], rejoinedAt(6_000)), 'db1')).not.to.include('ERR00066')
    expect(codesOf(situation([alone, ...others], rejoinedAt(4_000)), 'db1')).to.include('ERR00066')
  })

  it('reports the cluster first, then server by server, each in the order of its table', () => {
    expectOrdered(situation([dead, replica(2, { ...cutOff, delaySeconds: 5 }), twin, server(4)]))
    expectOrdered(situation([dead, twin, replica(2, cutOff)], { settings: { 'failover-mode': 'manual' } }))
    expectOrdered(situation([dead, server(2, refused), server(3, refused)], { operation: running() }))
  })

  it('reports a code once for each server', () => {
    const { findings: open } = situation([dead, replica(2, cutOff), twin]).snapshot
    const keys = open.map(({ code, server: id }) => `${code}@${id ?? ''}`)
    expect(new Set(keys).size).to.equal(keys.length)
  })
})

describe('a replica that a failover gives another source', () => {
  const dead = primary(1, {}, refused)
  const codesOf = (code: number) =>
    situation(
      [dead, replica(2), replica(3, { sql: 'stopped', sqlError: { code, message: code === 0 ? '' : 'duplicate' } })],
      {
        operation: running(),
      },
    ).snapshot.findings.map((one) => one.code)

  it('is no finding while its applier is stopped for that', () => {
    expect(codesOf(0)).to.not.include('ERR00042')
  })

  it('is one when its applier stopped with an error', () => {
    expect(codesOf(1062)).to.include('ERR00042')
  })
})

describe('a primary that an operation opens', () => {
  /** It was read before it was opened, its replica after it had replicated the first write. */
  const servers = [
    primary(1, { executed: '', readOnly: true }),
    replica(2, { received: '0-1-1', state: { executed: '0-1-1' } }),
  ]
  const codesOf = (state: 'waiting' | 'done') =>
    situation(servers, {
      operation: running({
        kind: 'repair',
        steps: [{ command: { type: 'make-writable', server: 'db1' }, state, startedAt: NOW, tookMs: 1 }],
      }),
    }).snapshot.findings.map(({ code }) => code)

  it('is missing nothing by a reading from before', () => {
    expect(codesOf('done')).to.not.include('ERR00117')
  })

  it('is missing what others hold before that', () => {
    expect(codesOf('waiting')).to.include('ERR00117')
  })
})

describe('WARN0252', () => {
  const identity = { flavour: 'mysql', version: { major: 8, minor: 4, patch: 0 }, versionText: '8.4.0' } as const
  const opened = (settings: Partial<DecideSettings> = {}) =>
    situation([primary(1, { identity })], { settings }).snapshot.findings.filter(({ code }) => code === 'WARN0252')
      .length

  it('is open for MySQL without TLS and without trusted keys', () => {
    const strict = { 'db-servers-public-key-policy': 'strict' } as const
    expect(opened()).to.equal(0)
    expect(opened(strict)).to.equal(1)
    expect(opened({ ...strict, 'db-servers-public-keys': '/etc/manager/keys.pem' })).to.equal(0)
    expect(opened({ ...strict, 'db-servers-tls-ca-cert': '/etc/manager/ca.pem' })).to.equal(0)
    expect(opened({ 'db-servers-accept-unproven-keys': true })).to.equal(1)
  })
})

describe('ERR00187', () => {
  for (const [error, name] of [
    ['sql-failed', 'db2: error 1820: You must SET PASSWORD before executing this statement'],
    ['sql-rejected', 'db2: error 1862: Your password has expired'],
  ])
    it(`is open, alone, for an expired password: ${name}`, () => {
      const seen = { observation: 'rejected', error: { code: error ?? '', message: name ?? '' } } as const
      const { findings: open } = situation([primary(1), server(2, seen)]).snapshot
      const found = open.filter(({ server: id }) => id === 'db2').map(({ code }) => code)
      expect(found).to.include('ERR00187')
      for (const other of ['ERR00014', 'ERR00004']) expect(found).to.not.include(other)
    })
})

describe('WARN0091', () => {
  /** Count and set, in whichever sentence. */
  const said = (executed: string, ofPrimary = '0-1-13') => {
    const own = replica(2, { state: { executed, replicaPosition: executed.split(',')[0] ?? '' } })
    const { findings: open } = situation([primary(1, { executed: ofPrimary }), own]).snapshot
    const { detail = '' } = open.find(({ code }) => code === 'WARN0091') ?? {}
    return /(at least )?\d+ transactions?, [\d:,-]+/.exec(detail)?.[0]
  }

  it('counts what only the server has, from the first that is certainly its own', () => {
    expect(said('0-1-13,0-2-14')).to.equal('at least 1 transaction, 0-2:14')
    expect(said('0-1-13,0-2-16')).to.equal('at least 3 transactions, 0-2:14-16')
    expect(said('0-1-20,0-2-14', '0-1-20')).to.equal('at least 1 transaction, 0-2:14')
    expect(said('0-1-13,0-2-16', '0-1-13,0-2-14')).to.equal('2 transactions, 0-2:15-16')
    expect(said('0-1-13,7-2-3')).to.equal('3 transactions, 7-2:1-3')
  })
})

describe('ERR00151', () => {
  const said = (executed: string, replicaPosition: string, ofPrimary: string) => {
    const sqlError = { code: 1950, message: 'out-of-order sequence number' }
    const stopped = replica(2, { sql: 'stopped', sqlError, state: { executed, replicaPosition } })
    const { findings: open } = situation([primary(1, { executed: ofPrimary }), stopped]).snapshot
    return open.flatMap(({ code }) => (code === 'ERR00151' || code === 'WARN0091' ? [code] : []))
  }

  it('is open where the position is behind the own binary log and the source has all of it', () => {
    expect(said('0-1-100', '0-1-90', '0-1-110')).to.deep.equal(['ERR00151'])
  })

  it('is not where a transaction of its own stops the replica: that one is named instead', () => {
    expect(said('0-1-100,0-2-101', '0-1-100', '0-1-101')).to.deep.equal(['WARN0091'])
  })
})

describe('ERR00183', () => {
  it('is open for a server that shows a key which its password may not be sealed for, and no login counts as refused', () => {
    const error = { code: 'sql-key-unproven', message: 'db2: the server shows another RSA key than before' }
    const { findings: open } = situation([primary(1), server(2, { observation: 'rejected', error })]).snapshot
    const found = open.filter(({ server: id }) => id === 'db2').map(({ code, detail }) => [code, detail])
    expect(found).to.deep.include(['ERR00183', error.message])
    expect(found.map(([code]) => code)).to.not.include('ERR00004')
  })
})

describe('findings of a dead primary', () => {
  const dead = primary(1, {}, { ...refused, failures: 5 })
  const codesDuring = (kind: Operation['kind'] | undefined) =>
    situation([dead, replica(2, cutOff), server(3, refused)], {
      settings: { 'failover-mode': 'manual', 'monitoring-observe': true },
      ...(kind === undefined ? {} : { operation: running({ kind, oldPrimary: 'db3' }) }),
    })
      .snapshot.findings.filter(({ code }) => ['WARN0023', 'ERR00001', 'ERR00191'].includes(code))
      .map(({ code }) => code)

  it('stay open while another server is repaired, and not while the role moves', () => {
    const calm = codesDuring(undefined)
    expect(calm).to.include('WARN0023')
    for (const kind of ['repair', 'rejoin'] as const) expect(codesDuring(kind), kind).to.deep.equal(calm)
    expect(codesDuring('failover')).to.not.include('WARN0023')
  })
})

describe('ERR00191', () => {
  const detailsOf = (
    draft: ReturnType<typeof primary>,
    settings: Partial<DecideSettings> = {},
    memory: Parameters<typeof situation>[1] = {},
  ) =>
    situation([draft, replica(2, cutOff)], { ...memory, settings })
      .snapshot.findings.filter(({ code }) => code === 'ERR00191')
      .map(({ detail }) => detail)
  const dead = primary(1, {}, { ...refused, failures: 5 })

  it('is open for a dead primary that only warnings report', () => {
    expect(detailsOf(dead, { 'monitoring-observe': true })).to.deep.equal([
      'db1 does not answer. The cluster is only observed: the manager changes nothing.',
    ])
    expect(detailsOf(dead, { 'monitoring-pause': true })).to.have.length(1)
  })

  it('is not where the failover begins, or another error has the reason why it does not', () => {
    expect(detailsOf(dead)).to.deep.equal([])
    expect(detailsOf(dead, { 'failover-mode': 'manual' })).to.deep.equal([])
  })

  it('is open for a primary that nobody opens', () => {
    const closed = primary(1, { readOnly: true })
    expect(detailsOf(closed, {}, { operation: running({ kind: 'switchover' }) })).to.deep.equal([])
    expect(detailsOf(closed, {}, { memory: { primary: 'db1', closedByHand: true } })).to.deep.equal([
      'db1 is read-only and was set read-only manually.',
    ])
    expect(detailsOf(closed, { 'monitoring-pause': true })).to.have.length(1)
  })
})

describe('ERR00192', () => {
  const since = (ms: number) => ({ memory: { unprotectedSince: NOW - ms } })
  const judged = (others: readonly ReturnType<typeof replica>[], draft: SituationDraft = {}) =>
    situation([primary(1), ...others], draft)
  const detailsOf = (others: readonly ReturnType<typeof replica>[], draft: SituationDraft = {}) =>
    judged(others, draft)
      .snapshot.findings.filter(({ code }) => code === 'ERR00192')
      .map(({ detail }) => detail)

  it('is open where no replica could take over, and names the reason of each', () => {
    expect(detailsOf([replica(2, { delaySeconds: 60 }), server(3, refused)], since(MINUTE))).to.deep.equal([
      'No server can take over. db2 is configured with a delay of 60 s. db3 does not answer (refused).',
    ])
    expect(detailsOf([replica(2, { delaySeconds: 60 })])).to.have.length(1)
  })

  it('is not where one could, where there is no other server, or where all others are left out on purpose', () => {
    expect(detailsOf([replica(2), server(3, refused)], since(MINUTE))).to.deep.equal([])
    expect(detailsOf([])).to.deep.equal([])
    expect(
      detailsOf([
        { ...replica(2), maintenance: true },
        { ...replica(3), rating: 'ignored' },
      ]),
    ).to.deep.equal([])
  })

  it('opens a minute after the only replica went away, and not while it restarts: the warning of its absence is enough', () => {
    const away = replica(2, { server: refused })
    expect(judged([away]).memory.unprotectedSince).to.equal(NOW)
    expect(detailsOf([away])).to.deep.equal([])
    expect(judged([away]).snapshot.findings.map(({ code }) => code)).to.include('WARN0171')
    expect(detailsOf([away], since(MINUTE - 1))).to.deep.equal([])
    expect(detailsOf([away], since(MINUTE))).to.have.length(1)
    expect(detailsOf([replica(2, { server: silent() })], since(MINUTE - 1))).to.deep.equal([])
  })

  it('does not open while the replica that is back connects to its source, for that minute only', () => {
    const backFor = (ms: number) => replica(2, { sql: 'stopped', server: { restartedAt: NOW - ms } })
    const back = backFor(SECOND)
    expect(detailsOf([back], since(5 * SECOND))).to.deep.equal([])
    expect(detailsOf([back], since(MINUTE))).to.have.length(1)
    // Its source refuses its position: no connection brings it back.
    const purged = { code: 1236, message: 'Could not find GTID state requested by slave in any binlog files.' }
    const out = replica(2, { io: 'stopped', ioError: purged, server: { restartedAt: NOW - SECOND } })
    expect(detailsOf([out], since(5 * SECOND))).to.have.length(1)
    // It had returned, and stopped then for another reason.
    expect(detailsOf([backFor(20 * SECOND)], since(5 * SECOND))).to.have.length(1)
    expect(detailsOf([replica(2, { sql: 'stopped' })], since(5 * SECOND))).to.have.length(1)
  })

  it('stays open while a server is rejoined, and does not open for what a rejoin or a repair stops', () => {
    const rejoin = running({ kind: 'rejoin', startedAt: NOW - SECOND })
    const stopped = [replica(2, { sql: 'stopped' })]
    expect(detailsOf(stopped, { ...since(2 * SECOND), operation: rejoin })).to.have.length(1)
    expect(detailsOf(stopped, { ...since(SECOND / 2), operation: rejoin })).to.deep.equal([])
    const moving = running({ kind: 'switchover', startedAt: NOW - SECOND })
    expect(detailsOf(stopped, { ...since(2 * SECOND), operation: moving })).to.deep.equal([])
  })

  it('is open at once where the server that is away is the primary that died', () => {
    const fallen = crash({ oldPrimary: 'db2', newPrimary: 'db1' })
    expect(detailsOf([replica(2, { server: refused })], { memory: { crashes: [fallen] } })).to.have.length(1)
  })

  it('counts the time from the moment since when no server could take over, and forgets it when one could', () => {
    const away = [replica(2, { server: refused })]
    const moving = running({ kind: 'switchover', oldPrimary: 'db1' })
    expect(judged(away, since(MINUTE)).memory.unprotectedSince).to.equal(NOW - MINUTE)
    expect(judged([replica(2)], { ...since(MINUTE), operation: moving }).memory.unprotectedSince).to.equal(NOW - MINUTE)
    expect(judged([replica(2)], since(MINUTE)).memory).to.not.have.property('unprotectedSince')
  })
})
