// The commands of a runbook page, run as they stand there while its finding is open: each is possible, and what they do lasts.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect } from 'chai'
import type { WayBack } from '../../http/client/api/generated.js'
import { openSession } from '../../lib/connect/sql/mysql2-session.js'
import type { PageCommand, Step } from '../../lib/model/findings/runbook/kit/page.js'
import { runbooks } from '../../lib/model/findings/runbook/runbooks.js'
import type { Node } from '../support/databases/database.js'
import { accounts } from '../support/databases/node.js'
import { Client } from '../support/http/client.js'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'

const runShell = promisify(execFile)

describe('the runbook of a replica that does not apply (ERR00042)', () => {
  const page = runbooks.find(({ name }) => name === 'ERR00042')
  const isCommand = (step: Step): step is PageCommand => typeof step !== 'string'
  const commands = (steps: readonly Step[] = []) => steps.filter(isCommand)
  let cluster: ProtectedCluster
  let primary: Node
  let replica: Node
  let client: Client

  before(async () => {
    cluster = await startProtectedCluster({ count: 2 })
    ;[primary, replica] = cluster.nodes as [Node, Node]
    client = new Client({ port: cluster.manager.apiPort, user: 'admin', password: 'spec-password' })
  })
  after(() => cluster?.destroy())

  /** A row that only the replica has stops its applier: what the primary writes then, accounts too, is not applied. */
  const stop = async (row: number, account: string) => {
    await replica.sql(
      `SET SESSION sql_log_bin = 0; INSERT INTO spec.acknowledged VALUES (${row}, 1); SET SESSION sql_log_bin = 1`,
    )
    await primary.sql(`INSERT INTO spec.acknowledged VALUES (${row}, 1)`)
    await primary.sql(`CREATE USER ${account}@'127.0.0.1' IDENTIFIED BY 'late'`)
    await cluster.opens('ERR00042')
  }

  const address = () => cluster.addressOf(replica)
  const run = async (text: string, ...more: readonly string[]) => {
    const { status, stdout, stderr } = await client.run(...text.replaceAll('<server>', address()).split(' '), ...more)
    expect(status, `${text}\n${stdout}${stderr}`).to.equal(0)
  }

  /** The line with the port and the login of this machine's servers in the place of host names. */
  const shell = async (text: string) => {
    const { user, password } = accounts.root
    const login = ({ host, port }: Node) =>
      `--no-defaults --skip-ssl --user=${user} --password=${password} --host=${host} --port=${port}`
    const line = text.replaceAll('--host=<server>', login(replica)).replaceAll('--host=<primary>', login(primary))
    await runShell('bash', ['-o', 'pipefail', '-c', line])
  }

  /** It follows, has what the primary has, and its accounts are in force. */
  const expectFilled = async (account: string) => {
    await cluster.closes('ERR00042')
    await cluster.convergesOn(primary)
    const target = { ...replica.target(), user: account, password: 'late' }
    const session = await openSession(target)
    expect(session.ok ? 'logged in' : session.failure.message).to.equal('logged in')
    if (session.ok) session.value.close()
  }

  it('has checks and plans that are possible, and a procedure after which the accounts are in force', async () => {
    await stop(9_000, 'late1')
    for (const { kind, text } of commands(page?.check)) if (kind === 'cli') await run(text)
    const act = commands(page?.act)
    for (const { kind, text } of act) if (kind === 'cli' && text.endsWith('--plan')) await run(text)
    const from = act.findIndex(({ text }) => text.startsWith('server set-maintenance'))
    const until = act.findIndex(({ text }) => text.startsWith('wait '))
    expect(from, 'the procedure begins').to.be.at.least(0)
    expect(until, 'and ends').to.be.above(from)
    for (const { kind, text } of act.slice(from, until + 1)) {
      if (kind === 'cli') await run(text)
      else if (/^mariadb/.test(text)) await shell(text)
    }
    await expectFilled('late1')
  })

  it('has a reseed that brings it back, with the accounts in force', async () => {
    await stop(9_001, 'late2')
    const started = await client.run('server', 'start-slave', address())
    expect([started.status, started.stderr]).to.match(/^1,the SQL thread stopped: error 1062/)
    const plan = await client.json<WayBack>('reseed', address(), '--plan')
    expect(plan.chosen).to.equal(undefined)
    expect(plan.ways.find(({ method }) => method === 'direct')?.why).to.match(/^its applier stopped at error 1062: /)
    const line = commands(page?.act).find(({ text }) => text === 'reseed <server> --method dump')
    if (!line) throw new Error('the page has no reseed')
    await run(line.text, '--yes')
    await expectFilled('late2')
  })
})
