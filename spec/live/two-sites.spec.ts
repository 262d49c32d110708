// Stories of managers at two sites with an arbitrator at a third: cut from each other, cut off altogether, and without the arbitrator.
import { readFileSync, writeFileSync } from 'node:fs'
import { expect } from 'chai'
import { SECOND, sleep } from '../../lib/base/time.js'
import type { Node } from '../support/databases/database.js'
import { ARBITRATOR_SECRET, ArbitratorProcess } from '../support/machine/arbitrator.js'
import { TcpGate } from '../support/machine/tcp-gate.js'
import { ManagerProcess } from '../support/manager/manager-process.js'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { asReplica, end, lossless } from '../support/stories/story.js'
import { SWITCHOVER } from '../support/stories/switching.js'
import { eventually } from '../support/wait.js'

interface Alerts {
  readonly errors: readonly { readonly number: string; readonly desc: string }[]
  readonly warnings: readonly { readonly number: string; readonly desc: string }[]
}

interface ClusterFlags {
  readonly isSplitBrain: boolean
  readonly isFailedArbitrator: boolean
  readonly isLostMajority: boolean
  readonly activePassiveStatus: string
}

/** Seconds. */
const LEASE = 5

/** What can be cut: the way of each manager to the other one and to the arbitrator, and of the first one to each database. */
interface Ways {
  readonly firstToSecond: TcpGate
  readonly secondToFirst: TcpGate
  readonly firstToArbitrator: TcpGate
  readonly databases: readonly TcpGate[]
}

describe('Two managers at two sites, with an arbitrator', function () {
  this.timeout(600_000)
  let arbitrator: ArbitratorProcess
  let ways: Ways
  let cluster: ProtectedCluster
  let first: ManagerProcess
  let second: ManagerProcess

  before(async () => {
    arbitrator = await ArbitratorProcess.create(LEASE)
    ways = {
      firstToSecond: await TcpGate.create(),
      secondToFirst: await TcpGate.create(),
      firstToArbitrator: await TcpGate.create(),
      databases: [await TcpGate.create(), await TcpGate.create(), await TcpGate.create()],
    }
    await ways.firstToArbitrator.lead(arbitrator.port)
    cluster = await startProtectedCluster({
      semiSync: true,
      options: lossless,
      settings: { 'failover-limit': 0 },
      addresses: (nodes) =>
        nodes.map(({ port }, index) => {
          void ways.databases[index]?.lead(port)
          return ways.databases[index]?.address ?? ''
        }),
      defaults: {
        'arbitration-external': true,
        'arbitration-external-hosts': ways.firstToArbitrator.address,
        'arbitration-external-secret': ARBITRATOR_SECRET,
        'arbitration-external-unique-id': 1,
        'arbitration-peer-hosts': ways.firstToSecond.address,
      },
    })
    first = cluster.manager
    await acts(first)
    second = await ManagerProcess.create({ clusters: {} })
    await ways.firstToSecond.lead(second.httpPort)
    await ways.secondToFirst.lead(first.httpPort)
    let text = readFileSync(first.configFile, 'utf8')
      .replaceAll(first.dataDirectory, second.dataDirectory)
      .replace(`api-port = ${first.apiPort}`, `api-port = ${second.apiPort}`)
      .replace(`http-port = ${first.httpPort}`, `http-port = ${second.httpPort}`)
      .replace(ways.firstToArbitrator.address, `127.0.0.1:${arbitrator.port}`)
      .replace(ways.firstToSecond.address, ways.secondToFirst.address)
      .replace('arbitration-external-unique-id = 1', 'arbitration-external-unique-id = 2')
    for (const [index, { host, port }] of cluster.nodes.entries())
      text = text.replace(ways.databases[index]?.address ?? '', `${host}:${port}`)
    writeFileSync(second.configFile, text, { mode: 0o600 })
    await startSecond()
  })
  after(async () => {
    await second?.destroy()
    await end(cluster)
    await arbitrator?.end()
    const { firstToSecond, secondToFirst, firstToArbitrator, databases } = ways
    for (const gate of [firstToSecond, secondToFirst, firstToArbitrator, ...databases]) await gate.close()
  })

  const startSecond = async () => {
    second.start()
    await second.alive()
    await shows(second, 'WARN0362')
  }
  /** The actor of a cluster begins another life when a lease begins or ends: a read in that moment is repeated. */
  const read = async <T>(manager: ManagerProcess, target: string): Promise<T> => {
    let failed: string | undefined
    const get = async () => {
      try {
        return { value: await manager.get<T>(`/api/clusters/story${target}`) }
      } catch (error) {
        if (!String(error).includes('actor-gone')) failed = String(error)
        throw error
      }
    }
    const { value } = await eventually(get, `story${target} is read`, { everyMs: 100, over: () => failed })
    return value
  }
  const findingOf = async (manager: ManagerProcess, code: string) => {
    const { errors, warnings } = await read<Alerts>(manager, '/topology/alerts')
    return [...errors, ...warnings].find(({ number }) => number === code)?.desc
  }
  const shows = (manager: ManagerProcess, code: string) =>
    eventually(
      async () => (await findingOf(manager, code)) !== undefined,
      () => `it shows ${code}\n${manager.log().slice(-3_000)}`,
    )
  const hides = (manager: ManagerProcess, code: string) =>
    eventually(
      async () => (await findingOf(manager, code)) === undefined,
      () => `it does not show ${code}\n${manager.log().slice(-3_000)}`,
    )
  const flags = (manager: ManagerProcess) => read<ClusterFlags>(manager, '')
  const flagsBecome = async (manager: ManagerProcess, wanted: Partial<ClusterFlags>) => {
    let shown: Partial<ClusterFlags> = {}
    await eventually(
      async () => {
        shown = await flags(manager)
        return Object.entries(wanted).every(([name, value]) => shown[name as keyof ClusterFlags] === value)
      },
      () => `${JSON.stringify(wanted)} instead of ${JSON.stringify(shown)}\n${manager.log().slice(-3_000)}`,
    )
  }
  const acts = (manager: ManagerProcess) =>
    eventually(
      async () => manager.log().includes('cluster-owned') && (await flags(manager)).activePassiveStatus === 'A',
      () => `it acts\n${manager.log().slice(-3_000)}`,
    )
  /** Status of the role check of the primary, as balancers ask it. */
  const roleCheck = async (manager: ManagerProcess) =>
    (await fetch(`http://127.0.0.1:${manager.httpPort}/api/clusters/story/primary`)).status
  /** An actor that begins another life answers role checks when it has probed. */
  const answersRole = (manager: ManagerProcess, status: number) =>
    eventually(
      async () => (await roleCheck(manager)) === status,
      () => `its role check is ${status}\n${manager.log().slice(-3_000)}`,
    )
  const begun = (manager: ManagerProcess) =>
    manager
      .log()
      .split('\n')
      .filter((line) => / begins[,:] |fence at once/.test(line))
  const masterOf = async (manager: ManagerProcess): Promise<Node | undefined> => {
    const master = await read<{ readonly port: string } | null>(manager, '/topology/master')
    return cluster.nodes.find(({ port }) => `${port}` === master?.port)
  }
  const moved = async (old: Node): Promise<Node> => {
    let next: Node | undefined
    await eventually(
      async () => {
        next = await masterOf(second)
        return next !== undefined && next !== old && (await next.value('SELECT @@read_only')) === '0'
      },
      () => `the second one makes another server the primary\n${second.log().slice(-4_000)}`,
    )
    if (!next) throw new Error('there is no primary')
    return next
  }
  /** The old primary comes back and follows the new one. */
  const comesBack = async (old: Node, primary: Node) => {
    old.start(...asReplica)
    await old.waitUp()
    await cluster.convergesOn(primary)
  }

  it('one of them acts, and the other one watches and names it', async () => {
    expect(await findingOf(second, 'WARN0362')).to.contain('arbitration-external-unique-id 1 acts on it')
    const refused = await second.post(SWITCHOVER)
    expect(refused.status, refused.body).to.equal(409)
    for (const [manager, status] of [
      [first, 'A'],
      [second, 'S'],
    ] as const) {
      await flagsBecome(manager, { isSplitBrain: false, isFailedArbitrator: false, activePassiveStatus: status })
      await answersRole(manager, 200)
    }
  })

  it('cut from each other, both reach the arbitrator: the one that acts goes on, the other one freezes until it heals', async () => {
    const before = begun(second).length
    await ways.firstToSecond.set('hang')
    await ways.secondToFirst.set('refuse')
    await shows(second, 'ERR00068')
    await shows(first, 'WARN0079')
    expect(await findingOf(second, 'ERR00068')).to.contain('arbitration-external-unique-id 1 acts on it')
    await flagsBecome(second, { isSplitBrain: true })
    await flagsBecome(first, { isSplitBrain: true })
    await sleep(2 * LEASE * SECOND)
    expect(await findingOf(first, 'ERR00068')).to.equal(undefined)
    expect((await flags(first)).activePassiveStatus).to.equal('A')
    await answersRole(first, 200)
    await answersRole(second, 503)
    expect(begun(second)).to.have.length(before)
    await ways.firstToSecond.set('open')
    await ways.secondToFirst.set('open')
    await hides(second, 'ERR00068')
    await shows(second, 'WARN0362')
    await hides(first, 'WARN0079')
    await answersRole(second, 200)
  })

  it('one that sees the databases no more gives way to the one that does: nothing is failed over', async () => {
    const primary = await masterOf(second)
    const before = [begun(first).length, begun(second).length]
    for (const gate of ways.databases) await gate.set('hang')
    await acts(second)
    await shows(first, 'WARN0362')
    expect(await findingOf(first, 'WARN0362')).to.match(/unique-id 2 (acts on it|sees more of it)/)
    await eventually(async () => (await masterOf(second)) === primary, 'the role has stayed')
    await flagsBecome(first, { isLostMajority: true })
    for (const gate of ways.databases) await gate.set('open')
    await flagsBecome(first, { isLostMajority: false })
    expect([begun(first).length, begun(second).length]).to.deep.equal(before)
  })

  it('one that is stopped lets the other one act at once', async () => {
    await second.end('SIGTERM')
    await acts(first)
    await startSecond()
    await flagsBecome(first, { activePassiveStatus: 'A' })
  })

  it('one that is cut off from everything freezes and fails nothing over; the other one does, and the first follows when it heals', async () => {
    const old = await masterOf(second)
    if (!old) throw new Error('there is no primary')
    const before = begun(first).length
    const { databases, ...others } = ways
    const all = [...databases, ...Object.values(others as Omit<Ways, 'databases'>)]
    for (const gate of all) await gate.set('hang')
    await shows(first, 'ERR00068')
    await shows(first, 'ERR00055')
    await flagsBecome(first, { isFailedArbitrator: true })
    await answersRole(first, 503)
    await acts(second)
    await shows(second, 'WARN0079')
    await old.kill()
    const next = await moved(old)
    await sleep(LEASE * SECOND)
    expect(begun(first), 'what the isolated one began').to.have.length(before)
    for (const gate of all) await gate.set('open')
    await hides(first, 'ERR00068')
    await shows(first, 'WARN0362')
    await hides(first, 'ERR00055')
    await hides(second, 'WARN0079')
    await comesBack(old, next)
    expect(begun(first)).to.have.length(before)
    expect((await flags(second)).activePassiveStatus).to.equal('A')
  })

  it('without the arbitrator both watch on and nothing is failed over, until it is back', async () => {
    const old = await masterOf(second)
    if (!old) throw new Error('there is no primary')
    await arbitrator.end()
    await shows(second, 'ERR00055')
    await shows(first, 'ERR00055')
    expect(await findingOf(second, 'ERR00068')).to.equal(undefined)
    // The actor begins another life when its lease has ended, and probes first.
    for (const manager of [first, second]) await answersRole(manager, 200)
    const refused = await second.post(SWITCHOVER)
    expect(refused.status, refused.body).to.equal(409)
    const before = [begun(first).length, begun(second).length]
    await old.kill()
    await sleep(2 * LEASE * SECOND)
    expect([begun(first).length, begun(second).length]).to.deep.equal(before)
    await arbitrator.start()
    await eventually(
      async () => begun(first).length + begun(second).length > (before[0] ?? 0) + (before[1] ?? 0),
      () => `one of them fails over\n${second.log().slice(-4_000)}`,
    )
    const owner = begun(second).length > (before[1] ?? 0) ? second : first
    expect(owner, 'the one that acted before goes on').to.equal(second)
    await comesBack(old, await moved(old))
    await hides(second, 'ERR00055')
    await hides(first, 'ERR00055')
  })
})
