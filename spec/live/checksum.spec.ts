// Checksums of a running cluster: the rows that differ are named, a busy primary is left alone, and a killed manager goes on.
import { existsSync, readFileSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'chai'
import { caughtUp } from '../support/databases/database.js'
import type { Node } from '../support/databases/node.js'
import { newDirectory } from '../support/machine/directories.js'
import { ApiUser } from '../support/manager/api-user.js'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { end } from '../support/stories/story.js'
import { eventually } from '../support/wait.js'

const C = '/api/clusters/story'

interface Found {
  readonly table_name: string
  readonly table_sync: string
  readonly rows: number
  readonly job: number
  readonly differences: readonly { readonly rows: readonly { readonly kind: string; readonly key: { id: string } }[] }[]
}

interface Schema {
  readonly changes: readonly { readonly table: string; readonly kind: string; readonly lines: readonly string[] }[]
  readonly differences: Schema['changes']
  readonly unread: readonly string[]
}

interface Job {
  readonly id: number
  readonly phase: string
  readonly result?: string
  readonly log: readonly string[]
}

describe('checksums of tables', () => {
  const directory = newDirectory('schema')
  const [script, diff] = [path.join(directory, 'script'), path.join(directory, 'diff')]
  let cluster: ProtectedCluster
  let admin: ApiUser
  before(async () => {
    await writeFile(script, `#!/bin/sh\ncat > ${diff}.part && mv ${diff}.part ${diff}\n`, { mode: 0o755 })
    cluster = await startProtectedCluster({
      count: 2,
      settings: { 'failover-mode': 'manual', 'monitoring-schema-change-script': script },
    })
    admin = await ApiUser.login(cluster.manager, 'admin', 'spec-password')
    await node(0).sql(
      'CREATE DATABASE shop; CREATE TABLE shop.orders (id INT PRIMARY KEY, note VARCHAR(20)); CREATE TABLE shop.same LIKE shop.orders',
    )
    const rows = Array.from({ length: 3_000 }, (_, index) => `(${index + 1}, 'n${index}')`).join()
    for (const table of ['orders', 'same']) await node(0).sql(`INSERT INTO shop.${table} VALUES ${rows}`)
    await caughtUp(node(0), node(1))
    await node(1).sql(
      `SET SESSION sql_log_bin = 0; UPDATE shop.orders SET note = 'other' WHERE id IN (5, 1500, 2999);
       DELETE FROM shop.orders WHERE id = 2100; INSERT INTO shop.orders VALUES (70000, 'extra')`,
    )
  })
  after(async () => {
    await end(cluster)
    await rm(directory, { recursive: true, force: true })
  })

  const node = (index: number): Node => cluster.databases.node(index)
  const found = async (table: string) => admin.json<Found>(`${C}/schema/shop/${table}/checksum`)
  const job = async (id: number) => admin.json<Job>(`${C}/jobs/${id}`)
  const begin = async (words: string): Promise<number> => {
    const { status, headers, text } = await admin.ask(`${C}/${words}`, { method: 'POST' })
    expect(status, text).to.equal(200)
    return Number(/\/jobs\/(\d+)$/.exec(headers.get('location') ?? '')?.[1])
  }
  const set = (name: string, value: number) =>
    admin.ask(`${C}/settings/actions/set/${name}/${value}`, { method: 'POST' })

  it('names exactly the rows that are changed, missing and extra on the replica', async () => {
    const id = await begin('actions/checksum-all-tables?wait=true')
    const { phase, result } = await job(id)
    expect(phase).to.equal('done')
    expect(result).to.match(/ 1 different, 0 not compared; shop\.orders on /)
    const { table_sync, differences, rows } = await found('orders')
    expect([table_sync, rows]).to.deep.equal(['ER', 3_000])
    expect(differences.flatMap((part) => part.rows.map(({ kind, key }) => `${kind} ${key.id}`))).to.deep.equal([
      ...['changed 5', 'changed 1500', 'missing 2100', 'changed 2999'],
      'extra 70000',
    ])
    const list = await admin.json<readonly Found[]>(`${C}/checksums`)
    expect(list.map((table) => `${table.table_name} ${table.table_sync}`)).to.include.members(['orders ER', 'same OK'])
    const tables = await admin.json<readonly Found[]>(`${C}/schema`)
    expect(tables.find(({ table_name }) => table_name === 'same')?.table_sync).to.equal('OK')
  })

  it('repairs them on the replica alone, by a confirmed plan, and compares again', async () => {
    const S = `${C}/servers/127.0.0.1:${node(1).port}/schema/shop/orders`
    const plan = await admin.json<{ id: string; rows: number; possible: boolean }>(`${S}/repair-plan`)
    expect([plan.possible, plan.rows]).to.deep.equal([true, 5])
    const unconfirmed = await admin.ask(`${S}/actions/repair-table`, { method: 'POST' })
    expect(unconfirmed.text).to.include(plan.id)
    expect(unconfirmed.status).to.equal(409)
    const words = `actions/repair-table?wait=true&confirm=${encodeURIComponent(plan.id)}`
    const { status, text } = await admin.ask(`${S}/${words}`, { method: 'POST' })
    expect(status, text).to.equal(200)
    const { table_sync, differences } = await found('orders')
    expect([table_sync, differences]).to.deep.equal(['OK', []])
    // Every row that was repaired is one that replication can change and delete.
    await node(0).sql('UPDATE shop.orders SET note = UPPER(note); DELETE FROM shop.orders WHERE id > 2000')
    await caughtUp(node(0), node(1))
    expect(await node(1).value('SELECT COUNT(*) FROM shop.orders')).to.equal('2000')
  })

  it('rests while the primary is busy, and can be cancelled', async () => {
    // The session of the replica and the checksum's own are two already.
    await set('monitoring-checksum-max-running', 1)
    const id = await begin('schema/shop/same/actions/checksum-table')
    await eventually(
      async () => (await job(id)).log.some((line) => line.includes('it rests: the primary runs')),
      'the checksum rests',
    )
    await admin.ask(`${C}/jobs/${id}/actions/cancel`, { method: 'POST' })
    await eventually(async () => (await job(id)).phase === 'cancelled', 'the checksum is cancelled')
  })

  it('goes on after the manager was killed', async () => {
    const id = await begin('schema/shop/same/actions/checksum-table')
    await eventually(async () => (await job(id)).phase === 'running', 'the checksum runs')
    await cluster.manager.end('SIGKILL')
    cluster.manager.start()
    await cluster.manager.alive()
    admin = await ApiUser.login(cluster.manager, 'admin', 'spec-password')
    await set('monitoring-checksum-max-running', 0)
    await eventually(async () => {
      const { job: latest } = await found('same')
      return latest > id && (await job(latest)).phase === 'done'
    }, 'the checksum is begun again and ends')
    const { table_sync, rows } = await found('same')
    expect([table_sync, rows]).to.deep.equal(['OK', 3_000])
    expect((await job(id)).phase).to.equal('failed')
  })

  it('scans the schema, notices what changed since, and what differs on the replica', async () => {
    const scan = async () => {
      const { phase, result } = await job(await begin('actions/scan-schema?wait=true'))
      expect([phase, result]).to.include('done')
      return admin.json<Schema>(`${C}/schema-changes`)
    }
    const first = await scan()
    expect([first.changes, first.differences, first.unread]).to.deep.equal([[], [], []])
    await node(0).sql('ALTER TABLE shop.same ADD INDEX note (note); CREATE TABLE shop.fresh (id INT PRIMARY KEY)')
    await caughtUp(node(0), node(1))
    await node(1).sql('SET SESSION sql_log_bin = 0; ALTER TABLE shop.orders MODIFY note VARCHAR(30)')
    const second = await scan()
    expect(second.changes.map(({ table, kind }) => `${table} ${kind}`)).to.deep.equal(['fresh created', 'same altered'])
    expect(second.changes[1]?.lines).to.deep.equal(['+shop.same index note=BTREE (note)'])
    expect(second.differences.map(({ table, kind, lines }) => [table, kind, lines.length])).to.deep.equal([
      ['orders', 'altered', 2],
    ])
    await eventually(
      () => existsSync(diff) && readFileSync(diff, 'utf8').includes('+shop.same index note'),
      'the script ran',
    )
  })

  it('refuses a table that the primary does not have', async () => {
    const { status, text } = await admin.ask(`${C}/schema/shop/none/actions/checksum-table?wait=true`, {
      method: 'POST',
    })
    expect(status, text).to.equal(404)
  })
})
