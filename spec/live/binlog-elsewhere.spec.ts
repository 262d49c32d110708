// The working directory of the manager is lost: binary logs that were copied elsewhere while they were written are read back from there.
import { readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect } from 'chai'
import { pathOf, readTerms, type Term } from '../../lib/backup/binlog/term.js'
import type { PlaceConfig } from '../../lib/backup/place/place.js'
import { LogCollector } from '../../lib/backup/storing/collector.js'
import { readBack } from '../../lib/backup/storing/read-back.js'
import type { StoringReport } from '../../lib/backup/storing/storing-state.js'
import { unwrap } from '../../lib/base/result.js'
import { secret } from '../../lib/base/secret.js'
import { MINUTE } from '../../lib/base/time.js'
import type { LogStorage } from '../../lib/model/backup.js'
import { type Databases, startDatabases } from '../support/databases/database.js'
import { newDirectory } from '../support/machine/directories.js'
import { eventually } from '../support/wait.js'

const _C = '/api/clusters/story'
const { signal } = new AbortController()

/** What a new directory has after everything was read back from the place. */
async function fromPlace(place: PlaceConfig, cluster: string, keyFile: string) {
  const directory = newDirectory('read-back')
  const { terms } = unwrap(await readBack({ place, cluster, directory, keyFile, present: [], signal }))
  return { directory, terms }
}

const bytesOf = (directory: string, term: Term, name: string): Buffer => {
  const file = term.files.find((each) => each.name === name)
  if (!file) throw new Error(`${name} is not in the index of ${term.id}`)
  const bytes = readFileSync(pathOf(directory, term, file))
  return file.stored.endsWith('.gz') ? gunzipSync(bytes) : bytes
}

describe('binary logs copied to a repository of restic', () => {
  let databases: Databases
  let collector: LogCollector
  let state: LogStorage | undefined
  const lines: string[] = []
  const directory = newDirectory('binlogs')
  const place: PlaceConfig = {
    ...{ kind: 'restic', binary: 'restic', repository: path.join(newDirectory('restic'), 'repository') },
    ...{ password: secret('only here'), timeoutMs: MINUTE },
  }
  const targets = [{ place, coding: { compression: 'none', encrypted: false }, intervalMs: 1_000 }] as const

  const settings = {
    ...{ directory, serverId: 10_000, keep: 10, compress: true },
    elsewhere: { cluster: 'shop', keys: { keyFile: '', recipients: [] }, targets },
  }
  const take = (report: StoringReport) => {
    if (report.type === 'state') state = report.state
    if (report.type === 'line') lines.push(report.text)
  }
  const reaches = (what: string, holds: () => boolean | Promise<boolean>) =>
    eventually(holds, () => `${what}: ${JSON.stringify(state)}\n${lines.join('\n')}`)

  before(async () => {
    databases = await startDatabases({ count: 1, prefix: 'log' })
    const node = databases.node(0)
    await node.sql('CREATE DATABASE shop')
    await node.sql('CREATE TABLE shop.t (id INT PRIMARY KEY, a VARCHAR(100))')
    collector = new LogCollector(settings, take)
    collector.follow({ id: node.name, target: node.target('monitor'), flavour: 'mariadb', version: '' })
  })
  after(async () => {
    await collector?.close()
    await databases?.teardown()
  })

  it('are there byte for byte, the closed file and the one that is written', async () => {
    const node = databases.node(0)
    for (let id = 1; id <= 50; id++) await node.sql('INSERT INTO shop.t VALUES (?, ?)', id, 'x'.repeat(id))
    await node.sql('FLUSH BINARY LOGS')
    for (let id = 51; id <= 60; id++) await node.sql('INSERT INTO shop.t VALUES (?, ?)', id, 'x'.repeat(id))
    const written = Date.now()
    await reaches('copied', () => Number(state?.elsewhere?.[0]?.completeAt) > written)
    const back = await fromPlace(place, 'shop', '')
    const [here] = unwrap(await readTerms(directory))
    const [there] = back.terms
    if (!here || !there) throw new Error('there is a term')
    expect(there.files.map(({ name }) => name)).to.deep.equal(['bin.000001', 'bin.000002'])
    for (const name of ['bin.000001', 'bin.000002'])
      expect(bytesOf(back.directory, there, name).equals(bytesOf(directory, here, name)), name).to.equal(true)
  })

  it('tell how long they have not been copied, and go on when the place is back', async () => {
    const node = databases.node(0)
    const wrong = { ...place, binary: '/nowhere/restic' }
    collector.configure({
      ...settings,
      elsewhere: { ...settings.elsewhere, targets: [{ ...targets[0], place: wrong }] },
    })
    await reaches('the problem is reported', () => /nowhere/.test(state?.elsewhere?.[0]?.problem ?? ''))
    await node.sql('INSERT INTO shop.t VALUES (1000, NULL)')
    expect(state?.elsewhere?.[0]?.completeAt).to.equal(undefined)
    collector.configure(settings)
    const written = Date.now()
    await reaches('copied again', () => Number(state?.elsewhere?.[0]?.completeAt) > written)
  })

  it('are stored on where they ended, in a new directory', async () => {
    await collector.close()
    rmSync(directory, { recursive: true })
    collector = new LogCollector(settings, take)
    const node = databases.node(0)
    collector.follow({ id: node.name, target: node.target('monitor'), flavour: 'mariadb', version: '' })
    await node.sql('INSERT INTO shop.t VALUES (2000, NULL)')
    const last = await node.value('SELECT @@gtid_binlog_pos')
    await reaches('stored on', () => state?.gtid === last)
    const terms = unwrap(await readTerms(directory))
    expect(terms.length).to.equal(1)
    expect(terms[0]?.gap).to.equal(undefined)
  })
})
