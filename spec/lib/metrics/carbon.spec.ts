import { expect } from 'chai'
import { carbonLines } from '../../../lib/metrics/carbon.js'
import { openFrame } from '../../../lib/metrics/frame-writer.js'

describe('carbonLines', () => {
  const frame = openFrame()
  for (const [family, instance, value] of [
    ['mysql_global_status_queries', 'db1-lan', '4711'],
    ['mysql_global_status_queries', 'db1:3307', '12'],
    ['mysql_global_status_uptime', 'db1-lan', '60'],
    ['manager_server_up', 'db1-lan', 1],
  ] as const)
    frame.add(family, { labels: { instance, cluster: 'demo' }, value })
  const bytes = frame.encode()

  it('names host and metric, gives value and time, one sample a line', () => {
    expect(carbonLines(bytes, () => true, 1_795_246_812).split('\n')).to.deep.equal([
      'mysql.db1-lan.mysql_global_status_queries 4711 1795246812',
      'mysql.db1-3307.mysql_global_status_queries 12 1795246812',
      'mysql.db1-lan.mysql_global_status_uptime 60 1795246812',
      '',
    ])
  })

  it('leaves out what the filter does not want, and the figures of the manager', () => {
    expect(carbonLines(bytes, (name) => name.endsWith('uptime'), 7)).to.equal(
      'mysql.db1-lan.mysql_global_status_uptime 60 7\n',
    )
  })

  it('has nothing to say of bytes that are no frame', () => {
    expect(carbonLines(Buffer.from('nothing'), () => true, 7)).to.equal('')
  })
})
