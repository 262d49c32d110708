// What carbon gets of a cluster: the figures of its servers, and the lines made of them.
import { expect } from 'chai'
import { carbonLines, type InstanceFigures, instanceFigures } from '../../../lib/metrics/carbon.js'
import { collectSamples } from '../../../lib/metrics/samples.js'
import { named } from '../../../lib/model/server/named.js'
import { replica, server, slowReading, viewInput } from '../../support/http/view-input.js'

describe('instanceFigures', () => {
  const figuresOf = (input: ReturnType<typeof viewInput>): readonly InstanceFigures[] =>
    instanceFigures(collectSamples(input))
  const figure = ({ families, values }: InstanceFigures, family: string) => values[families.indexOf(family)]

  it('has status and variables as the server wrote them, and replication', () => {
    const status = named({ queries: '18446744073709551615', rpl_status: 'AUTH_MASTER', uptime: '1.50' })
    const [first, second] = figuresOf(
      viewInput({}, [server('db1', { slow: slowReading('db1', { status }) }), replica('db2')]),
    )
    if (!first || !second) throw new Error('no figures')
    expect([first.instance, second.instance]).to.deep.equal(['db1', 'db2'])
    expect(figure(first, 'mysql_global_status_queries')).to.equal('18446744073709551615')
    expect(figure(first, 'mysql_global_status_uptime')).to.equal('1.50')
    expect(first.families).not.to.include('mysql_global_status_rpl_status')
    expect(figure(first, 'mysql_slave_status_last_errno')).to.equal(undefined)
    expect(figure(second, 'mysql_slave_status_last_errno')).to.equal(0)
    expect(first.families.filter((family) => family.startsWith('manager_'))).to.deep.equal([])
  })

  it('has nothing of a server that does not answer', () => {
    const dead = server('db1', { observation: 'refused', stateName: 'failed', failures: 2 })
    expect(figuresOf(viewInput({}, [dead]))).to.deep.equal([])
  })
})

describe('carbonLines', () => {
  const figures: readonly InstanceFigures[] = [
    {
      instance: 'db1-lan',
      families: ['mysql_global_status_queries', 'mysql_global_status_uptime'],
      values: [4711, '60'],
    },
    { instance: 'db1:3307', families: ['mysql_global_status_queries'], values: ['12'] },
  ]

  it('names host and metric, gives value and time, one sample a line', () => {
    expect(carbonLines(figures, () => true, 1_795_246_812).split('\n')).to.deep.equal([
      'mysql.db1-lan.mysql_global_status_queries 4711 1795246812',
      'mysql.db1-lan.mysql_global_status_uptime 60 1795246812',
      'mysql.db1-3307.mysql_global_status_queries 12 1795246812',
      '',
    ])
  })

  it('leaves out what the filter does not let through', () => {
    expect(carbonLines(figures, (name) => name.endsWith('uptime'), 7)).to.equal(
      'mysql.db1-lan.mysql_global_status_uptime 60 7\n',
    )
  })
})
