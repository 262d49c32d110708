// What an operator does past the manager: moves the primary role with nothing but statements.
import { SECOND } from '../../../lib/base/time.js'
import { openSession } from '../../../lib/connect/sql/mysql2-session.js'
import { caughtUp } from '../databases/database.js'
import { accounts, type Node } from '../databases/node.js'
import { eventually, PATIENCE_MS } from '../wait.js'

const { user, password } = accounts.replication

/** Where replicas of a story reach the new primary. */
export interface Move {
  readonly to: Node
  /** Living servers that are to follow it. */
  readonly followers: readonly Node[]
  readonly semiSync?: boolean
}

/**
 * The new primary takes writes and the followers receive from it when this resolves. It has what any of them had received: what is
 * in a relay log would be removed with it, and a follower that is ahead of its source cannot follow.
 */
export async function moveByHand({ to, followers, semiSync = false }: Move): Promise<void> {
  try {
    for (const server of [to, ...followers]) await appliesAll(server)
    for (const follower of followers) {
      await follow(to, follower)
      await caughtUp(follower, to)
    }
  } catch (error) {
    // Who gives up leaves nothing stopped.
    await Promise.all([to, ...followers].map((server) => byHand(server, 'START SLAVE')))
    throw error
  }
  await byHand(to, 'STOP SLAVE; RESET SLAVE ALL')
  for (const follower of followers) await follow(follower, to)
  await byHand(to, `${semiSync ? 'SET GLOBAL rpl_semi_sync_master_enabled=ON; ' : ''}SET GLOBAL read_only=OFF`)
  for (const follower of followers)
    await eventually(async () => {
      const [row = {}] = await follower.sql('SHOW SLAVE STATUS')
      return row.Slave_IO_Running === 'Yes' && row.Slave_SQL_Running === 'Yes'
    }, `${follower.name} follows ${to.name}`)
}

/** Receives nothing more, and has applied what it received. */
async function appliesAll(node: Node): Promise<void> {
  await byHand(node, 'STOP SLAVE IO_THREAD')
  const [row] = await node.sql('SHOW SLAVE STATUS')
  if (!row) return
  const reached = await node.value('SELECT MASTER_GTID_WAIT(?, ?)', row.Gtid_IO_Pos, PATIENCE_MS / SECOND)
  if (reached !== '0') throw new Error(`${node.name} does not apply what it received`)
}

const follow = (node: Node, source: Node): Promise<void> =>
  byHand(
    node,
    `STOP SLAVE; CHANGE MASTER TO MASTER_HOST='${source.host}', MASTER_PORT=${source.port}, MASTER_USER='${user}', ` +
      `MASTER_PASSWORD='${password}', MASTER_CONNECT_RETRY=1, MASTER_USE_GTID=slave_pos; START SLAVE`,
  )

/** Through the extra port: a full server is reached as well. */
export async function byHand(node: Node, statements: string): Promise<void> {
  const opened = await openSession({ ...node.target(), port: node.extraPort })
  if (!opened.ok) throw new Error(opened.failure.message)
  const answer = await opened.value.run(statements, [], PATIENCE_MS)
  opened.value.close()
  if (!answer.ok) throw new Error(`${node.name}: ${answer.failure.message}`)
}
