// A real server reads what is generated: the default tags at several sizes, and every tag on top of them.
import { execFile } from 'node:child_process'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import type { FileTree } from '../../../lib/configure/index.js'
import { newDirectory } from '../../support/directories.js'
import { shippedRules, treeFor } from '../../support/rules.js'

const run = promisify(execFile)

async function writeTree(tree: FileTree, folder: string): Promise<void> {
  for (const entry of tree) {
    const target = path.join(folder, 'init', entry.path)
    if (entry.kind === 'directory') await mkdir(target, { recursive: true })
    if (entry.kind === 'file') await writeFile(target, entry.text, { mode: entry.mode })
    if (entry.kind === 'link') await symlink(entry.target, target)
  }
}

/** What a server says its variables are on the configuration of these settings; throws when it refuses one. */
async function readBack(
  settings: Readonly<Record<string, unknown>>,
  overlay = '',
): Promise<ReadonlyMap<string, string>> {
  const directory = newDirectory('accepted')
  await writeTree(
    treeFor({ settings, context: { kind: 'local', directory }, overlays: { '02_delta': overlay } }),
    directory,
  )
  await mkdir(path.join(directory, 'data/.system/tmp'), { recursive: true })
  const args = [`--defaults-file=${directory}/init/etc/mysql/my.cnf`, '--user=root', '--help', '--verbose']
  const { stdout } = await run('mariadbd', args, { maxBuffer: 16 * 1024 * 1024, timeout: 20_000 })
  const lines = stdout.slice(stdout.indexOf('Variables (--variable-name=value)')).split('\n')
  return new Map(lines.map((line) => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ')).trim()]))
}

const defaultTags =
  'semisync,row,innodb,noquerycache,threadpool,slow,pfs,docker,linux,readonly,diskmonitor,sqlerror,compressbinlog'

describe('the shipped rules', () => {
  for (const [memory, pool] of [
    [128, 52],
    [256, 104],
    [1024, 416],
    [16_384, 8576],
  ] as const)
    it(`are accepted by a server at ${memory} MB, which takes a buffer pool of ${pool} MB`, async () => {
      const variables = await readBack({ 'prov-db-memory': memory })
      expect(variables.get('innodb-buffer-pool-size')).to.equal(`${pool * 1024 * 1024}`)
      expect(variables.get('rpl-semi-sync-master-enabled')).to.equal('FALSE')
      expect(variables.get('extra-port')).to.equal('4306')
    })

  for (const { tag } of shippedRules().rules.filter(({ always }) => !always))
    it(`are accepted with the tag ${tag}`, async () => {
      expect((await readBack({ 'prov-db-tags': `${defaultTags},${tag}` })).size).to.be.above(300)
    })

  it('are read in the order of their numbers, custom.d last', async () => {
    const settings = { 'prov-db-tags': 'slow,nologslowqueries' }
    expect((await readBack(settings)).get('slow-query-log')).to.equal('FALSE')
    expect((await readBack(settings)).get('long-query-time')).to.equal('2')
    expect((await readBack(settings, '[mysqld]\nlong_query_time = 7\n')).get('long-query-time')).to.equal('7')
  })
})
