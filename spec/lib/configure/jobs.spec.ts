// The job script as archives carry it, on a real server: every row gets an answer, one run at a time.
import { execFile, execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { textOf, treeFor } from '../../support/configuration/rules.js'
import { type Databases, startDatabases } from '../../support/databases/database.js'
import { newDirectory } from '../../support/machine/directories.js'

const run = promisify(execFile)

describe('dbjobs_new', () => {
  const folder = newDirectory('jobs')
  const script = path.join(folder, 'dbjobs_new')
  writeFileSync(script, textOf(treeFor(), 'init/dbjobs_new'))
  chmodSync(script, 0o755)

  it('passes the shell linter', () => {
    execFileSync('sh', ['-n', script])
    expect(spawnSync('shellcheck', [script], { encoding: 'utf8' }).stdout).to.equal('')
  })

  describe('on a server', () => {
    let cluster: Databases
    const temporary = path.join(folder, 'tmp')
    mkdirSync(temporary)
    const environment = { ...process.env, MANAGER_CONF_DIR: folder, TMPDIR: temporary }
    const jobs = () => run(script, [], { env: environment })
    const rows = (sql: string) => cluster.node(0).sql(sql)

    before(async () => {
      cluster = await startDatabases({ count: 1 })
      writeFileSync(path.join(folder, 'my.cnf'), `[client]\nsocket = ${path.join(cluster.node(0).dir, 's.sock')}\n`)
    })
    after(() => cluster?.teardown())

    it('makes the job table, and does not replicate it', async () => {
      const [before] = await rows('SELECT @@gtid_binlog_pos AS position')
      await jobs()
      expect(await rows('SELECT * FROM manager_schema.jobs')).to.deep.equal([])
      expect(await rows('SELECT @@gtid_binlog_pos AS position')).to.deep.equal([before])
    })

    it('answers a task that it knows and one that it does not', async () => {
      await rows("INSERT INTO manager_schema.jobs (task) VALUES ('jobs-check'), ('no\\'such')")
      await jobs()
      const [check, unknown] = await rows('SELECT task, state, done, result FROM manager_schema.jobs ORDER BY id')
      expect(check).to.include({ task: 'jobs-check', state: 3, done: 1 })
      expect(String(check?.result)).to.match(/^tasks: jobs-check mariabackup .*\n\/.*mariadb/)
      expect(unknown).to.include({
        state: 5,
        done: 1,
      })
      expect(unknown?.result).to.match(/the task no'such is not known here; known: jobs-check/)
      await jobs()
      expect(await rows('SELECT count(*) AS n FROM manager_schema.jobs WHERE state IN (3, 5)')).to.deep.equal([
        { n: 2 },
      ])
    })

    it('leaves a job to the running process, and takes over from one that was killed', async () => {
      await rows("UPDATE manager_schema.jobs SET state = 0, done = 0 WHERE task = 'jobs-check'")
      const lock = path.join(temporary, `dbjobs_new.${process.getuid?.()}${folder.replaceAll('/', '.')}`)
      mkdirSync(lock)
      writeFileSync(path.join(lock, 'pid'), `${process.pid}\n`)
      await jobs()
      const state = async () =>
        (await rows("SELECT state FROM manager_schema.jobs WHERE task = 'jobs-check'"))[0]?.state
      expect(await state()).to.equal(0)
      writeFileSync(path.join(lock, 'pid'), '4194305\n')
      await jobs()
      expect(await state()).to.equal(3)
      expect(readdirSync(temporary)).to.deep.equal([])
    })

    it('reports missing requirements', () => {
      const wrong = (env: Readonly<Record<string, string>>) =>
        spawnSync('/bin/sh', [script], { env: { ...environment, ...env }, encoding: 'utf8' })
      const noFolder = wrong({ MANAGER_CONF_DIR: '/none' })
      expect([noFolder.status, noFolder.stderr]).to.deep.equal([1, 'dbjobs_new: cannot read /none/my.cnf\n'])
      const noClient = wrong({ PATH: '/none' })
      expect(noClient.status).to.equal(1)
      expect(noClient.stderr).to.contain('a client is needed')
    })
  })
})
