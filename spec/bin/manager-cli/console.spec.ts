// The console on a real terminal: what it shows, what its keys do, and that the terminal is given back however it ends.
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { CliWorld } from '../../support/http/cli-world.js'
import { Client, type RunningClient } from '../../support/http/client.js'
import { fleetRowOf } from '../../support/http/fleet-rows.js'
import { newDirectory } from '../../support/machine/directories.js'
import { TcpGate } from '../../support/machine/tcp-gate.js'
import { eventually } from '../../support/wait.js'

const ENTER = '\u001b[?1049h'
const LEAVE = '\u001b[?1049l'

/** A number that the terminal said. */
async function numberOf(running: RunningClient, pattern: RegExp): Promise<string> {
  await running.said('db1:3306')
  return pattern.exec(running.heard())?.[1] ?? ''
}

/** Resolves when the latest screen is as it says: what was shown before does not count. */
async function shows(running: RunningClient, pattern: RegExp): Promise<void> {
  const latest = () => running.heard().split('\u001b[H').at(-1) ?? ''
  await eventually(
    () => pattern.test(latest()),
    () => `the screen shows ${pattern}: ${latest()}`,
  )
}

describe('manager-cli: console', () => {
  const world = CliWorld.forSuite()

  /** Its output ends with its status, and with whether the terminal is what it was. */
  const start = (environment = {}) => world.as('admin', 'repman', environment).startConsole()

  it('shows cluster, servers and keys, and leaves the terminal as it was', async () => {
    const running = start()
    await running.said('q quit')
    await running.said('db3:3306')
    running.child.stdin?.write('q')
    const { stdout } = await running.ended
    expect(stdout).to.contain(ENTER).and.contain('failover automatic').and.contain('\u001b[7m')
    expect(stdout.slice(stdout.lastIndexOf(LEAVE)))
      .to.contain('status 0')
      .and.contain('terminal as before')
  })

  it('asks before it switches over, and shows its outcome', async () => {
    const running = start()
    await running.said('db3:3306')
    running.child.stdin?.write('\u001b[B\u0013')
    await running.said('Switch demo over to db2:3306? [y/N]')
    running.child.stdin?.write('y')
    await running.said('Done.')
    running.child.stdin?.write('m')
    await running.said('[y/N]')
    running.child.stdin?.write('n')
    await running.said('Nothing was changed.')
    running.child.stdin?.write('q')
    await running.ended
    const asked = world.face.calls.filter(({ name }) => name === 'switchover')
    expect(asked.map(({ given }) => (given as { candidate?: string }).candidate)).to.deep.equal(['db2'])
    expect(world.face.calls.filter(({ name }) => name === 'set-maintenance')).to.deep.equal([])
  })

  it('keeps the events that come while its own switchover runs', async () => {
    const { face } = world
    const { cluster } = face
    let end = () => {}
    const held = new Promise<void>((resolve) => {
      end = resolve
    })
    face.cluster = (id) => {
      const actor = cluster.call(face, id)
      if (!actor) return undefined
      const ask: typeof actor.ask = async (name, ...given) => {
        if (name === 'switchover') await held
        return actor.ask(name, ...given)
      }
      return { ...actor, ask }
    }
    const running = start()
    try {
      await running.said('db3:3306')
      await eventually(() => face.listeners.size > 0, 'it listens')
      running.child.stdin?.write('\u001b[B\u0013')
      await running.said('[y/N]')
      running.child.stdin?.write('y')
      await running.said('waiting for the reply')
      for (const listener of face.listeners)
        listener({ id: 1, at: 0, cluster: 'demo', kind: 'operation', level: 'INFO', text: 'Switchover begins' })
      await shows(running, /Switchover begins/)
      end()
      await shows(running, /Switchover begins.*Done\.|Done\..*Switchover begins/s)
    } finally {
      face.cluster = cluster
      running.child.stdin?.write('q')
      await running.ended
    }
  })

  it('shows events as they happen, findings and the verdict', async () => {
    const running = start()
    await running.said('db3:3306')
    await eventually(() => world.face.listeners.size > 0, 'it listens')
    for (const listener of world.face.listeners)
      listener({ id: 1, at: 0, cluster: 'demo', kind: 'state', level: 'WARN', text: 'db2 is late' })
    await running.said('db2 is late')
    running.child.stdin?.write('a')
    await running.said('Open findings')
    running.child.stdin?.write('x')
    await running.said('is healthy')
    running.child.stdin?.write('q')
    await running.ended
  })

  it('says of what moment its data are while the manager is silent or gone, and no longer when it is back', async () => {
    world.face.fleetRows = [fleetRowOf('demo')]
    const gate = await TcpGate.create()
    await gate.lead(world.gateway.gateway.apiPort)
    const running = new Client({ port: gate.port, user: 'admin', password: 'repman' }).startConsole()
    await shows(running, /demo.*failover automatic[\s\S]*db3:3306/)
    // Nothing is refused, as by a manager that is suspended or behind a cut.
    await gate.set('hang')
    await shows(running, /demo.*as of \d\d:\d\d:\d\d: the manager has not answered for \d+ s[\s\S]*db3:3306/)
    await gate.set('open')
    await shows(running, /demo.*failover automatic[\s\S]*db3:3306/)
    running.child.stdin?.write('c')
    await shows(running, /1 cluster: 1 healthy[\s\S]*demo/)
    await gate.set('refuse')
    await shows(running, /All clusters {2}as of \d\d:\d\d:\d\d: nothing listens at [\s\S]*demo/)
    running.child.stdin?.write('c')
    await shows(running, /demo.*as of \d\d:\d\d:\d\d: nothing listens at [\s\S]*db3:3306/)
    await gate.set('open')
    await shows(running, /demo.*failover automatic[\s\S]*db3:3306/)
    running.child.stdin?.write('q')
    await running.ended
    await gate.close()
  })

  it('fits itself to a terminal that changes', async () => {
    const running = start()
    const terminal = await numberOf(running, /(\/dev\/pts\/\d+)/)
    execFileSync('stty', ['-F', terminal, 'cols', '40', 'rows', '12'])
    await running.said('s switchover  f failover  h help  q quit')
    running.child.stdin?.write('q')
    expect((await running.ended).stdout).to.contain('terminal as before')
  })

  it('writes no colours where NO_COLOR asks for none', async () => {
    const running = start({ NO_COLOR: '1' })
    await running.said('db3:3306')
    running.child.stdin?.write('q')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: what sets colours begins with an escape
    expect((await running.ended).stdout).not.to.match(/\u001b\[\d+m/)
  })

  for (const [signal, status] of [
    ['SIGTERM', 143],
    ['SIGHUP', 129],
    ['SIGINT', 130],
  ] as const)
    it(`gives the terminal back at ${signal}`, async () => {
      const running = start()
      process.kill(Number(await numberOf(running, /pid (\d+)/)), signal)
      const { stdout } = await running.ended
      expect(stdout.slice(stdout.lastIndexOf(LEAVE)))
        .to.contain(`status ${status}`)
        .and.contain('terminal as before')
    })

  it('gives the terminal back when it crashes, and prints why', async () => {
    const crash = path.join(newDirectory('crash'), 'crash.mjs')
    writeFileSync(crash, "process.on('SIGUSR2', () => { throw new Error('as the spec wants it') })")
    const running = start({ NODE_OPTIONS: `--import=${crash}` })
    process.kill(Number(await numberOf(running, /pid (\d+)/)), 'SIGUSR2')
    const { stdout } = await running.ended
    const end = stdout.slice(stdout.lastIndexOf(LEAVE))
    expect(end).to.contain('as the spec wants it').and.contain('status 1').and.contain('terminal as before')
  })

  it('needs a terminal', async () => {
    const { status, stderr } = await world.client.run('console')
    expect([status, stderr]).to.deep.equal([
      2,
      'the console needs a terminal; `topology --watch` and `events` write anywhere\n',
    ])
  })
})
