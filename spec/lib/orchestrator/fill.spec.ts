// The script that fills an empty server, by every shell that a host may have as its sh, between two real servers.
import { execFile, spawnSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { sharePath } from '../../../lib/base/package-root.js'
import { fillEnvironment, fillScript } from '../../../lib/orchestrator/fill.js'
import { accounts, type Databases, type Node, startDatabases } from '../../support/databases/database.js'

const run = promisify(execFile)

describe('fill.sh', () => {
  let databases: Databases
  const fill = (shell: string, [donor, target]: readonly [Node, Node]) => {
    const [command = '', ...args] = shell.split(' ')
    const task = { donor, target, login: accounts.monitor, dataDir: path.join(target.dir, 'data'), baseDir: '' }
    const env = { ...fillEnvironment(task), PATH: process.env.PATH ?? '', TMPDIR: '/nowhere' }
    return run(command, [...args, fillScript()], { env, timeout: 120_000 })
  }
  const ends = (): readonly [Node, Node] => [databases.node(0), databases.node(1)]

  before(async () => {
    databases = await startDatabases({ count: 2 })
    await databases.node(0).sql('CREATE DATABASE story')
    await databases.node(0).sql('CREATE TABLE story.kept (id INT PRIMARY KEY, bytes BLOB)')
    await databases.node(0).sql("INSERT INTO story.kept VALUES (1, x'00FF27225C')")
  })
  after(() => databases?.teardown())

  for (const script of ['fill', 'host'])
    it(`has no word from shellcheck for ${script}.sh, nor a here-document, which an older bash writes to a file`, async () => {
      const file = sharePath('scripts/onpremise', `${script}.sh`)
      expect(spawnSync('shellcheck', ['--shell=sh', file], { encoding: 'utf8' })).to.include({ stdout: '', status: 0 })
      expect(await readFile(file, 'utf8')).to.not.contain('<<')
    })

  for (const shell of ['dash', 'bash --posix', 'busybox sh'])
    it(`copies everything by ${shell}`, async () => {
      const [donor, target] = ends()
      const { stdout } = await fill(shell, [donor, target])
      expect(stdout).to.contain(`copied up to ${await donor.value('SELECT @@gtid_binlog_pos')}`)
      expect(await target.value('SELECT HEX(bytes) FROM story.kept WHERE id = 1')).to.equal('00FF27225C')
      // For the next shell it is empty again.
      await target.sql('DROP DATABASE story')
      await target.sql('RESET MASTER')
    })

  it('copies nothing into a server that is not empty', async () => {
    const [, target] = ends()
    await target.sql('CREATE DATABASE held')
    const failed = await fill('dash', ends()).then(
      () => '',
      (error: Error & { stderr: string }) => error.stderr,
    )
    expect(failed).to.contain(`the new server ${target.host}:${target.port} is not empty`)
  })
})
