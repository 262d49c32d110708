// Defaults of sessions that stop replication when it starts next: said in advance, and a switchover that would start it is refused.
import { expect } from 'chai'
import { judgeFailover, planFailover } from '../../../../lib/decide/failover/failover.js'
import { judgeSwitchover } from '../../../../lib/decide/switchover/switchover.js'
import { namedOf } from '../../../../lib/model/server/named.js'
import { slowReading } from '../../../support/http/view-input.js'
import { cutOff, primary, refused, replica, situation, stateOf } from '../../../support/simulator/situation.js'

const identity = (flavour: 'mysql' | 'mariadb') => ({ identity: { ...stateOf(1).identity, flavour } })
const having = (id: string, name: string, value: string) => ({
  slow: slowReading(id, { variables: namedOf([[name, value]]) }),
})

describe('A default of sessions that stops replication', () => {
  const readOnly = (id: string) => having(id, 'transaction_read_only', 'ON')
  const wide = (id: string) => having(id, 'character_set_results', 'ucs2')
  const mysql = identity('mysql')
  const codes = ({ snapshot }: ReturnType<typeof situation>) =>
    snapshot.findings.filter(({ code }) => code === 'WARN0262').map(({ server }) => server)
  const refusal = (servers: Parameters<typeof situation>[0]) => {
    const judged = judgeSwitchover(situation(servers), { candidate: 'db2' })
    return judged.ok ? '' : judged.failure.message
  }

  it('is a finding of that server, with the statement that helps', () => {
    const given = situation([primary(1, mysql), replica(2, { state: mysql, server: readOnly('db2') })])
    expect(codes(given)).to.deep.equal(['db2'])
    expect(given.snapshot.findings.find(({ code }) => code === 'WARN0262')?.detail).to.include('SET PERSIST')
  })

  it('is none on MariaDB, nor with a value that was seen to do no harm', () => {
    const maria = identity('mariadb')
    expect(codes(situation([primary(1, maria), replica(2, { state: maria, server: readOnly('db2') })]))).to.deep.equal(
      [],
    )
    for (const value of ['utf8mb4', 'latin1', 'binary', ''])
      expect(
        codes(
          situation([
            primary(1, mysql),
            replica(2, { state: mysql, server: having('db2', 'character_set_results', value) }),
          ]),
        ),
      ).to.deep.equal([])
  })

  it('of its own replication refuses a switchover that makes it follow: the old primary, or a replica beside', () => {
    expect(refusal([primary(1, mysql, readOnly('db1')), replica(2, { state: mysql })])).to.include(
      'transaction_read_only',
    )
    const beside = replica(3, { state: mysql, server: readOnly('db3') })
    expect(refusal([primary(1, mysql), replica(2, { state: mysql }), beside])).to.include('transaction_read_only=ON')
    expect(refusal([primary(1, mysql), replica(2, { state: mysql, server: readOnly('db2') })])).to.equal(
      'db2 has transaction_read_only=ON: receiver and applier end (13122, 13117) when they start next. Run there: SET PERSIST transaction_read_only = OFF.',
    )
  })

  it('of those that would follow it refuses a switchover to it, and no failover, which reports it', () => {
    const candidate = replica(2, { state: mysql, server: wide('db2') })
    expect(refusal([primary(1, mysql), candidate])).to.include('character_set_results=ucs2')
    const dead = situation([
      primary(1, mysql, refused),
      replica(2, { ...cutOff, state: mysql, server: wide('db2') }),
      replica(3, { ...cutOff, state: mysql, received: '0-1-90' }),
    ])
    const plan = planFailover(dead)
    const reports = plan.ok ? plan.value.commands.flatMap((one) => (one.type === 'report' ? one.text : [])) : []
    expect(reports.join()).to.include('character_set_results=ucs2')
    expect(JSON.stringify(judgeFailover(dead).rows)).to.include('character_set_results=ucs2')
  })
})
