// Probes that are asked for are made, whatever the server showed before.
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { expect } from 'chai'
import { Watch, type WatchAccounts } from '../../../../actors/cluster/watch/watch.js'
import { HOUR, MINUTE, now } from '../../../../lib/base/time.js'
import { applyReading } from '../../../../lib/decide/situation/health.js'
import { isGone } from '../../../../lib/decide/situation/state-name.js'
import type { Reading } from '../../../../lib/model/server/reading.js'
import type { ServerSnapshot } from '../../../../lib/model/snapshot.js'
import { type Databases, type Node, startDatabases } from '../../../support/databases/database.js'
import { freePorts } from '../../../support/machine/ports.js'
import { server } from '../../../support/simulator/situation.js'
import { eventually } from '../../../support/wait.js'

const nothing = () => undefined
/** What a watch asks of an actor that keeps nothing. */
const idle = {
  ...{ alarmed: nothing, observedSlowly: nothing, observedLogin: nothing, observedFreshLogin: nothing },
  ...{ observedPresence: nothing, observedLockWait: nothing, observedHeldLock: nothing, probedFresh: nothing },
  ...{ ownSessions: () => [], judge: async () => undefined, lost: () => 0 },
}

const plain = { rating: 'unrated', maintenance: false, readOnlyIgnored: false, delaySeconds: 0 } as const

const at = (name: string, port: number) => ({ id: name, name, host: '127.0.0.1', port, ...plain })

const accounts: WatchAccounts = {
  targetOf: ({ host, port }) => ({ host, port, user: 'monitor', password: 'x', connectTimeoutMs: 5_000 }),
  replication: { user: 'repl', password: 'x', tls: false },
  watched: {},
}

/** What is known of two servers that were not seen yet, by the readings that `observed` is given. */
function knowing() {
  const { state: _, stateAt: __, ...unread } = server(1)
  const unseen = (id: string): ServerSnapshot => ({ ...unread, id, observation: 'unseen', observedAt: 0 })
  const known = new Map(['db1', 'db2'].map((id) => [id, unseen(id)]))
  const readings: Reading[] = []
  const observed = (reading: Reading) => {
    readings.push(reading)
    const before = known.get(reading.server)
    if (before) known.set(reading.server, applyReading(before, reading, now()))
  }
  return { known, readings, observed }
}

/** Those of real servers, whose keys are taken as they are. */
const ofReal: WatchAccounts = {
  ...accounts,
  targetOf: (one) => ({ ...accounts.targetOf(one), password: 'monitor', anyKey: true }),
}

describe('probeFresh', () => {
  let watch: Watch
  let known: ServerSnapshot
  let readings: Reading[]
  let lost = 0

  beforeEach(async () => {
    const [port = 0] = await freePorts(1)
    readings = []
    lost = 0
    const { state: _, stateAt: __, ...unread } = server(1)
    known = { ...unread, observation: 'unseen', observedAt: 0 }
    watch = new Watch({
      ...idle,
      context: () => ({
        ...{ server: known, primarySuspect: false, isPrimary: false, mayWakeWritable: false },
        pace: { watched: 1, tickerMs: MINUTE },
      }),
      observed: (reading) => {
        readings.push(reading)
        known = applyReading(known, reading, now())
      },
      lost: () => lost,
    })
    watch.set([at('db1', port)], accounts)
    await eventually(() => isGone(known), 'it is probed until it counts as gone')
  })
  afterEach(() => watch.close())

  it('gives a read its time as long as the thread listens: what it lost to lateness is added', () => {
    const left = watch.timeLeft(['db1', 'db9'], { baseMs: MINUTE, trips: 24 })
    expect(left()).to.be.at.most(MINUTE)
    lost = MINUTE
    expect(left()).to.be.above(MINUTE)
  })

  const laterThan = (at: number) => readings.filter((reading) => reading.at - reading.tookMs >= at)

  it('probes the server that is named, although it was refused before: it may have been started since', async () => {
    const begun = now()
    await watch.probeFresh('db1')
    expect(laterThan(begun)).to.not.deep.equal([])
  })

  it('leaves out servers that do not answer when none is named', async () => {
    const begun = now()
    await watch.probeFresh()
    expect(laterThan(begun)).to.deep.equal([])
  })
})

describe('a cluster of which no server was ever up', () => {
  let databases: Databases
  let watch: Watch
  const { known, readings, observed } = knowing()
  const answersOf = (id: string) => readings.filter((each) => each.server === id && each.observation === 'answered')

  const downForAnHour = (one: ServerSnapshot): ServerSnapshot =>
    isGone(one) ? { ...one, stateName: 'failed', observedAt: one.observedAt + HOUR } : one

  before(async () => {
    databases = await startDatabases({ count: 2, prefix: 'db' })
    for (const node of databases.nodes) await node.stop()
    watch = new Watch({
      ...idle,
      context: (id) => ({
        server: downForAnHour(known.get(id) ?? server(1)),
        ...{ primarySuspect: false, isPrimary: false, mayWakeWritable: false },
        ...{ pace: { watched: 2, tickerMs: MINUTE }, neverUp: answersOf('db1').length === 0 },
      }),
      observed,
    })
    watch.set(
      databases.nodes.map(({ name, port }) => at(name, port)),
      ofReal,
    )
  })
  after(async () => {
    watch.close()
    await databases.teardown()
  })

  it('is asked as a whole once the first one answers, though the pause of the others is long', async () => {
    await eventually(() => [...known.values()].every(isGone), 'both count as gone')
    for (const node of databases.nodes) {
      node.start()
      await node.waitUp()
    }
    await watch.probeFresh('db1')
    await eventually(() => answersOf('db2').length > 0, 'the other one answers')
    expect(answersOf('db1').length).to.be.below(20)
  })
})

describe('a replica that restarts', () => {
  let databases: Databases
  let watch: Watch
  let judged = 0
  const { known, readings, observed } = knowing()

  before(async () => {
    databases = await startDatabases({ count: 2, prefix: 'db' })
    watch = new Watch({
      ...idle,
      context: (id) => ({
        server: known.get(id) ?? server(1),
        ...{ primarySuspect: false, isPrimary: id === 'db2', mayWakeWritable: false },
        // The other one is due once an hour: whatever is read of it was asked for.
        pace: { watched: id === 'db2' ? HOUR : 2, tickerMs: id === 'db2' ? HOUR : MINUTE },
      }),
      observed,
      probedFresh: () => {
        judged += 1
      },
    })
    watch.set(
      databases.nodes.map(({ name, port }) => at(name, port)),
      ofReal,
    )
  })
  after(async () => {
    watch.close()
    await databases.teardown()
  })

  const restart = async (...options: string[]) => {
    const [node] = databases.nodes as [Node]
    await node.kill()
    await eventually(() => known.get('db1')?.observation === 'refused', 'it is seen to be gone')
    node.start(...options)
    await eventually(() => known.get('db1')?.observation === 'answered', 'it answers again')
  }

  it('open, has the others asked at once and the cluster judged by what they answer; one as it was before has not', async () => {
    const ofOther = () => readings.filter((reading) => reading.server === 'db2')
    await eventually(() => [...known.values()].every(({ observation }) => observation === 'answered'), 'both answer')
    const [node] = databases.nodes as [Node]
    await node.sql('SET GLOBAL read_only = 1')
    await eventually(() => known.get('db1')?.state?.readOnly, 'it is seen closed')
    await restart('--read-only=ON')
    const before = ofOther().length
    await restart('--read-only=OFF')
    await eventually(() => judged > 0, 'the cluster is judged')
    expect(judged).to.equal(1)
    const [asked, ...more] = ofOther().slice(before)
    expect(more).to.deep.equal([])
    expect(asked && asked.at - asked.tookMs).to.be.at.least(known.get('db1')?.turnedAt ?? Number.POSITIVE_INFINITY)
  })
})

describe('slow probes of one thread', () => {
  const sockets = new Set<Socket>()
  let silent: Server
  const open: Watch[] = []

  /** A cluster whose servers are at these ports, and are probed when the spec asks for it. */
  const watching = (ports: readonly number[]): Watch => {
    const watch = new Watch({ ...idle, context: nothing, observed: nothing })
    watch.set(
      ports.map((port, index) => at(`db${index + 1}`, port)),
      accounts,
    )
    open.push(watch)
    return watch
  }

  beforeEach(async () => {
    silent = createServer((socket) => sockets.add(socket)).listen(0, '127.0.0.1')
    await once(silent, 'listening')
  })
  afterEach(() => {
    for (const watch of open.splice(0)) watch.close()
    for (const socket of sockets) socket.destroy()
    silent.close()
  })

  it('leave room for another cluster while every server of one accepts connections and says nothing', async () => {
    const { port } = silent.address() as AddressInfo
    const [refused = 0] = await freePorts(1)
    const hanging = watching(Array.from({ length: 6 }, () => port))
    let ended = 0
    for (let index = 1; index <= 6; index++) void hanging.probedSlowly(`db${index}`).then(() => (ended += 1))
    await watching([refused]).probedSlowly('db1')
    expect(ended).to.equal(0)
  })
})
