// What a plan says of the login of the replication account on the server that others are to replicate from.
import { expect } from 'chai'
import { unwrap } from '../../../../lib/base/result.js'
import { MINUTE, SECOND } from '../../../../lib/base/time.js'
import { planFailover } from '../../../../lib/decide/failover/failover.js'
import { planRelocate } from '../../../../lib/decide/repair/relocate.js'
import { loginWait, openLogin } from '../../../../lib/decide/switchover/login.js'
import { previewPlan } from '../../../../lib/decide/switchover/preview.js'
import { planSwitchover } from '../../../../lib/decide/switchover/switchover.js'
import { markOf } from '../../../../lib/model/plan-id.js'
import type { SourceLogin } from '../../../../lib/model/server/reading.js'
import type { ServerSnapshot } from '../../../../lib/model/snapshot.js'
import {
  cutOff,
  NOW,
  primary,
  refused,
  replica,
  type SituationDraft,
  situation,
} from '../../../support/simulator/situation.js'

const seen = { at: NOW, user: 'repl' }
const accepted: SourceLogin = { ...seen, state: 'accepted', message: '' }
const denied: SourceLogin = { ...seen, state: 'denied', message: 'db2: error 1045: denied', repair: 'ALTER USER x;' }
const unjudged: SourceLogin = { ...seen, state: 'unknown', message: 'db2: error 1184: aborted' }
const unreached: SourceLogin = { ...seen, state: 'unknown', message: 'no connection', unreached: true }

const with2 = (server: Partial<ServerSnapshot>) => [primary(), replica(2, { server }), replica(3)]
const asked = { user: 'ann', candidate: 'db2' }

/** The preview of a switchover to db2, which knows this of its login; asked for at NOW. */
function previewWith(server: Partial<ServerSnapshot>, draft: SituationDraft = {}) {
  const given = situation(with2(server), draft)
  return previewPlan(unwrap(planSwitchover(given, asked)), given, { since: NOW })
}

describe('previewPlan, of the login of the replication account', () => {
  it('is possible where the login was tried and accepted', () => {
    const preview = previewWith({ login: accepted })
    expect(preview).to.include({ possible: true }).and.not.have.any.keys('unchecked', 'refusal')
  })

  it('is refused where the login is denied, with what helps', () => {
    const preview = previewWith({ login: denied })
    expect(preview).to.deep.include({ possible: false, steps: [] }).and.not.have.property('unchecked')
    expect(preview.refusal).to.include('error 1045').and.include('ALTER USER x;')
  })

  it('is refused where the login shows nothing: what cannot be judged is no yes', () => {
    const preview = previewWith({ login: unjudged })
    expect(preview).to.include({ possible: false }).and.not.have.property('unchecked')
    expect(preview.refusal).to.include('error 1184').and.include('switchover-unjudged-login')
  })

  it('names an account for other addresses as a risk, and is possible', () => {
    const preview = previewWith({ login: { ...unjudged, elsewhere: true } })
    expect(preview.possible).to.equal(true)
    expect(preview.risks.join(' ')).to.include('error 1184').and.include('not for the address of the manager')
  })

  it('takes what shows nothing for a risk where the setting says so, but never a denial', () => {
    const settings = { 'switchover-unjudged-login': true }
    const preview = previewWith({ login: unjudged }, { settings })
    expect(preview.possible).to.equal(true)
    expect(preview.risks.join(' ')).to.include('error 1184')
    expect(previewWith({ login: denied }, { settings }).possible).to.equal(false)
  })

  for (const [name, server] of [
    ['was never tried', {}],
    ['was tried before the plan was asked for', { login: { ...accepted, at: NOW - 1 } }],
    ['was tried with another account', { login: { ...accepted, outdated: true } }],
    ['was tried before the server restarted', { login: accepted, restartedAt: NOW + 1 }],
    ['found no way to the server', { login: unreached }],
  ] as const)
    it(`is neither possible nor refused where the login ${name}, and keeps the id that it has when it is accepted`, () => {
      const preview = previewWith(server)
      expect(preview.possible).to.equal(false)
      expect(preview.unchecked)
        .to.include('It was not checked')
        .and.include('db2')
        .and.include('Ask for the plan again')
      expect(preview.refusal).to.equal(preview.unchecked)
      expect(preview.steps).to.have.length.above(10)
      expect(markOf(preview)).to.equal(markOf(previewWith({ login: accepted })))
      expect(markOf(preview)).to.not.equal(markOf(previewWith({ login: denied })))
    })

  it('says nothing of it without a replication account', () => {
    const given = situation(with2({}))
    expect(previewPlan(unwrap(planSwitchover(given, asked)), given)).to.include({ possible: true })
  })

  it('leaves a failover possible, with the denial as a risk and what is open said', () => {
    const preview = (login?: SourceLogin) => {
      const server = login ? { login } : {}
      const given = situation([primary(1, {}, refused), replica(2, { ...cutOff, server })])
      return previewPlan(unwrap(planFailover(given, { user: 'ann', forced: true })), given, { since: NOW })
    }
    expect(preview(denied).possible).to.equal(true)
    expect(preview(denied).risks.join(' ')).to.include('ALTER USER x;')
    expect(preview()).to.include({ possible: true }).and.have.property('unchecked')
    expect(markOf(preview())).to.equal(markOf(preview(accepted)))
  })

  it('refuses a new source that denies the login', () => {
    const chain = [primary(), replica(2, { server: { login: denied } }), replica(3)]
    const given = situation(chain, { settings: { 'replication-multi-tier-slave': true } })
    const preview = previewPlan(unwrap(planRelocate(given, { server: 'db3', source: 'db2' })), given, { since: NOW })
    expect(preview).to.include({ possible: false })
    expect(preview.refusal).to.include('ALTER USER x;')
  })
})

describe('openLogin', () => {
  it('names the candidate until its login was tried since the plan was asked for', () => {
    const open = (server: Partial<ServerSnapshot>) => {
      const given = situation(with2(server))
      return openLogin(unwrap(planSwitchover(given, asked)), given, { since: NOW })?.id
    }
    expect(open({})).to.equal('db2')
    expect(open({ login: { ...accepted, at: NOW - MINUTE } })).to.equal('db2')
    expect(open({ login: accepted })).to.equal(undefined)
    expect(open({ login: unreached })).to.equal(undefined)
  })
})

describe('loginWait', () => {
  it('grows with the round trip, to a limit', () => {
    const wait = (probeMs: number) => loginWait({ probeMs })
    expect(wait(100)).to.equal(wait(0) + 2_400)
    expect(wait(MINUTE)).to.equal(15 * SECOND)
  })
})

describe('planSwitchover, of the login of the replication account', () => {
  const check = (user: string, settings = {}) =>
    unwrap(planSwitchover(situation(with2({}), { settings }), { ...asked, user })).commands.find(
      ({ type }) => type === 'check-login',
    )

  it('passes what cannot be judged only where the setting says so, for a person and for the manager', () => {
    for (const user of ['ann', 'manager']) {
      expect(check(user)).to.deep.equal({ type: 'check-login', server: 'db2' })
      expect(check(user, { 'switchover-unjudged-login': true })).to.have.property('lenient', true)
    }
  })

  it('takes the accounts that a running replica shows along', () => {
    const given = situation(certified())
    const command = unwrap(planSwitchover(given, asked)).commands.find(({ type }) => type === 'check-login')
    expect(command).to.deep.equal({ type: 'check-login', server: 'db2', shown: 'same' })
  })
})

const certificate: SourceLogin = {
  ...unjudged,
  requires: 'certificate',
  accounts: 'same',
  repair: 'set replication-ssl-cert',
}

/** db2 and db3 run with a certificate; db2 has the accounts of their source. */
function certified({ accounts = 'same', cert = '/etc/ssl/r.pem', io = 'running' as const, user = 'repl' } = {}) {
  const source = { host: 'db1', port: 3306, serverNumber: 1, user, tls: true, tlsFiles: { cert } } as const
  const replicas = [2, 3].map((number) => {
    const made = replica(number, { server: number === 2 ? { login: { ...certificate, accounts } } : {} })
    const channels = made.state?.channels.map((one) => ({ ...one, source, io })) ?? []
    return { ...made, ...(made.state ? { state: { ...made.state, channels } } : {}) }
  })
  return [primary(1, {}, { login: certificate }), ...replicas]
}

describe('previewPlan, of an account that requires a certificate which the manager does not have', () => {
  const preview = (servers: ReturnType<typeof certified>, settings = {}) => {
    const given = situation(servers, { settings })
    return previewPlan(unwrap(planSwitchover(given, asked)), given, { since: NOW })
  }

  it('is possible where a replica runs with a certificate, and the accounts are equal: said as a risk', () => {
    const { possible, risks } = preview(certified())
    expect(possible).to.equal(true)
    expect(risks.join(' ')).to.include('judged by db2, which follows db1')
  })

  for (const [name, draft, settings] of [
    ['the accounts differ', { accounts: 'others' }, {}],
    ['the replicas log in with another account', { user: 'other' }, {}],
    ['the settings give replicas another certificate', {}, { 'replication-ssl-cert': '/etc/ssl/new.pem' }],
  ] as const)
    it(`is refused where ${name}`, () => {
      const { possible, refusal } = preview(certified(draft), settings)
      expect(possible).to.equal(false)
      expect(refusal).to.include('set replication-ssl-cert').and.include('switchover-unjudged-login')
    })
})

describe('planFailover, of the login of the replication account', () => {
  const reported = (login: ServerSnapshot['login']) => {
    const server = login ? { login } : {}
    const found = unwrap(planFailover(situation([primary(1, {}, refused), replica(2, { ...cutOff, server })])))
    return found.commands.flatMap((command) => (command.type === 'report' ? command.text : [])).join(' ')
  }

  it('goes on whatever was found, and reports what speaks against it', () => {
    expect(reported(unjudged)).to.include('error 1184').and.include('Check that they replicate')
    expect(reported(denied)).to.include('ALTER USER x;')
    for (const login of [undefined, accepted, { ...denied, outdated: true } as const])
      expect(reported(login)).to.not.match(/log in|ALTER USER/)
  })
})
