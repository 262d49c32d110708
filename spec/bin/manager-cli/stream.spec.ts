// What the client follows as it happens.
import { expect } from 'chai'
import { parseAllDocuments } from 'yaml'
import { routes } from '../../../http/api/index.js'
import { CliWorld } from '../../support/http/cli-world.js'
import { Client } from '../../support/http/client.js'
import { startTestGateway } from '../../support/http/test-gateway.js'
import { freePorts } from '../../support/machine/ports.js'
import { eventually } from '../../support/wait.js'

describe('manager-cli: events', () => {
  const world = CliWorld.forSuite()

  const text = (id: number) => ({ id, at: 1_000, cluster: 'demo', kind: 'state', level: 'INFO', text: `event ${id}` })
  const emit = async (id: number) => {
    await eventually(() => world.face.listeners.size > 0, 'it listens')
    for (const listener of world.face.listeners) listener(text(id) as never)
  }

  it('prints a line for each as it happens', async () => {
    const running = world.client.start('events')
    await emit(1)
    await running.said('event 1')
    running.child.kill('SIGINT')
    expect(await running.ended).to.deep.equal({
      status: 130,
      stdout: '00:00:01.000 event 1\n',
      stderr: 'Events of demo from now on; an interrupt ends this.\n',
    })
  })

  it('prints one JSON object a line', async () => {
    const running = world.client.start('events', '--output', 'json')
    await emit(1)
    await running.said('event 1')
    await emit(2)
    await running.said('event 2')
    running.child.kill('SIGINT')
    const { stdout } = await running.ended
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).to.deep.equal([text(1), text(2)])
  })

  it('ends well when its reader leaves', async () => {
    const running = world.client.start('events')
    await emit(1)
    await running.said('event 1')
    running.child.stdout?.destroy()
    await emit(2)
    await emit(3)
    expect((await running.ended).status).to.equal(0)
  })

  it('ends with 5 for a cluster there is not', async () => {
    expect((await world.client.run('events', '--cluster', 'moon')).status).to.equal(5)
  })
})

describe('manager-cli: --watch', () => {
  const world = CliWorld.forSuite()

  it('polls again and again, through a manager that does not answer, until interrupted', async () => {
    const [port = 0] = await freePorts(1)
    const start = () => startTestGateway({ manager: world.face, routes, api: { host: '127.0.0.1', port } })
    const first = await start()
    const watcher = new Client({ port, user: 'admin', password: 'repman' })
    const words = ['topology', '--cluster', 'demo', '--watch', '--interval', '0.1', '--output', 'yaml']
    const running = watcher.start(...words)
    await running.said('---\ncluster: demo')
    await first.close()
    await running.said('is the manager running?')
    const second = await start()
    const seen = () => parseAllDocuments(texts).length
    let texts = ''
    running.child.stdout?.on('data', (chunk: string) => {
      texts += chunk
    })
    await eventually(
      () => seen() >= 3,
      () => `three documents in: ${texts}`,
    )
    running.child.kill('SIGINT')
    expect((await running.ended).status).to.equal(130)
    await second.close()
  })

  it('ends when it is not wanted there', async () => {
    expect((await world.as('admin', 'wrong').run('explain', '--watch')).status).to.equal(4)
  })
})
