// The console on a terminal of 80 by 24, as an operator uses it: all clusters, one of them, a switchover, a death.
import path from 'node:path'
import { expect } from 'chai'
import { packageRoot } from '../../lib/base/package-root.js'
import { Tmux } from '../support/machine/tmux.js'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { lossless } from '../support/stories/story.js'
import { acknowledging, switchable } from '../support/stories/switching.js'
import { eventually } from '../support/wait.js'

describe('the console', function () {
  this.timeout(300_000)
  let cluster: ProtectedCluster
  let tmux: Tmux | undefined

  before(async () => {
    cluster = await startProtectedCluster({ semiSync: true, options: lossless })
    tmux = await Tmux.start({
      command: [process.execPath, path.join(packageRoot, 'bin/manager-cli'), 'console'],
      environment: { ...cluster.manager.clientEnvironment(), XDG_CONFIG_HOME: cluster.manager.directory },
    })
  })
  after(async () => {
    await tmux?.end()
    await cluster?.destroy()
  })

  const console = (): Tmux => {
    if (!tmux) throw new Error('there is no terminal')
    return tmux
  }

  it('shows the cluster at first, no line wider than the terminal', async () => {
    const screen = await console().shows(
      ...[/Master .*\n.*Slave .*\n.*Slave /, /^story {2}master-slave {2}failover automatic/, 'q quit'],
    )
    expect(Math.max(...screen.split('\n').map((line) => line.length))).to.be.at.most(80)
  })

  it('shows all clusters, finds one by typing, and opens it', async () => {
    await console().press('c')
    await console().shows(/^1 cluster: 1 /)
    await console().press('/', 'n', 'o', 'n', 'e')
    await console().shows('/none_  0 found')
    await console().press('BSpace', 'BSpace', 'BSpace', 'BSpace', 's', 't', 'o')
    await console().shows('/sto_  1 found')
    await console().press('Enter')
    await console().shows('/sto  1 found')
    await console().press('Enter')
    await console().shows('Events')
  })

  it('shows the page of a server, and that the primary is healthy', async () => {
    await console().press('Enter')
    await console().shows('failed probes', /version +(MariaDB|MySQL)/i)
    await console().press('d', 'x')
    await console().shows('is healthy', 'would take over automatically')
    await console().press('d')
  })

  it('switches over to the selected replica after a question', async () => {
    await switchable(cluster)
    const before = await cluster.primary()
    const servers = await cluster.servers()
    const place = servers.findIndex(({ state }) => state === 'Slave')
    await console().press(...Array.from({ length: servers.length }, () => 'Up'))
    await console().press(...Array.from({ length: place }, () => 'Down'))
    await console().press('s')
    await console().shows(/Switch story over to \S+\? \[y\/N\]/)
    await console().press('y')
    await console().shows('Done.')
    expect(await cluster.primary()).not.to.equal(before)
  })

  it('shows a failover as it happens, and no false alarm of it', async () => {
    await eventually(
      async () => (await cluster.servers()).filter(({ state }) => state === 'Slave').length === 2,
      'both others follow',
    )
    // What the switchover wrote is on the replicas: the old primary keeps nothing to itself.
    await acknowledging(cluster)
    const dead = await cluster.primary()
    await dead.kill()
    const next = await cluster.movedFrom(dead)
    // Lines of events scroll; the table keeps what has become of the servers.
    await console().shows(new RegExp(`:${next.port} +Master `))
    await console().shows(new RegExp(`:${dead.port} +(Failed|Suspect) `))
    dead.start()
    await eventually(
      async () => (await cluster.servers()).filter(({ state }) => state === 'Slave').length === 2,
      () => `the old primary is a replica\n${cluster.manager.log().slice(-3_000)}`,
    )
    expect(cluster.manager.log()).not.to.contain('OPENED ERR00066')
    await console().press('a')
    await console().shows('Open findings')
    await console().press('o')
    // The page of the first finding may be longer than the screen: each that is shown is turned once.
    let turned = ''
    await eventually(async () => {
      const screen = await console().screen()
      const lines = /\d+ to \d+ of \d+ lines/.exec(screen)?.[0] ?? turned
      if (/manager-cli --cluster story|No finding is open/.test(screen)) return true
      if (lines !== turned) await console().press('Space')
      turned = lines
      return false
    }, 'a page names a command of the client')
  })

  it('ends with q, with the terminal as it was', async () => {
    await console().press('q')
    await console().shows('ended 0')
  })
})
