// The least that can move the primary role: minimal scripts that know what to do and judge nothing.
import { unwrap } from '../../lib/base/result.js'
import { SECOND } from '../../lib/base/time.js'
import { openSession } from '../../lib/connect/sql/mysql2-session.js'
import { type Dialect, dialectFor, identify, parseIdentity, type Statement } from '../../lib/dialect/index.js'
import { accounts, type Node } from '../support/databases/node.js'

const LIMIT_MS = 10 * SECOND

/**
 * Holds one connection to the primary; its reset opens the candidate at once as what the primary was, and lets the other
 * replica follow it. Resolves when it is armed.
 */
export async function armFailover(nodes: readonly [Node, Node, Node], semiSync: boolean): Promise<void> {
  const [primary, candidate, other] = nodes
  const [next, third] = await Promise.all([openScript(candidate), openScript(other)])
  const watched = unwrap(await openSession(primary.target('monitor')))
  watched.onClose(() => {
    void next.run([...(semiSync ? next.statements.askForAnswers : []), ...next.statements.promote])
    void third.run([...third.statements.stop, ...third.statements.follow(candidate, false)])
  })
}

/** Closes the primary, lets the candidate catch up, opens it as what the primary was, and lets all others follow it. */
export async function prepareSwitchover(
  nodes: readonly [Node, Node, Node],
  semiSync: boolean,
): Promise<() => Promise<void>> {
  const [primary, candidate, other] = nodes
  const [old, next, third] = await Promise.all([openScript(primary), openScript(candidate), openScript(other)])
  return async () => {
    await old.run(old.statements.close)
    const position = await primary.value('SELECT @@GLOBAL.gtid_binlog_pos')
    await next.run([next.statements.wait(position)])
    await next.run([...(semiSync ? next.statements.askForAnswers : []), ...next.statements.promote])
    await Promise.all([
      old.run([...(semiSync ? old.statements.answer : []), ...old.statements.follow(candidate, true)]),
      third.run([...third.statements.stop, ...third.statements.follow(candidate, false)]),
    ])
    for (const script of [old, next, third]) script.close()
  }
}

async function openScript(node: Node) {
  // The administrator's session of the node is opened ahead, too.
  await node.value('SELECT 1')
  const session = unwrap(await openSession(node.target('monitor')))
  const dialect = dialectFor(parseIdentity(unwrap(await session.run(identify.sql, identify.values, LIMIT_MS))).identity)
  const run = async (statements: readonly Statement[]) => {
    const text = statements.map(({ sql }) => sql).join(';')
    const values = statements.flatMap((statement) => statement.values)
    unwrap(await session.run(text, values, LIMIT_MS))
  }
  return { run, statements: statementsOf(dialect), close: () => session.close() }
}

const statementsOf = (dialect: Dialect) => ({
  promote: [...dialect.stopReplication(''), ...dialect.forgetSource(''), ...dialect.setReadOnly(false)],
  close: dialect.setReadOnly(true),
  askForAnswers: dialect.setSemiSync({ source: true, replica: false }),
  answer: dialect.setSemiSync({ source: false, replica: true }),
  stop: dialect.stopReplication(''),
  wait: (position: string) => dialect.waitApplied(position, LIMIT_MS / SECOND),
  follow: ({ host, port }: Node, demote: boolean) => [
    ...dialect.changeSource('', {
      ...{ host, port, ...accounts.replication, demote },
      ...{ heartbeatSeconds: 1, connectRetrySeconds: 1, delaySeconds: 0, tls: false },
    }),
    ...dialect.startReplication(''),
  ],
})
