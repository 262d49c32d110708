// The host of a primary is lost while clients write: what was acknowledged to them is stored, and the storing goes on with the next primary.
import { createReadStream, createWriteStream, rmSync, statSync } from 'node:fs'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { expect } from 'chai'
import { readLog } from '../../lib/backup/binlog/read-log.js'
import { logsDirectory, readTerms, type Term } from '../../lib/backup/binlog/term.js'
import { unwrap } from '../../lib/base/result.js'
import type { Row } from '../../lib/connect/sql/session.js'
import { newDirectory } from '../support/machine/directories.js'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { durable, end, load, lossless, progress } from '../support/stories/story.js'
import { acknowledging } from '../support/stories/switching.js'
import { eventually } from '../support/wait.js'

const terms = async (cluster: ProtectedCluster): Promise<readonly Term[]> =>
  unwrap(await readTerms(logsDirectory(cluster.manager.dataDirectory, 'story')))

/** Rows that clients inserted, as `writer/entry`, by the stored files of these terms. */
async function storedRows(cluster: ProtectedCluster, which: readonly Term[]): Promise<ReadonlySet<string>> {
  const scratch = newDirectory('decoded')
  const rows = new Set<string>()
  for (const term of which)
    for (const file of term.files) {
      const from = path.join(logsDirectory(cluster.manager.dataDirectory, 'story'), term.id, file.stored)
      const to = path.join(scratch, file.name)
      const stages = file.stored.endsWith('.gz') ? [createGunzip()] : []
      await pipeline([createReadStream(from), ...stages, createWriteStream(to)])
      const reading = readLog({
        ...{ flavour: 'mariadb', program: ['mariadb-binlog'], files: [to] },
        signal: new AbortController().signal,
      })
      for await (const { kind, table, rows: changed } of reading.events)
        if (kind === 'insert' && table === 'acknowledged')
          for (const { after } of changed) rows.add(`${after?.[0]?.value}/${after?.[1]?.value}`)
      unwrap(await reading.done)
    }
  return rows
}

/** Whether the last term holds what the primary had logged when it gave this position. */
function isStored({ manager }: ProtectedCluster, all: readonly Term[], { File, Position }: Row = {}): boolean {
  const term = all.at(-1)
  const file = term?.files.find(({ name }) => name === File)
  if (!term || !file) return false
  // It is packed when the server has closed it.
  if (file.stored.endsWith('.gz')) return true
  const stored = path.join(logsDirectory(manager.dataDirectory, 'story'), term.id, file.stored)
  return (statSync(stored, { throwIfNoEntry: false })?.size ?? 0) >= Number(Position)
}

for (const semiSync of [false, true])
  describe(`the lost host of ${semiSync ? 'a semi-synchronous' : 'an asynchronous'} primary`, () => {
    let cluster: ProtectedCluster
    let settled: readonly string[]

    before(async () => {
      cluster = await startProtectedCluster({
        ...{ semiSync, options: semiSync ? lossless : durable },
        settings: { 'backup-binlogs': true, 'failover-limit': 0 },
      })
      if (semiSync) await acknowledging(cluster)
      await eventually(
        async () => (await terms(cluster)).length === 1,
        () => `storing\n${cluster.manager.log().slice(-3_000)}`,
      )
    })
    after(() => end(cluster))

    it(`does not take with it what was acknowledged ${semiSync ? '' : 'and stored '}before`, async () => {
      const writers = load(cluster, { count: 8 })
      await progress(writers, 500)
      const old = await cluster.primary()
      const acknowledged = () => writers.acknowledged.map(({ writer, row }) => `${writer}/${row}`)
      settled = acknowledged()
      const [at] = await old.sql('SHOW MASTER STATUS')
      await eventually(
        async () => isStored(cluster, await terms(cluster), at),
        () => `what was written is stored\n${cluster.manager.log().slice(-3_000)}`,
      )
      if (semiSync) settled = acknowledged()
      await old.kill()
      rmSync(path.join(old.dir, 'data'), { recursive: true, force: true })
      await cluster.movedFrom(old)
      await progress(writers, 50)
      await writers.stop()
      await eventually(async () => (await terms(cluster)).length === 2, 'a term with the next primary')
      const all = acknowledged()
      let missing: readonly string[] = []
      let unread = ''
      await eventually(
        async () => {
          // A file may be packed, or written to, while it is read here.
          const rows = await storedRows(cluster, await terms(cluster)).catch((error: Error) => {
            unread = error.message
            return new Set<string>()
          })
          missing = settled.filter((row) => !rows.has(row))
          return all.slice(-50).every((row) => rows.has(row))
        },
        () => `what was acknowledged last is stored ${unread}`,
      )
      expect(missing).to.deep.equal([])
    })

    it('leaves no gap between the two terms, and no finding', async () => {
      const [first, second] = await terms(cluster)
      expect(first?.endedAt).to.be.a('number')
      expect(second).to.not.have.property('gap')
      expect(await cluster.alerts()).to.not.include.members(['WARN0410'])
      expect(await cluster.alerts()).to.not.include.members(['WARN0411'])
    })
  })
