// What watching costs a healthy database: how many statements, and which.
import { expect } from 'chai'
import '../support/run/alone.js'
import { MINUTE } from '../../lib/base/time.js'
import type { Node } from '../support/databases/database.js'
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

/** Seconds over which they are counted. */
const WINDOW_S = 20

/** What reads a table, or takes the lock of its definition; what stands in these three is answered from memory. */
const inMemory = 'information_schema.(user_privileges|processlist)|performance_schema.setup_consumers'
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

  it(`asks each server at most ${MOST_A_SECOND} light statements a second, and none of a table`, async () => {
    for (const node of cluster.nodes) {
      let all: readonly Asked[] = []
      let latest: readonly Asked[] = []
      let [rate, locks] = [Number.POSITIVE_INFINITY, 0]
      let slow: readonly Asked[] = []
      // Quiet at the end: what the first moments of a protected cluster need, and a connection that a busy machine
      // made late and that is made again, are not what watching costs.
      await eventually(
        async () => {
          all = await asked(node)
          const until = all.at(-1)?.at ?? 0
          if (until - (all[0]?.at ?? until) < WINDOW_S) return false
          latest = all.filter(({ at }) => until - at < WINDOW_S)
          if (slowLooks(latest) === 0 || latest.some(({ text }) => text.startsWith(login))) return false
          rate = count(latest.filter(({ text }) => text.startsWith(light))) / WINDOW_S
          locks = count(latest.filter(({ text }) => text.startsWith(lock)))
          slow = latest.filter(({ text }) => !text.startsWith(light) && !text.startsWith(lock))
          return (
            rate <= MOST_A_SECOND &&
            locks <= WINDOW_S / LOCK_S + 2 &&
            slowLooks(latest) <= WINDOW_S / SLOW_LOOK_S + 1 &&
            count(slow) <= MOST_OF_SLOW_LOOK * (slowLooks(latest) + 1)
          )
        },
        () =>
          `${node.name} is asked ${rate} light statements a second, ${locks} times for the lock, and beside them\n` +
          slow.map(({ text }) => text).join('\n'),
        { limitMs: 5 * MINUTE },
      )
      expect(all.map(({ text }) => text).filter((text) => heavy.test(text))).to.deep.equal([])
    }
  })
})

/** Of round trips: one may carry several. */
const count = (asked: readonly Asked[]): number => asked.flatMap(({ text }) => text.split(';')).length
