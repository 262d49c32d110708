// What watching costs a healthy database: how many statements, and which.
import { expect } from 'chai'
import '../support/run/alone.js'
import { MINUTE } from '../../lib/base/time.js'
import type { Node } from '../support/databases/database.js'
import { moreProbes, probesOf } from '../support/manager/probes.js'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { end, lossless } from '../support/stories/story.js'
import { eventually } from '../support/wait.js'

/** Light statements a second that a healthy database is asked at most. */
const MOST_A_SECOND = 5
/** Statements that read it whole, which happens every ten seconds. */
const MOST_OF_SLOW_LOOK = 12
/** Between two such readings. */
const SLOW_LOOK_S = 10
/** Between two statements that ask who holds the lock of managers. */
const LOCK_S = 2

/** Statements of one probe at most. */
const MOST_OF_PROBE = 3

/** Probes of the three servers over which they are counted: those of 20 s. */
const PROBES = 120
/** Of each server one may be under way when the manager is asked, and one may have ended since. */
const IN_FLIGHT = 6

/** What reads a table, or takes the lock of its definition; what stands in these four is answered from memory. */
const inMemory = 'information_schema.(user_privileges|processlist|system_variables)|performance_schema.setup_consumers'
const heavy = new RegExp(`\\b(from|join|into|update|tables?)\\b(?!\\s+(${inMemory})\\b)`, 'i')

/** The beginning of a probe that is repeated all the time. */
const light = 'SELECT @@GLOBAL.server_id'

/** Who holds the lock of managers, where no other manager is. */
const lock = "SELECT IS_USED_LOCK('manager.acts')"

/** The first statement of a connection. */
const login = 'SET SESSION sql_mode'

interface Asked {
  /** Seconds. */
  readonly at: number
  readonly text: string
}

/** What was asked while the manager counted so many probes, by server. */
interface Watched {
  readonly probes: number
  readonly servers: readonly (readonly Asked[])[]
}

describe('the watch of a healthy cluster', () => {
  let cluster: ProtectedCluster
  before(async () => {
    cluster = await startProtectedCluster({ semiSync: true, options: lossless })
    for (const node of cluster.nodes) await node.sql("SET GLOBAL log_output='TABLE'; SET GLOBAL general_log=ON")
  })
  after(() => end(cluster))

  /** What the manager has asked since the log was opened, one round trip each. */
  const asked = async (node: Node): Promise<readonly Asked[]> => {
    const rows = await node.sql(
      'SELECT UNIX_TIMESTAMP(event_time) AS at, argument AS text FROM mysql.general_log ' +
        "WHERE user_host LIKE '%monitor%' AND command_type='Query' ORDER BY event_time",
    )
    return rows.map(({ at, text }) => ({ at: Number(at), text: String(text) }))
  }
  const slowLooks = (all: readonly Asked[]) =>
    all.filter(({ text }) => text.split(';').includes('SHOW GLOBAL VARIABLES')).length

  /** What each server is asked while the manager counts so many probes; absent where a connection was made meanwhile. */
  const watched = async (): Promise<Watched | undefined> => {
    const before = await Promise.all(cluster.nodes.map(asked))
    const since = await probesOf(cluster.manager)
    await moreProbes(cluster.manager, PROBES)
    const after = await Promise.all(cluster.nodes.map(asked))
    const probes = (await probesOf(cluster.manager)) - since
    const servers = after.map((all, index) => all.slice(before[index]?.length))
    // One that a busy machine made late was made again, and its server was asked as one that may be failing.
    return servers.flat().some(({ text }) => text.startsWith(login)) ? undefined : { probes, servers }
  }

  it(`asks each server at most ${MOST_A_SECOND} light statements a second, and none of a table`, async () => {
    // What the first moments of a protected cluster need is not what watching costs.
    for (const node of cluster.nodes)
      await eventually(async () => slowLooks(await asked(node)) >= 2, `${node.name} has been read whole twice`)
    const { probes, servers } = await eventually(watched, 'all connections are kept', { limitMs: 5 * MINUTE })
    for (const latest of servers) {
      const seconds = (latest.at(-1)?.at ?? 0) - (latest[0]?.at ?? 0)
      const locks = count(latest.filter(({ text }) => text.startsWith(lock)))
      const slow = latest.filter(({ text }) => !text.startsWith(light) && !text.startsWith(lock))
      expect(count(lights(latest))).to.be.at.most(MOST_A_SECOND * seconds + MOST_OF_PROBE)
      expect(locks).to.be.at.most(seconds / LOCK_S + 2)
      expect(slowLooks(latest)).to.be.at.most(seconds / SLOW_LOOK_S + 1)
      const texts = slow.map(({ text }) => text).join('\n')
      expect(count(slow), texts).to.be.at.most(MOST_OF_SLOW_LOOK * (slowLooks(latest) + 1))
      expect(latest.map(({ text }) => text).filter((text) => heavy.test(text))).to.deep.equal([])
    }
    // Each is counted, but for those under way.
    expect(servers.flatMap(lights).length).to.be.within(probes - IN_FLIGHT, probes + IN_FLIGHT)
  })
})

/** The probes that are repeated all the time. */
const lights = (asked: readonly Asked[]): readonly Asked[] => asked.filter(({ text }) => text.startsWith(light))

/** Of round trips: one may carry several. */
const count = (asked: readonly Asked[]): number => asked.flatMap(({ text }) => text.split(';')).length
