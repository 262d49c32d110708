// Backups of a server under the manager beside the bare tool, and what they cost the source; a dropped table until it is back.
import { mkdirSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { Catalogue } from '../../lib/backup/catalogue/index.js'
import { storageOf } from '../../lib/backup/place/from-settings.js'
import { restoreFiles, restoreStatements, type StoredCopy } from '../../lib/backup/restore/restore.js'
import { unwrap } from '../../lib/base/result.js'
import { MINUTE, now, SECOND, sleep } from '../../lib/base/time.js'
import { runProgram } from '../../lib/connect/shell/program.js'
import { clientOptions } from '../../lib/connect/sql/client-options.js'
import { defaultSettings } from '../../lib/settings/table/settings.js'
import { type Node, startDatabases } from '../support/databases/database.js'
import { newDirectory } from '../support/machine/directories.js'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { durable } from '../support/stories/story.js'
import { eventually } from '../support/wait.js'
import { cpuOfFamily, median, quantile } from './measure.js'
import { atLeastTimes, type BenchRow, judgeRow } from './row.js'

const MB = 1_000_000
const ROUNDS = 3
/** Rows of about 1 kB: so many that the start of a job is a small part of it. */
const ROWS = 1_000_000
const C = '/api/clusters/story'

export async function benchBackups(): Promise<readonly BenchRow[]> {
  const root = newDirectory('bench-backups')
  const cluster = await startProtectedCluster({
    count: 2,
    options: [...durable, '--innodb-buffer-pool-size=512M', '--innodb-log-file-size=256M'],
    settings: { 'backup-binlogs': true, 'failover-mode': 'manual' },
  })
  const scratch = await startDatabases({ count: 1, prefix: 'scratch', options: ['--innodb-buffer-pool-size=512M'] })
  try {
    const primary = await cluster.primary()
    await fill(primary)
    const replica = cluster.nodes.find((node) => node !== primary) ?? primary
    await eventually(
      async () => (await replica.value('SELECT COUNT(*) FROM bench.large').catch(() => '')) === String(ROWS),
      'the replica has every row',
    )
    const bench: Bench = { root, cluster, primary, replica, scratch: scratch.node(0) }
    return [
      ...(await throughput(bench, 'physical')),
      ...(await throughput(bench, 'logical')),
      ...(await latency(bench)),
      await droppedTable(bench),
    ]
  } finally {
    await scratch.teardown()
    await cluster.destroy()
    await rm(root, { recursive: true, force: true })
  }
}

interface Bench {
  readonly root: string
  readonly cluster: ProtectedCluster
  readonly primary: Node
  readonly replica: Node
  /** Statements are restored into it. */
  readonly scratch: Node
}

async function fill(primary: Node): Promise<void> {
  await primary.sql('CREATE DATABASE bench')
  await primary.sql('CREATE TABLE bench.small (id INT PRIMARY KEY, name VARCHAR(60)) ENGINE=InnoDB')
  await primary.sql('CREATE TABLE bench.writes (id INT AUTO_INCREMENT PRIMARY KEY, at DATETIME) ENGINE=InnoDB')
  await primary.sql("INSERT INTO bench.small SELECT seq, CONCAT('row ', seq) FROM bench.seq_1_to_1000")
  await primary.sql('CREATE TABLE bench.large (id INT PRIMARY KEY, text VARCHAR(1000)) ENGINE=InnoDB')
  for (let from = 1; from <= ROWS; from += 20_000)
    await primary.sql(
      `INSERT INTO bench.large SELECT seq, CONCAT(MD5(seq), REPEAT(CONCAT(MD5(seq + 1), ' a text '), 22)) FROM bench.seq_${from}_to_${from + 19_999}`,
    )
}

const backup = async ({ cluster }: Bench, kind: 'physical' | 'logical', server?: string): Promise<void> => {
  const place = server === undefined ? '' : `servers/${server}/`
  const { status, body } = await cluster.manager.post(`${C}/${place}actions/backup-${kind}?wait=true&full=true`)
  if (status !== 200) throw new Error(`the backup answered ${status}: ${body}`)
}

const bare = async (root: string, line: string): Promise<void> => {
  const args = ['-n', '10', '/bin/bash', '-o', 'pipefail', '-c', line]
  unwrap(await runProgram({ file: 'nice', args, cwd: root, timeoutMs: 10 * MINUTE }))
}

const secondsOf = async (work: () => Promise<void>): Promise<number> => {
  const startedAt = now()
  await work()
  return (now() - startedAt) / SECOND
}

/**
 * From the request to the end of the job, restores from the opened copy to the end of the tool; the bare tool with the same options, and once
 * more with the checksum that the manager takes.
 */
async function throughput(bench: Bench, kind: 'physical' | 'logical'): Promise<readonly BenchRow[]> {
  const { root, cluster, replica } = bench
  const login = path.join(root, 'login.cnf')
  await writeFile(login, clientOptions(replica.target('root')), { mode: 0o600 })
  const scratch = path.join(root, 'scratch.cnf')
  await writeFile(scratch, clientOptions(bench.scratch.target('root')), { mode: 0o600 })
  const data = await replica.value('SELECT @@datadir')
  const take = 'tee >(sha256sum > sum)'
  const [store, restore] = {
    physical: [
      (through: string) =>
        `mariadb-backup --defaults-file=${login} --backup --stream=xbstream --datadir=${data} --target-dir=${root}/target | ${through} > out && sync out; rm -rf target`,
      (through: string) =>
        `mkdir -p bare && cat out | ${through} | mbstream -x -C bare && mariadb-backup --prepare --target-dir=bare; rm -rf bare`,
    ],
    logical: [
      (through: string) =>
        `mariadb-dump --defaults-file=${login} --single-transaction --all-databases --routines --events --triggers | ${through} > out && sync out`,
      (through: string) =>
        `(echo 'SET sql_log_bin=0;'; cat out | ${through}) | mariadb --defaults-file=${scratch} --binary-mode`,
    ],
  }[kind] as [(through: string) => string, (through: string) => string]
  const least = {
    ...{ store: Infinity, bareStore: Infinity, summedStore: Infinity },
    ...{ restore: Infinity, bareRestore: Infinity, summedRestore: Infinity },
  }
  const cpu = { ...least }
  // Of the bench with what it started; the manager stores, and goes on probing meanwhile. The source's own is in neither.
  const keep = async (key: keyof typeof least, work: () => Promise<void>) => {
    const pid = key === 'store' ? cluster.manager.pid : process.pid
    const used = cpuOfFamily(pid)
    least[key] = Math.min(least[key], await secondsOf(work))
    cpu[key] = Math.min(cpu[key], (cpuOfFamily(pid) - used) / SECOND)
  }
  const id = (await cluster.servers()).find(({ port }) => port === String(replica.port))?.id ?? ''
  let bytes = 0
  for (let round = 0; round < ROUNDS; round += 1) {
    await keep('bareStore', () => bare(root, store('cat')))
    await keep('summedStore', () => bare(root, store(take)))
    await keep('store', () => backup(bench, kind, id))
    const copy = await newest(cluster, kind)
    bytes = copy.bytes
    await keep('bareRestore', () => bare(root, restore('cat')))
    await keep('summedRestore', () => bare(root, restore(take)))
    await keep('restore', () => restoreCopy(bench, copy.copy, scratch))
  }
  const row = (name: string, mine: number, floor: number) =>
    judgeRow({
      ...{ name: `${name}, best of ${ROUNDS}`, value: bytes / MB / mine, unit: 'MB/s', floor: bytes / MB / floor },
      target: atLeastTimes(0.9),
    })
  const cost = (name: string, value: number, floor: number) =>
    judgeRow({ name: `processor of a ${name} of ${Math.round(bytes / MB)} MB`, value, unit: 's', floor })
  const tool = kind === 'physical' ? 'mariadb-backup' : 'mariadb-dump'
  return [
    row(`backup by ${tool}`, least.store, least.bareStore),
    row(`backup by ${tool} beside the tool with a checksum`, least.store, least.summedStore),
    cost(`backup by ${tool}`, cpu.store, cpu.bareStore),
    row(`restore of ${tool}`, least.restore, least.bareRestore),
    row(`restore of ${tool} beside the tool with a checksum`, least.restore, least.summedRestore),
    cost(`restore of ${tool}`, cpu.restore, cpu.bareRestore),
  ]
}

async function newest(
  { manager }: ProtectedCluster,
  kind: 'physical' | 'logical',
): Promise<{ readonly copy: StoredCopy; readonly bytes: number }> {
  const settings = defaultSettings({ 'monitoring-datadir': manager.dataDirectory })
  const { target, keyFile } = storageOf('story', settings)
  const catalogue = new Catalogue(target, 'story', keyFile)
  const { signal } = new AbortController()
  const { backups } = unwrap(await catalogue.read(signal))
  const made = backups.findLast((each) => each.kind === kind && each.state === 'valid')
  if (!made) throw new Error('the backup is not in the catalogue')
  return {
    copy: { backup: made, source: unwrap(await catalogue.source(made, made.files?.[0], signal)) },
    bytes: made.rawSize,
  }
}

async function restoreCopy({ root }: Bench, copy: StoredCopy, login: string): Promise<void> {
  const run = { signal: new AbortController().signal, log: () => undefined, progress: () => undefined }
  const [data, work] = [path.join(root, 'restored'), path.join(root, 'work')]
  const deadlineMs = 10 * MINUTE
  if (copy.backup.kind === 'physical') {
    mkdirSync(data, { recursive: true })
    unwrap(await restoreFiles({ copies: [copy], data, work, deadlineMs }, run))
    await rm(data, { recursive: true, force: true })
    return
  }
  const tools = { binlog: 'mariadb-binlog', client: 'mariadb', dump: 'mariadb-dump', myloader: 'myloader' }
  unwrap(await restoreStatements({ copy, tools, login, work, loadThreads: 2, loadOptions: [], deadlineMs }, run))
}

/** Commits one after the other on the server that is copied, for as long as the backup takes; and before it, as long. */
async function latency(bench: Bench): Promise<readonly BenchRow[]> {
  const { cluster, primary } = bench
  const id = (await cluster.servers()).find(({ port }) => port === String(primary.port))?.id ?? ''
  const writing = async (until: Promise<unknown>): Promise<readonly number[]> => {
    const figures: number[] = []
    let ended = false
    void until.finally(() => {
      ended = true
    })
    while (!ended) {
      const startedAt = performance.now()
      await primary.sql('INSERT INTO bench.writes (at) VALUES (NOW())')
      figures.push(performance.now() - startedAt)
    }
    return figures
  }
  const during = await writing(backup(bench, 'physical', id))
  const without = await writing(sleep(5 * SECOND))
  return [
    judgeRow({
      name: `commit while the server is copied, median of ${during.length}`,
      value: median(during),
      unit: 'ms',
      floor: median(without),
    }),
    judgeRow({
      name: 'commit while the server is copied, 99 %',
      value: quantile(during, 0.99),
      unit: 'ms',
      floor: quantile(without, 0.99),
    }),
  ]
}

/** From DROP TABLE until its rows are in the cluster again: recovered into a file from backup and stored logs, and loaded. */
async function droppedTable({ cluster, primary, root }: Bench): Promise<BenchRow> {
  const { status: made } = await cluster.manager.post(`${C}/actions/backup-physical?wait=true`)
  if (made !== 200) throw new Error(`the backup answered ${made}`)
  await primary.sql("INSERT INTO bench.small VALUES (100000, 'after the backup')")
  await sleep(1.1 * SECOND)
  const at = Math.floor(Date.now() / SECOND)
  await sleep(1.1 * SECOND)
  const startedAt = now()
  await primary.sql('DROP TABLE bench.small')
  const { status, body } = await cluster.manager.post(
    `${C}/actions/recover-tables/bench?tables=small&time=${at}&wait=true`,
  )
  if (status !== 202) throw new Error(`the recovery answered ${status}: ${body}`)
  const login = path.join(root, 'primary.cnf')
  await writeFile(login, clientOptions(primary.target('root')), { mode: 0o600 })
  const recovered = path.join(cluster.manager.dataDirectory, 'backups/story/recovered')
  await bare(root, `gzip -dc "${recovered}"/bench-*.sql.gz | mariadb --defaults-file=${login} bench`)
  const restoredMs = now() - startedAt
  if ((await primary.value('SELECT COUNT(*) FROM bench.small')) !== '1001') throw new Error('rows are missing')
  return judgeRow({
    name: `DROP TABLE until it is back, ${Math.round(ROWS / 1_000)} MB of data`,
    value: restoredMs / SECOND,
    unit: 's',
  })
}
