// Waiting for a cluster, and watching it, against a real gateway over a scripted manager.
import { expect } from 'chai'
import { renderClusterViews } from '../../../http/api/views/index.js'
import type { ClusterEvent } from '../../../lib/model/event.js'
import { CliWorld } from '../../support/http/cli-world.js'
import { viewInput } from '../../support/http/view-input.js'
import { eventually } from '../../support/wait.js'

describe('manager-cli: wait', () => {
  const world = CliWorld.forSuite()
  const bytesOf = (name: 'master') => Buffer.from(renderClusterViews[name](viewInput()))
  const show = (bytes: Buffer) => world.face.views.set('demo/master', { bytes, etag: `${Math.random()}`, at: 1_000 })
  afterEach(() => show(bytesOf('master')))

  it('ends at once when all of it holds', async () => {
    const { status, stdout } = await world.client.run('wait', '--for', 'primary=db1', '--for', 'operation')
    expect(status).to.equal(0)
    expect(stdout).to.match(
      /^met {2}primary=db1: the primary is db1:3306, Master\nmet {2}operation: nothing is running\n$/,
    )
  })

  it('ends with 7 when it does not hold in time, and says how it is', async () => {
    const { status, stderr } = await world.client.run('wait', '--for', 'primary=db2', '--timeout', '1s')
    expect(status).to.equal(7)
    expect(stderr).to.equal('timeout: not met within 1 s\nprimary=db2: the primary is db1:3306, Master\n')
  })

  for (const condition of ['primary=db9', 'state=db9:Slave', 'healthy=db9'])
    it(`ends at once with 5 for a server that the cluster has not: ${condition}`, async () => {
      const { status, stderr } = await world.client.run('wait', '--for', condition, '--timeout', '1h')
      expect(status).to.equal(5)
      expect(stderr).to.equal(
        `${condition}: there is no server db9 in demo\nList the servers with \`manager-cli topology\`.\n`,
      )
    })

  it('is woken by an event', async () => {
    show(Buffer.from('null'))
    const waiting = world.client.start('wait', '--for', 'primary=db1', '--timeout', '60s', '--output', 'json')
    await eventually(() => world.face.listeners.size > 0, 'it listens')
    show(bytesOf('master'))
    const event: ClusterEvent = { id: 1, at: 0, cluster: 'demo', kind: 'primary', level: 'INFO', text: 'db1 it is' }
    for (const listener of world.face.listeners) listener(event)
    const { status, stdout } = await waiting.ended
    expect(status).to.equal(0)
    expect(JSON.parse(stdout)).to.have.nested.property('[0].met', true)
  })

  it('waits for a manager that is not there, no longer than asked', async () => {
    const elsewhere = world.as('admin', 'repman', { MANAGER_PORT: '1' })
    const { status, stderr } = await elsewhere.run('wait', '--for', 'healthy', '--timeout', '1s')
    expect(status).to.equal(7)
    expect(stderr).to.contain('nothing listens at 127.0.0.1:1')
  })

  it('does not wait for a login that is refused', async () => {
    expect((await world.as('boss', 'wrong').run('wait', '--for', 'healthy')).status).to.equal(4)
  })
})

describe('manager-cli: watch', () => {
  const world = CliWorld.forSuite()

  for (const [words, shown] of [
    [['watch'], 'master-slave'],
    [['watch', 'server', 'list', '--query', '[].host'], 'db3\ndb1'],
  ] as const)
    it(`shows ${words.slice(1).join(' ') || 'the topology'} again and again`, async () => {
      const running = world.client.start('--interval', '0.1', ...words)
      await running.said(shown)
      running.child.kill('SIGINT')
      expect((await running.ended).status).to.equal(130)
    })

  for (const words of [
    ['watch', 'switchover'],
    ['--watch', 'failover', '--yes'],
    ['switchover', '--plan', '--watch'],
    ['watch', 'rolling', 'restart'],
    ['watch', 'cluster', 'switchover'],
    ['--watch', 'server', 'stop', 'db1', '--yes'],
    ['watch', 'provision'],
    ['watch', 'drift', 'accept', 'db1', 'all'],
    ['watch', 'api', '--method', 'POST', '--url', '/api/clusters/demo/actions/switchover'],
  ])
    it(`refuses ${words.join(' ')} with status 2 and asks the manager nothing`, async () => {
      const { status, stderr } = await world.client.run('--cluster', 'demo', ...words)
      expect([status, world.face.calls]).to.deep.equal([2, []])
      expect(stderr).to.contain('cannot be watched')
    })
})
