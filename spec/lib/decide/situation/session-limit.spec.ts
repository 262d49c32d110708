// The sessions that the account of the manager may have: what it may not do with too few is said before it is tried.
import { expect } from 'chai'
import { elect } from '../../../../lib/decide/failover/election/elect.js'
import { judgeFailover } from '../../../../lib/decide/failover/failover.js'
import { judgeSwitchover } from '../../../../lib/decide/switchover/switchover.js'
import { dialectFor } from '../../../../lib/dialect/index.js'
import { slowReading } from '../../../support/http/view-input.js'
import { primary, replica, situation, stateOf } from '../../../support/simulator/situation.js'

const limited = (id: string, sessionLimit: number) => ({ slow: slowReading(id, { sessionLimit }) })

describe('A limit of sessions', () => {
  const onReplica = (limit: number) => situation([primary(), replica(2, { server: limited('db2', limit) })])
  const onPrimary = (limit: number) => situation([primary(1, {}, limited('db1', limit)), replica(2)])
  const found = ({ snapshot }: ReturnType<typeof situation>) =>
    snapshot.findings.filter(({ code }) => code === 'ERR00186').map(({ detail }) => detail)

  it('of two is a finding, and of three is none', () => {
    expect(found(onReplica(2)).join()).to.match(/^db2 lets .* have 2 sessions at once .* a switchover needs 3\.$/)
    expect(found(onReplica(3))).to.deep.equal([])
  })

  it('of one keeps a server from being elected, and explain from promising it', () => {
    const [row] = elect(onReplica(1), { kind: 'failover' }).ranking
    expect(row).to.deep.include({ eligible: false, code: 'ERR00186' })
    expect(elect(onReplica(2), { kind: 'failover' }).candidate).to.equal('db2')
    expect(JSON.stringify(judgeFailover(onReplica(1)))).to.match(/No server can take over\. [^"]*one session at once/)
  })

  it('of two on the old primary refuses a switchover before anything changes', () => {
    const judged = judgeSwitchover(onPrimary(2))
    expect(!judged.ok && judged.failure).to.deep.include({ code: 'wrong-state' })
    expect(!judged.ok && judged.failure.message).to.match(/^db1 lets .* a switchover needs 3\.$/)
    expect(judgeSwitchover(onPrimary(3)).ok).to.equal(true)
  })

  it('that a login met is named as such, and no connections of the server', () => {
    const error = {
      code: 'sql-rejected',
      message: "error 1226: User 'm' has exceeded the 'max_user_connections' resource",
    }
    const { snapshot } = situation([primary(), replica(2, { server: { observation: 'rejected', error } })])
    const codes = snapshot.findings.filter(({ server }) => server === 'db2').map(({ code }) => code)
    expect(codes).to.include('ERR00186').and.not.include('ERR00076').and.not.include('ERR00004')
  })
})

describe('parseSlowProbe of a limit of sessions', () => {
  const read = ([own, everyone]: readonly [number, number], grant: string, flavour: 'mariadb' | 'mysql' = 'mariadb') =>
    dialectFor({ ...stateOf(1).identity, flavour }).parseSlowProbe({
      sessionLimit: [{ own, everyone }],
      ownGrants: [{ grants: `GRANT ${grant} ON *.* TO \`watch\`@\`%\`` }],
    }).sessionLimit

  it('is the one that counts for the account', () => {
    expect(read([0, 0], 'PROCESS')).to.equal(undefined)
    expect(read([2, 0], 'CONNECTION ADMIN')).to.equal(2)
    expect(read([2, 5], 'CONNECTION ADMIN')).to.equal(2)
    expect(read([5, 5], 'PROCESS')).to.equal(5)
  })

  it('is none where the server limits everyone, and the account may pass: on MariaDB', () => {
    expect(read([5, 5], 'CONNECTION ADMIN')).to.equal(undefined)
    expect(read([5, 5], 'ALL PRIVILEGES')).to.equal(undefined)
    expect(read([5, 5], 'CONNECTION_ADMIN', 'mysql')).to.equal(5)
  })
})
