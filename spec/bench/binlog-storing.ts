// Processor time of storing the binary log of a server as it is written, for each 10 MB/s of log.
import { LogCollector } from '../../lib/backup/storing/collector.js'
import { MINUTE, now, SECOND, sleep } from '../../lib/base/time.js'
import type { LogStorage } from '../../lib/model/backup.js'
import { startDatabases } from '../support/databases/database.js'
import { newDirectory } from '../support/machine/directories.js'
import { cpuOfProcess } from './measure.js'
import { type BenchRow, judgeRow } from './row.js'

const MB = 1_000_000
const SECONDS = 20
/** Rows of one statement, and bytes of one: 1 MB, ten times a second. */
const ROWS = 250
const BYTES = 4_000

export async function benchBinlogStoring(): Promise<readonly BenchRow[]> {
  const databases = await startDatabases({ count: 1, prefix: 'storing', options: ['--max-binlog-size=1073741824'] })
  let state: LogStorage | undefined
  const collector = new LogCollector(
    { directory: newDirectory('bench-binlogs'), serverId: 10_000, keep: 10, compress: true },
    (report) => {
      if (report.type === 'state') state = report.state
    },
  )
  try {
    const node = databases.node(0)
    await node.sql('CREATE DATABASE bench')
    await node.sql('CREATE TABLE bench.rows (id INT AUTO_INCREMENT PRIMARY KEY, text TEXT) ENGINE=InnoDB')
    collector.follow({ id: node.name, target: node.target('monitor'), flavour: 'mariadb', version: '' })
    const end = async () => Number((await node.sql('SHOW BINARY LOGS')).at(-1)?.File_size)
    const reached = async (position: number) => {
      for (const until = now() + MINUTE; (state?.offset ?? 0) < position; await sleep(50))
        if (now() > until) throw new Error(`stored ${state?.offset} of ${position} bytes`)
    }
    await reached(await end())
    const pid = collector.pid ?? 0
    const [from, cpu, startedAt] = [await end(), cpuOfProcess(pid), now()]
    for (let tick = 0; tick < SECONDS * 10; tick += 1) {
      const due = startedAt + (tick * SECOND) / 10
      if (now() < due) await sleep(due - now())
      await node.sql(`INSERT INTO bench.rows (text) SELECT REPEAT('x', ${BYTES}) FROM bench.seq_1_to_${ROWS}`)
    }
    const written = (await end()) - from
    await reached(from + written)
    const seconds = (now() - startedAt) / SECOND
    const share = (cpuOfProcess(pid) - cpu) / SECOND / seconds
    const rate = written / MB / seconds
    return [
      judgeRow({
        name: `storing binary logs at ${rate.toFixed(1)} MB/s: processor for 10 MB/s`,
        value: (share / rate) * 10 * 100,
        unit: '%',
      }),
    ]
  } finally {
    await collector.close()
    await databases.teardown()
  }
}
