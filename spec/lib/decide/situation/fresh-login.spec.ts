// A fresh login of the manager's account that fails: said by findings, explain and plans, before an operation meets it.
import { expect } from 'chai'
import { judgeFailover, planFailover } from '../../../../lib/decide/failover/failover.js'
import { failedLogin } from '../../../../lib/decide/situation/fresh-login.js'
import { judgeSwitchover } from '../../../../lib/decide/switchover/switchover.js'
import type { FreshLogin } from '../../../../lib/model/server/reading.js'
import { cutOff, NOW, primary, refused, replica, situation } from '../../../support/simulator/situation.js'

const failed = (error: string): FreshLogin => ({ at: NOW, state: 'failed', message: `10.0.0.2:3306: error ${error}` })
const wrong = failed("1045: Access denied for user 'manager'")

const findingsOf = ({ snapshot }: ReturnType<typeof situation>, wanted = 'ERR00195') =>
  snapshot.findings.filter(({ code }) => code === wanted).map(({ server, detail }) => `${server} ${detail}`)

describe('failedLogin', () => {
  for (const [error, means] of [
    ["1226: User 'm' has exceeded the 'max_user_connections' resource", 'MAX_USER_CONNECTIONS'],
    ['1045: Access denied', 'password was changed'],
    ['1040: Too many connections', 'max_connections'],
    ['1862: Your password has expired', 'expired'],
    ['1820: You must reset your password', 'expired'],
    ['1129: Host is blocked', 'FLUSH HOSTS'],
    ['3159: Connections using insecure transport are prohibited', 'requires TLS'],
  ] as const)
    it(`says what error ${error} means, and what to do`, () => {
      expect(failedLogin(replica(2, { server: { freshLogin: failed(error) } })))
        .to.include(error)
        .and.include(means)
    })

  it('is nothing where it was tried before the server restarted, or it does not answer, or acts have a port of their own', () => {
    expect(failedLogin(replica(2, { server: { freshLogin: wrong, restartedAt: NOW + 1 } }))).to.equal(undefined)
    expect(failedLogin(replica(2, { server: { freshLogin: wrong, observation: 'silent' } }))).to.equal(undefined)
    const { state, ...server } = replica(2, { server: { freshLogin: failed('1040: Too many connections') } })
    const identity = state && { ...state.identity, reserved: { port: 3307 } }
    expect(failedLogin({ ...server, ...(state && identity ? { state: { ...state, identity } } : {}) })).to.equal(
      undefined,
    )
  })
})

describe('A fresh login that fails', () => {
  const on2 = (freshLogin: FreshLogin) => situation([primary(), replica(2, { server: { freshLogin } }), replica(3)])

  it('is a finding of that server', () => {
    expect(findingsOf(on2(wrong)).join()).to.match(/^db2 db2 refuses a new session .*error 1045.*db-servers-credential/)
    expect(findingsOf(on2({ at: NOW, state: 'accepted', message: '' }))).to.deep.equal([])
  })

  it('refuses a switchover to it, away from it, and past it', () => {
    for (const servers of [
      [primary(), replica(2, { server: { freshLogin: wrong } })],
      [primary(1, {}, { freshLogin: wrong }), replica(2)],
      [primary(), replica(2), replica(3, { server: { freshLogin: wrong } })],
    ]) {
      const judged = judgeSwitchover(situation(servers), { candidate: 'db2' })
      expect(judged.ok ? '' : judged.failure.message).to.include('error 1045')
    }
    expect(judgeSwitchover(situation([primary(), replica(2), replica(3)]), { candidate: 'db2' }).ok).to.equal(true)
  })

  it('does not keep a failover from it, which uses the session that is kept: explain says so', () => {
    const given = situation([primary(1, {}, refused), replica(2, { ...cutOff, server: { freshLogin: wrong } })])
    expect(planFailover(given).ok).to.equal(true)
    const row = judgeFailover(given).rows.find(({ rule }) => rule === 'candidate')
    expect(row?.sentence).to.match(/db2 would take over\. But it refuses a new session .*1045/)
  })

  it('is in the report of a failover, of the candidate and of the others, not of the dead primary', () => {
    const [dead, kept] = [
      primary(1, {}, { ...refused, freshLogin: wrong }),
      { ...cutOff, server: { freshLogin: wrong } },
    ]
    const reportOf = (servers: Parameters<typeof situation>[0]) => {
      const plan = planFailover(situation(servers))
      return (plan.ok ? plan.value.commands : []).flatMap((command) => (command.type === 'report' ? command.text : []))
    }
    expect(reportOf([dead, replica(2, kept)]).join()).to.match(
      /db2 refuses a new session .*error 1045.*db-servers-credential/,
    )
    expect(reportOf([dead, replica(2, cutOff), replica(3, kept)]).join()).to.include('db3 refuses a new session')
    expect(reportOf([dead, replica(2, cutOff)]).join()).to.not.include('refuses a new session')
  })

  it('is not tried by the clock with an hourly limit, which is said and refuses nothing', () => {
    const limited = { at: NOW, state: 'limited', message: 'the account may log in 20 times an hour' } as const
    expect(findingsOf(on2(limited))).to.deep.equal([])
    expect(findingsOf(on2(limited), 'WARN0263').join())
      .to.include('20 times an hour')
      .and.include('before a switchover only')
    expect(judgeSwitchover(on2(limited), { candidate: 'db2' }).ok).to.equal(true)
  })
})
