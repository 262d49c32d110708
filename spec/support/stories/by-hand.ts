// What an operator does past the manager: moves the primary role with nothing but statements.
import { SECOND } from '../../../lib/base/time.js'
import { openSession } from '../../../lib/connect/sql/mysql2-session.js'
import { eventually } from '../databases/database.js'
import { accounts, type Node } from '../databases/node.js'

const { user, password } = accounts.replication

/** Where replicas of a story reach the new primary. */
export interface Move {
  readonly to: Node
  /** Living servers that are to follow it. */
  readonly followers: readonly Node[]
  readonly semiSync?: boolean
}

/** The new primary takes writes and the followers receive from it when this resolves. */
export async function moveByHand({ to, followers, semiSync = false }: Move): Promise<void> {
  await byHand(to, 'STOP SLAVE; RESET SLAVE ALL')
  for (const follower of followers)
    await byHand(
      follower,
      `STOP SLAVE; CHANGE MASTER TO MASTER_HOST='${to.host}', MASTER_PORT=${to.port}, MASTER_USER='${user}', ` +
        `MASTER_PASSWORD='${password}', MASTER_CONNECT_RETRY=1, MASTER_USE_GTID=slave_pos; START SLAVE`,
    )
  await byHand(to, `${semiSync ? 'SET GLOBAL rpl_semi_sync_master_enabled=ON; ' : ''}SET GLOBAL read_only=OFF`)
  for (const follower of followers)
    await eventually(async () => {
      const [row = {}] = await follower.sql('SHOW SLAVE STATUS')
      return row.Slave_IO_Running === 'Yes' && row.Slave_SQL_Running === 'Yes'
    }, `${follower.name} follows ${to.name}`)
}

/** Through the extra port: a full server is reached as well. */
export async function byHand(node: Node, statements: string): Promise<void> {
  const opened = await openSession({ ...node.target('root', 5 * SECOND), port: node.extraPort })
  if (!opened.ok) throw new Error(opened.failure.message)
  const answer = await opened.value.run(statements, [], 30 * SECOND)
  opened.value.close()
  if (!answer.ok) throw new Error(`${node.name}: ${answer.failure.message}`)
}
