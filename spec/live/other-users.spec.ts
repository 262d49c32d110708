// What other users of the machine can read of a manager that has worked, and of its client: with the usual umask, and with none.
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { isOpenToOthers, isWrittenByOthers, printMode } from '../../lib/base/files/modes.js'
import { Client } from '../support/http/client.js'
import { newDirectory } from '../support/machine/directories.js'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { makeBackup, setSetting } from '../support/stories/backups.js'
import { end } from '../support/stories/story.js'
import { eventually } from '../support/wait.js'

const C = '/api/clusters/story'

/** Found in no file but where a row was copied to. */
const ROW = 'Zw5-a-row-of-a-customer'
const CHANNEL_SECRET = 'Kd9-a-secret-of-a-setting'

/** Files that a database, or a program that verifies, reads as a user of its own (lib/base/files/modes.ts). */
const open =
  /(^|\/)(custom\.d|init|\.init-\w+)\/|(^|\/)(01_preserved|02_delta|03_agreed|statement\.pub)|(^|\/)preserved_variables\.cnf$/

for (const umask of [0o022, 0])
  describe(`Other users of the machine, with the umask ${umask.toString(8)}`, () => {
    let cluster: ProtectedCluster
    let client: Client
    let downloads: string
    const usual = process.umask()

    before(async () => {
      cluster = await startProtectedCluster({
        count: 2,
        settings: { 'backup-binlogs': true },
      })
      await cluster.ready()
      await cluster.manager.end('SIGTERM')
      rmSync(cluster.manager.dataDirectory, { recursive: true })
      process.umask(umask)
      cluster.manager.start()
      await cluster.manager.alive()
      await cluster.ready()
      client = new Client({ port: cluster.manager.apiPort, user: 'admin', password: 'spec-password' })
      downloads = newDirectory('downloads')
    })
    after(async () => {
      process.umask(usual)
      await end(cluster)
    })

    const below = (folder: string) =>
      readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() || entry.isDirectory())
        .flatMap((entry) => {
          const file = path.join(entry.parentPath, entry.name)
          const mode = statSync(file, { throwIfNoEntry: false })?.mode
          if (mode === undefined) return [] // a draft that was put in place meanwhile
          return [
            {
              name: path.relative(folder, file),
              isFile: entry.isFile(),
              mode,
              text: entry.isFile() ? textOf(file) : '',
            },
          ]
        })
    const named = (entries: readonly { readonly name: string; readonly mode: number }[]) =>
      entries.map(({ name, mode }) => `${name} ${printMode(mode)}`)

    it('do not read what it keeps, stores, and removes at the end of a job, nor write to any of it', async () => {
      const primary = await cluster.primary()
      await primary.sql('CREATE TABLE spec.customer (name VARCHAR(100))')
      await primary.sql('INSERT INTO spec.customer VALUES (?)', ROW)
      await makeBackup(cluster, 'actions/backup-logical?wait=true')
      await setSetting(cluster, 'alert-slack-url', `http://127.0.0.1:1/${CHANNEL_SECRET}`)
      const replica = cluster.nodes.find((node) => node !== primary)
      for (const act of ['set-maintenance', 'del-maintenance'])
        expect(
          (
            await cluster.manager.post(
              `${C}/servers/${encodeURIComponent(`127.0.0.1:${replica?.port}`)}/actions/${act}`,
            )
          ).status,
        ).to.equal(200)
      expect((await client.spawn('token', 'create', 'script')).status).to.equal(0)
      const data = cluster.manager.dataDirectory
      await eventually(
        () => below(data).some(({ name, text }) => /binlogs?\//.test(name) && text.includes(ROW)),
        () => `the binary log is stored\n${named(below(data)).join('\n')}`,
      )
      await primary.kill()
      await cluster.movedFrom(primary)
      primary.start()
      await cluster.ready()

      const entries = below(data)
      const files = entries.filter(({ isFile }) => isFile)
      const secrets = ['spec-password', CHANNEL_SECRET, ROW]
      const closed = files.filter(({ name, text }) => !open.test(name) || secrets.some((one) => text.includes(one)))
      expect(
        closed.some(({ text }) => text.includes(ROW)),
        named(files).join('\n'),
      ).to.equal(true)
      expect(
        closed.some(({ text }) => text.includes(CHANNEL_SECRET)),
        named(files).join('\n'),
      ).to.equal(true)
      expect(named(closed.filter(({ mode }) => isOpenToOthers(mode)))).to.deep.equal([])
      expect(named(entries.filter(({ mode }) => isWrittenByOthers(mode)))).to.deep.equal([])
    })

    it('do not read what the client stores: its token, and what its user downloads', async () => {
      const { port } = await cluster.primary()
      const file = path.join(downloads, 'config.tar.gz')
      const { status, stderr } = await client.spawn('server', 'config', `127.0.0.1:${port}`, '--file', file)
      expect(status, stderr).to.equal(0)
      const entries = [...below(client.home), ...below(downloads)]
      expect(entries.map(({ name }) => path.basename(name))).to.include.members(['sessions.json', 'config.tar.gz'])
      expect(named(entries.filter(({ mode }) => isOpenToOthers(mode)))).to.deep.equal([])
    })
  })

function textOf(file: string): string {
  try {
    return readFileSync(file, 'latin1')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return ''
    throw error
  }
}
