// Orders for hosts: shown and judged as rows of the job table, worked off by a script of the operator and by a schedule, and known
// to a manager that was killed meanwhile.

import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { whyNoHosts } from '../support/hosts/host-root.js'
import { SshPair } from '../support/hosts/ssh-pair.js'
import type { SshRoot } from '../support/hosts/ssh-root.js'
import { newDirectory } from '../support/machine/directories.js'

const addresses = ['127.0.3.61', '127.0.3.62']
const password = "it's a $ecret"
const C = '/api/clusters/story'
const rowsOf = 'SET sql_log_bin = 0; DELETE FROM manager_schema.jobs'

interface Entry {
  readonly task: string
  readonly origin: string
  readonly state: number
  readonly result?: string
  readonly phase: string
}

describe('orders for hosts', function () {
  this.timeout(240_000)
  let pair: SshPair
  let host: SshRoot
  const script = path.join(newDirectory('own-script'), 'own.sh')

  const set = async (name: string, value: string) => {
    const reply = await pair.manager.post(`${C}/settings/actions/set/${name}/${encodeURIComponent(value)}`)
    expect(reply.status, reply.body).to.equal(200)
  }
  const server = () => `${C}/servers/${encodeURIComponent(`${host.address}:${pair.portOf(host.address)}`)}`
  const act = async (words: string) => {
    const reply = await pair.manager.post(`${server()}/actions/${words}`)
    expect(reply.status, `${reply.body}\n${pair.log()}`).to.equal(200)
  }
  const entries = async (task: string, origin: string) => {
    const { servers } = await pair.manager.get<{ servers: Record<string, { tasks: Entry[] }> }>(`${C}/jobs`)
    return Object.values(servers).flatMap(({ tasks }) =>
      tasks.filter((each) => each.task === task && each.origin === origin),
    )
  }
  const sql = (text: string) => pair.ask(host.address, `${text}; SELECT 1`)
  const open = async () => {
    const { errors, warnings } = await pair.manager.get<Record<'errors' | 'warnings', { number: string }[]>>(
      `${C}/topology/alerts`,
    )
    return [...errors, ...warnings].map(({ number }) => number)
  }
  const runOnHost = async (more = {}) => {
    const env = { MYSQL_ROOT_USER: 'monitor', MYSQL_ROOT_PASSWORD: password, ...more }
    const { code, output } = await host.root.run('', { env, shell: ['/var/lib/mysql/init/init/dbjobs_new'] })
    expect(code, output).to.equal(0)
  }

  before(async function () {
    const reason = await whyNoHosts()
    if (reason !== undefined) {
      process.stderr.write(`      skipped: ${reason}\n`)
      return this.skip()
    }
    const settings = {
      'prov-db-tags': 'semisync,row,innodb,noquerycache,readonly,gtidstrict,linux',
      'monitoring-scheduler': true,
      'onpremise-ssh-db-job-script': script,
      'scheduler-db-servers-logical-backup': false,
    }
    pair = await SshPair.start({ addresses, settings })
    await pair.form()
    const primary = await pair.primary()
    const found = pair.roots.hosts.find(({ address }) => address === primary)
    if (!found) throw new Error('there is no primary')
    host = found
  })
  after(() => pair?.destroy())

  it('show the rows that scripts of hosts left, and end those that nothing began', async () => {
    await act('fetch-logs?wait=false')
    await pair.eventually(
      async () => (await entries('errorlog', 'table')).some(({ state }) => state === 0),
      'the order is shown as a row',
    )
    await pair.manager.post(`${server()}/actions/job-cancel/logs`)
    await sql(
      `${rowsOf}; INSERT INTO manager_schema.jobs (task, \`start\`) VALUES ('optimize', NOW() - INTERVAL 2 HOUR), ('analyze', NOW() - INTERVAL 2 MINUTE)`,
    )
    await pair.eventually(
      async () => (await entries('optimize', 'table')).some(({ state }) => state === 5),
      'the old one is ended',
    )
    expect((await entries('optimize', 'table'))[0]?.result).to.contain('no start within 3600 s')
    expect((await entries('analyze', 'table')).map(({ phase }) => phase)).to.deep.equal(['queued'])
  })

  it('are a finding while too many wait, and while the table cannot be read', async () => {
    const tasks = Array.from({ length: 11 }, (_, index) => `('own-${index}')`).join(', ')
    await sql(`${rowsOf}; INSERT INTO manager_schema.jobs (task) VALUES ${tasks}`)
    await pair.eventually(async () => (await open()).includes('ERR00060'), 'a finding says that too many wait')
    await sql(`${rowsOf}; ALTER TABLE manager_schema.jobs CHANGE payload kept MEDIUMTEXT, CHANGE port gate INT`)
    await pair.eventually(async () => (await open()).includes('ERR00102'), 'a finding says that it cannot be read')
    await sql('SET sql_log_bin = 0; DROP TABLE manager_schema.jobs')
    await pair.eventually(
      async () => !(await open()).some((code) => code === 'ERR00060' || code === 'ERR00102'),
      'both are closed',
    )
  })

  it('outlive a manager that is killed after the host has taken one', async () => {
    await set('scheduler-jobs-mode', 'api')
    await set('scheduler-jobs-exec-remote', 'analyze')
    await act('analyze-tables?wait=false')
    const S = `${C}/servers/${host.address}/${pair.portOf(host.address)}`
    const ask = async (words: string, body?: unknown) => {
      const reply = await pair.manager.session.call(body ? 'POST' : 'GET', `${S}/${words}`, body ? { body } : {})
      return reply.ok ? { status: reply.value.status, text: reply.value.body } : { status: 0, text: '' }
    }
    await pair.eventually(async () => (await ask('needs/jobs')).text === 'analyze\n', 'it is ordered')
    expect((await ask('actions/receive-task/analyze')).text).to.match(/^1\|analyze\|0\|\|deadline=/)
    await pair.manager.end('SIGKILL')
    pair.manager.start()
    await pair.manager.alive()
    expect((await ask('needs/jobs')).text, 'it was taken').not.to.contain('analyze')
    const end = { text: 'story.kept analyzed', bytes: 0 }
    await pair.eventually(
      async () => (await ask('actions/job-state/analyze/done', end)).status === 200,
      'its end is taken',
    )
    await pair.eventually(
      async () => (await entries('analyze', 'manager')).at(-1)?.phase === 'done',
      'the job that was begun again is done',
    )
  })

  it('are worked off by the script of the host: statistics, on the host instead of over SQL', async () => {
    await set('scheduler-jobs-mode', 'sql')
    const before = (await entries('analyze', 'manager')).length
    await act('analyze-tables?wait=false')
    await pair.eventually(
      async () => (await entries('analyze', 'table')).some(({ state }) => state === 0),
      'the order is in the table',
    )
    await runOnHost()
    await pair.eventually(
      async () => (await entries('analyze', 'manager')).slice(before).every(({ phase }) => phase === 'done'),
      'the job is done',
    )
    expect((await entries('analyze', 'manager')).length).to.equal(before + 1)
  })

  it('are worked off by a script of the operator, each second by its schedule', async () => {
    writeFileSync(
      script,
      `printf "SET sql_log_bin=0; UPDATE $MANAGER_JOBS_SCHEMA.jobs SET state=3, done=1, result='by the own script' WHERE done=0" |
  MYSQL_PWD="$MYSQL_ROOT_PASSWORD" mariadb --defaults-file=/etc/mysql/my.cnf --user="$MYSQL_ROOT_USER"\n`,
    )
    await set('scheduler-jobs-ssh-cron', '* * * * * *')
    await set('scheduler-jobs-ssh', 'true')
    await sql(`${rowsOf}; INSERT INTO manager_schema.jobs (task) VALUES ('optimize')`)
    await pair.eventually(
      async () => (await entries('optimize', 'table')).some(({ result }) => result === 'by the own script'),
      'the row is worked off',
    )
    // The row is worked off before the run of the script has ended.
    await pair.eventually(
      async () => (await entries('run-jobs', 'manager')).some(({ phase }) => phase === 'done'),
      'the run is a job that is done',
    )
  })
})
