// Settings by which operators widen or narrow what the manager does automatically.
import { expect } from 'chai'
import { MINUTE, SECOND } from '../../../../lib/base/time.js'
import { elect } from '../../../../lib/decide/failover/election/elect.js'
import type { ElectionKind } from '../../../../lib/decide/failover/election/eligibility.js'
import { judgeFailover, planFailover } from '../../../../lib/decide/failover/failover.js'
import { forgiveFailovers } from '../../../../lib/decide/failover/failover-count.js'
import { planRejoin } from '../../../../lib/decide/repair/rejoin.js'
import { planRepair } from '../../../../lib/decide/repair/repair.js'
import { planReturn } from '../../../../lib/decide/switchover/return-role.js'
import { planSwitchover } from '../../../../lib/decide/switchover/switchover.js'
import { judgeRotationGrants, type SessionGrants } from '../../../../lib/decide/upkeep/rotation.js'
import { parseGrants } from '../../../../lib/dialect/index.js'
import { freshMemory } from '../../../../lib/model/memory.js'
import { named } from '../../../../lib/model/server/named.js'
import type { ReplicationFilters } from '../../../../lib/model/server/reading.js'
import { slowReading } from '../../../support/http/view-input.js'
import {
  crash,
  cutOff,
  NOW,
  primary,
  refused,
  replica,
  type SituationDraft,
  server,
  situation,
  stateOf,
} from '../../../support/simulator/situation.js'

describe('monitoring-pause', () => {
  const dead = [primary(1, {}, refused), replica(2, cutOff), replica(3, cutOff)]
  const paused = situation(dead, { settings: { 'monitoring-pause': true } })

  it('blocks automatic failover, and reports it', () => {
    const verdict = judgeFailover(paused)
    expect(verdict.wouldFailOver).to.equal(false)
    expect(verdict.rows.filter(({ state }) => state === 'closed').map(({ rule }) => rule)).to.deep.equal([
      'monitoring-pause',
    ])
    expect(paused.snapshot.findings.map(({ code }) => code)).to.include('ERR00120')
  })

  it('lets a person fail over', () => {
    expect(planFailover(paused, { user: 'ann', forced: true }).ok).to.equal(true)
  })
})

describe('forgiveFailovers', () => {
  const memory = { ...freshMemory, failoverCount: 3, lastFailoverAt: NOW }
  for (const [title, seconds, after, count] of [
    ['keeps the count permanently by default', 0, 1e9, 3],
    ['keeps it until the time has passed', 60, 60 * SECOND - 1, 3],
    ['restarts when it has', 60, 60 * SECOND, 0],
  ] as const)
    it(title, () => {
      const forgiven = forgiveFailovers(memory, { 'failcount-reset-time': seconds }, NOW + after)
      expect(forgiven.failoverCount).to.equal(count)
      expect(forgiven === memory).to.equal(count === 3)
    })
})

describe('planReturn', () => {
  const preferred = replica(2, { server: { rating: 'preferred' } })
  const wish = { settings: { 'failover-switch-to-prefered': true } }
  const commandsOf = (servers = [primary(), preferred, replica(3)], draft: SituationDraft = wish) =>
    planReturn(situation(servers, draft))?.newPrimary

  it('moves the role to a preferred server that can take it', () => {
    expect(commandsOf()).to.equal('db2')
  })

  for (const [title, servers, draft] of [
    ['is not asked for', undefined, {}],
    ['a person decides', undefined, { settings: { ...wish.settings, 'failover-mode': 'manual' } }],
    ['the primary is preferred itself', [primary(1, {}, { rating: 'preferred' }), preferred], wish],
    ['no server is preferred', [primary(), replica(3)], wish],
    ['the preferred one cannot take it', [primary(), { ...preferred, maintenance: true }, replica(3)], wish],
    [
      'the role moved a moment ago',
      undefined,
      { ...wish, memory: { history: [crash({ at: NOW - MINUTE, oldPrimary: 'db2', newPrimary: 'db1' })] } },
    ],
  ] as const)
    it(`leaves the role where it is when ${title}`, () => {
      expect(commandsOf(servers as never, draft as SituationDraft)).to.equal(undefined)
    })
})

describe('replication-restart-on-sqlerror-match', () => {
  const stopped = replica(2, { sql: 'stopped', sqlError: { code: 1205, message: 'Lock wait timeout exceeded' } })
  const repair = (expression: string) =>
    planRepair(
      situation([primary(), stopped], { settings: { 'replication-restart-on-sqlerror-match': expression } }),
    )?.commands.map(({ type }) => type)

  it('starts a replica again that stopped by such an error', () => {
    expect(repair('^1205 ')).to.deep.equal(['start-replication'])
    expect(repair('lock wait')).to.deep.equal(['start-replication'])
  })

  it('leaves other errors to a person', () => {
    expect(repair('^1062 ')).to.equal(undefined)
    expect(repair('')).to.equal(undefined)
  })
})

describe('switchover-max-slave-delay', () => {
  const late = [primary(), replica(2, { lagSeconds: 8 })]
  const possible = (own: number) =>
    planSwitchover(situation(late, { settings: { 'switchover-max-slave-delay': own } }), { user: 'ann' }).ok

  it('is the limit of a switchover; 0 leaves it to the limit of a failover', () => {
    expect([possible(0), possible(5), possible(10)]).to.deep.equal([true, false, true])
  })
})

describe('filters', () => {
  const slow = (id: string, changes = {}) => ({ slow: slowReading(id, changes) })
  const rank = (changes: object, settings = {}) =>
    elect(situation([primary(1, {}, slow('db1')), replica(2, { server: slow('db2', changes) })], { settings }), {
      kind: 'switchover',
    }).ranking[0]

  it('that are the same are no obstacle', () => {
    expect(rank({})?.eligible).to.equal(true)
  })

  const identityOf = (flavour: 'mariadb' | 'mysql') => ({ ...stateOf(1).identity, flavour })

  interface Judged {
    readonly variables?: Readonly<Record<string, string>>
    readonly kind?: ElectionKind
    readonly settings?: SituationDraft['settings']
    readonly flavour?: 'mariadb' | 'mysql'
  }

  /** With these filters on db2's channel and these variables on the primary. */
  const judged = (
    filters: ReplicationFilters,
    { variables = {}, kind = 'switchover', settings = {}, flavour = 'mariadb' }: Judged = {},
  ) =>
    elect(
      situation(
        [
          primary(1, { identity: identityOf(flavour) }, slow('db1', { variables: named(variables) })),
          replica(2, { filters, server: slow('db2') }),
        ],
        { settings },
      ),
      { kind },
    ).ranking[0]

  it('of replication that differ keep a server from being elected, unless they are not checked', () => {
    for (const filters of [{ replicate_do_db: 'shop' }, { replicate_ignore_domain_ids: '7' }]) {
      expect(judged(filters)).to.include({ eligible: false, code: 'ERR00121' })
      expect(judged(filters)?.reason).to.include(Object.keys(filters)[0])
      expect(judged(filters, { settings: { 'check-replication-filters': false } })?.eligible).to.equal(true)
    }
  })

  it('of replication are compared with those that the primary would replicate with, in any order', () => {
    const filters = { replicate_do_db: 'shop,stock' }
    expect(judged(filters, { variables: { replicate_do_db: 'stock,shop' } })?.eligible).to.equal(true)
    expect(judged({}, { variables: filters })?.eligible).to.equal(false)
    expect(judged({ replicate_ignore_server_ids: '2' })?.eligible, 'its own transactions').to.equal(true)
  })

  it('of replication that cannot be compared refuse a switchover, not a failover', () => {
    const filters = { replicate_do_db: 'shop' }
    expect(judged(filters, { flavour: 'mysql' })?.reason).to.include('those of the primary cannot be read')
    expect(judged(filters, { flavour: 'mysql', kind: 'failover' })?.eligible).to.equal(true)
    expect(judged({}, { flavour: 'mysql' })?.eligible).to.equal(true)
  })

  it('of the binary log likewise', () => {
    const changes = { binlogIgnoreDb: 'scratch' }
    expect(rank(changes)).to.include({ eligible: false, code: 'ERR00121' })
    expect(rank(changes, { 'check-binlog-filters': false })?.eligible).to.equal(true)
  })
})

describe('check-grants', () => {
  const enough = [
    'GRANT RELOAD, PROCESS, BINLOG MONITOR, CONNECTION ADMIN, READ_ONLY ADMIN, REPLICATION SLAVE ADMIN, ' +
      "REPLICATION MASTER ADMIN, SLAVE MONITOR ON *.* TO `watch`@`%` IDENTIFIED BY PASSWORD '*1'",
    'GRANT SELECT ON `mysql`.* TO `watch`@`%`',
  ]
  const replication = ["REPLICATION SLAVE ON *.* TO 'repl'@'%'"]
  const holding = (own: readonly string[], others: readonly string[] = replication, settings = {}) =>
    situation(
      [
        primary(),
        replica(2, { server: { slow: slowReading('db2', { grants: grantsOf(own, others) }) } }),
        replica(3, { server: { rating: 'ignored' } }),
      ],
      { settings },
    )
  const grantsOf = (own: readonly string[], others: readonly string[]) => ({
    own: parseGrants(own),
    replication: parseGrants(others),
  })
  const without = (name: string) => enough.map((line) => line.replace(`${name}, `, '').replace(`, ${name}`, ''))
  const codes = ({ snapshot }: ReturnType<typeof situation>) =>
    snapshot.findings.map(({ code }) => code).filter((code) => /^ERR000(0[5-9]|56|75)$/.test(code))

  it('raises missing privileges, unless either setting disables the check', () => {
    const poor = ['GRANT USAGE ON *.* TO `watch`@`%`']
    expect(codes(holding(poor))).to.have.members(['ERR00005', 'ERR00006', 'ERR00008', 'ERR00009', 'ERR00075'])
    for (const setting of ['check-grants', 'monitoring-check-grants'])
      expect(codes(holding(poor, replication, { [setting]: false }))).to.deep.equal([])
  })

  it('raises nothing for the privileges of the document, nor for all of them', () => {
    expect(codes(holding(enough))).to.deep.equal([])
    expect(codes(holding(['GRANT ALL PRIVILEGES ON *.* TO `watch`@`%` WITH GRANT OPTION']))).to.deep.equal([])
  })

  for (const [name, code] of [
    ['SLAVE MONITOR', 'ERR00006'],
    ['BINLOG MONITOR', 'ERR00006'],
    ['READ_ONLY ADMIN', 'ERR00008'],
    ['REPLICATION SLAVE ADMIN', 'ERR00008'],
    ['REPLICATION MASTER ADMIN', 'ERR00008'],
    ['CONNECTION ADMIN', 'ERR00008'],
    ['RELOAD', 'ERR00009'],
    ['PROCESS', 'ERR00075'],
  ] as const)
    it(`names ${name} and the statement that gives it`, () => {
      const poorer = holding(without(name))
      expect(codes(poorer)).to.deep.equal([code])
      const detail = poorer.snapshot.findings.find((finding) => finding.code === code)?.detail
      expect(detail)
        .to.match(new RegExp(`^db2: ${name}, to `))
        .and.include(`Run there: GRANT ${name} ON *.* TO \`watch\`@\`%\`;`)
    })

  it('refuses a rotation of passwords to an account that may not change accounts, with the statement', () => {
    const { identity } = stateOf(2)
    const rotation = (lines: readonly string[], roles: SessionGrants['roles'] = []) =>
      judgeRotationGrants({ identity, lines, roles })
    expect(rotation(enough)).to.have.nested.property('failure.code', 'wrong-state')
    expect(rotation(enough))
      .to.have.nested.property('failure.message')
      .that.matches(/may not change accounts; run on the primary: GRANT CREATE USER ON \*\.\* TO `watch`@`%`;$/)
    for (const more of ['CREATE USER ON *.*', 'UPDATE ON *.*', 'UPDATE ON `mysql`.*', 'ALL PRIVILEGES ON *.*'])
      expect(rotation([...enough, `GRANT ${more} TO \`watch\`@\`%\``]), more).to.have.property('ok', true)
    // A role that a new session does not have: it can be made active. One that does not permit it is of no use.
    const byRole = (name: string) =>
      rotation(enough, [{ role: '`r`', lines: [...enough, `GRANT ${name} ON *.* TO \`r\``] }])
    expect(byRole('CREATE USER'))
      .to.have.nested.property('failure.message')
      .that.matches(/its role `r` .*SET DEFAULT ROLE `r` FOR `watch`@`%`;$/)
    expect(byRole('RELOAD')).to.have.nested.property('failure.message').that.includes('GRANT CREATE USER')
  })

  it('checks what the flavour and the version require', () => {
    const mysql = [
      'GRANT RELOAD, PROCESS, REPLICATION CLIENT ON *.* TO `watch`@`%`',
      'GRANT CONNECTION_ADMIN,REPLICATION_SLAVE_ADMIN,SYSTEM_VARIABLES_ADMIN ON *.* TO `watch`@`%`',
      'GRANT SELECT ON `mysql`.* TO `watch`@`%`',
    ]
    const heartbeats = 'GRANT SELECT ON `performance_schema`.* TO `watch`@`%`'
    const held = (own: readonly string[], identity: object) =>
      codes(
        situation([
          primary(),
          replica(2, {
            state: { identity: { ...stateOf(2).identity, ...identity } },
            server: { slow: slowReading('db2', { grants: grantsOf(own, replication) }) },
          }),
        ]),
      )
    const version = { major: 8, minor: 4, patch: 0 }
    expect(held([...mysql, heartbeats], { flavour: 'mysql', version })).to.deep.equal([])
    expect(held(mysql, { flavour: 'mysql', version })).to.deep.equal(['ERR00006'])
    const former = ['GRANT SUPER, RELOAD, PROCESS, SELECT ON *.* TO `watch`@`%`']
    expect(held(former, { version: { major: 10, minor: 6, patch: 0 } })).to.deep.equal([])
    expect(held(former, { version: { major: 10, minor: 11, patch: 2 } })).to.deep.equal(['ERR00008'])
    expect(held(former, { version: { major: 11, minor: 4, patch: 0 } })).to.have.members(['ERR00006', 'ERR00008'])
  })

  it('distinguishes a missing replication account from one that may not replicate', () => {
    expect(codes(holding(enough, []))).to.deep.equal(['ERR00056'])
    expect(codes(holding(enough, ["USAGE ON *.* TO 'repl'@'%'"]))).to.deep.equal(['ERR00007'])
    expect(codes(holding(enough.slice(0, 1), []))).to.deep.equal(['ERR00005'])
  })

  it('keeps a server from being elected that the manager could not open for writes', () => {
    const candidate = (own: readonly string[], settings = {}) =>
      elect(holding(own, replication, settings), { kind: 'switchover' }).ranking.find(({ server }) => server === 'db2')
    expect(candidate(enough)?.eligible).to.equal(true)
    for (const [name, code] of [
      ['READ_ONLY ADMIN', 'ERR00008'],
      ['REPLICATION SLAVE ADMIN', 'ERR00008'],
      ['RELOAD', 'ERR00009'],
    ] as const) {
      expect(candidate(without(name))).to.include({ eligible: false, code })
      expect(candidate(without(name))?.reason).to.include(
        `cannot be promoted: the manager's account is missing ${name}`,
      )
      expect(candidate(without(name), { 'check-grants': false })?.eligible).to.equal(true)
    }
    expect(candidate(without('PROCESS'))?.eligible).to.equal(true)
  })

  it('names the privilege of a refused probe, not a refused login', () => {
    const refusedLook = (code: string, message: string) =>
      codes(situation([primary(), replica(2, { server: { observation: 'rejected', error: { code, message } } })]))
    const denied = 'SHOW ALL …: error 1227: Access denied; you need (at least one of) the SLAVE MONITOR privilege(s)'
    expect(refusedLook('sql-failed', denied)).to.deep.equal(['ERR00006'])
    expect(refusedLook('sql-rejected', "error 1045: Access denied for user 'watch'")).to.deep.equal([])
  })
})

describe('autorejoin-script', () => {
  const back = [primary(2), server(1, { state: stateOf(1) }), replica(3, { source: 2 })]
  const given = {
    memory: { primary: 'db2', crashes: [crash()] },
    settings: { 'autorejoin-script': '/opt/before-rejoin' },
  }

  it('runs before anything is done to the server, and does not hold it up', () => {
    expect(planRejoin(situation(back, given))?.commands[0]).to.deep.equal({
      type: 'run-script',
      script: '/opt/before-rejoin',
      args: ['db1', 'db2', '3306', '3306'],
      bestEffort: true,
    })
  })
})
