// Processor time of one fast probe of a real server, against a bare ping on a session of the same kind.
import { unwrap } from '../../lib/base/result.js'
import { SECOND } from '../../lib/base/time.js'
import { openSession } from '../../lib/connect/sql/mysql2-session.js'
import type { OpenSession } from '../../lib/connect/sql/session.js'
import { openProbeSession } from '../../lib/connect/sql/text-protocol/probe-session.js'
import { createProbe } from '../../lib/probe/probe.js'
import { replicate, startDatabases } from '../support/databases/database.js'
import type { Node } from '../support/databases/node.js'
import { cpuOf, least, takeTurns } from './measure.js'
import { atMostTimes, type BenchRow, judgeRow } from './row.js'

const SESSIONS = 8
const PROBES = 150
const ROUNDS = 7

export async function benchProbe(): Promise<readonly BenchRow[]> {
  const databases = await startDatabases({ count: 2, prefix: 'probe' })
  try {
    const [primary, replica] = [databases.node(0), databases.node(1)]
    await replicate(primary, [replica])
    const sides = {
      ping: await pings(replica),
      atPrimary: probes(primary, openProbeSession),
      atReplica: probes(replica, openProbeSession),
      atPrimaryOnMysql2: probes(primary, openSession),
      atReplicaOnMysql2: probes(replica, openSession),
    }
    await Promise.all(Object.values(sides).map((side) => side()))
    const cpu = await takeTurns(ROUNDS, sides)
    const row = (name: string, figures: readonly number[]) =>
      judgeRow({ name, value: least(figures), unit: 'CPU us', floor: least(cpu.ping), target: atMostTimes(4) })
    const shown = (name: string, figures: readonly number[]) =>
      judgeRow({ name, value: least(figures), unit: 'CPU us', floor: least(cpu.ping) })
    return [
      row('fast probe of a primary, floor SELECT 1', cpu.atPrimary),
      row('fast probe of a replica', cpu.atReplica),
      shown('fast probe of a primary on mysql2', cpu.atPrimaryOnMysql2),
      shown('fast probe of a replica on mysql2', cpu.atReplicaOnMysql2),
    ]
  } finally {
    await databases.teardown()
  }
}

/** Processor time of one ping, microseconds; sessions ask side by side. */
async function pings(node: Node): Promise<() => Promise<number>> {
  const sessions = await Promise.all(Array.from({ length: SESSIONS }, () => openProbeSession(node.target('monitor'))))
  return perOperation(sessions.map((opened) => () => unwrap(opened).run('SELECT 1', [], SECOND)))
}

function probes(node: Node, open: OpenSession): () => Promise<number> {
  const target = node.target('monitor')
  const probes = Array.from({ length: SESSIONS }, (_, index) => createProbe({ server: `db${index}`, target, open }))
  return perOperation(
    probes.map((probe) => async () => {
      const { observation, error } = await probe.check(SECOND)
      if (observation !== 'answered') throw new Error(`the probe was ${observation}: ${error?.message}`)
    }),
  )
}

const perOperation = (sides: readonly (() => Promise<unknown>)[]) => async (): Promise<number> => {
  const spent = await cpuOf(() =>
    Promise.all(
      sides.map(async (operate) => {
        for (let count = 0; count < PROBES; count += 1) await operate()
      }),
    ),
  )
  return (spent * 1_000) / (PROBES * sides.length)
}
