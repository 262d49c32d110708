// The client as people and scripts run it, against a real gateway over a scripted manager.
import { statSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { parse, parseAllDocuments } from 'yaml'
import { routes } from '../../http/api/index.js'
import { type FailureCode, failures } from '../../lib/base/failures.js'
import { packageVersion } from '../../lib/base/package-root.js'
import type { ClusterEvent, EventKind } from '../../lib/model/event.js'
import { makeAuthority } from '../support/authority.js'
import { Client } from '../support/client.js'
import { freePorts } from '../support/ports.js'
import { ScriptedFace } from '../support/scripted-face.js'
import { startTestGateway, type TestGateway } from '../support/test-gateway.js'

const KNOWN = ['switchover', 'failover', 'explain', 'topology', 'status', 'show', 'events', 'bootstrap', 'api']

/** The text without escape sequences of colours. */
const uncoloured = (text: string): string =>
  text
    .split('\u001b')
    .map((part, index) => (index === 0 ? part : part.replace(/^\[\d*m/, '')))
    .join('')

/** Tells of an operation while it is asked for one; the last event comes late. */
class TellingFace extends ScriptedFace {
  override cluster(name: string) {
    const actor = super.cluster(name)
    if (!actor) return undefined
    const ask: typeof actor.ask = (...given) => {
      this.#say('operation', 'Switchover begins', { phase: 'running' })
      this.#say('step', 'switchover freeze db1 done', { tookMs: 12.3 })
      setTimeout(() => this.#say('operation', 'Switchover succeeded', { phase: 'succeeded' }), 100)
      return actor.ask(...given)
    }
    return { ...actor, ask }
  }

  #say(kind: EventKind, text: string, data: ClusterEvent['data'] & object): void {
    for (const listener of this.listeners)
      listener({ id: this.past.length, at: 0, cluster: 'demo', kind, level: 'INFO', text, data })
  }
}

describe('manager-cli', () => {
  let face: ScriptedFace
  let gateway: TestGateway
  let client: Client
  const as = (user: string, password: string | undefined, environment = {}) =>
    new Client({
      port: gateway.gateway.apiPort,
      user,
      ...(password === undefined ? {} : { password }),
      environment,
    })

  before(async () => {
    face = new ScriptedFace()
    gateway = await startTestGateway({ manager: face, routes })
    client = as('admin', 'repman')
  })
  afterEach(() => {
    face.failure = undefined
    face.replies.clear()
    face.calls.length = 0
    face.names.delete('shop')
  })
  after(() => gateway.close())

  describe('topology', () => {
    it('shows the servers of the only cluster', async () => {
      const { status, stdout, stderr } = await client.run('topology')
      expect([status, stderr]).to.deep.equal([0, ''])
      const [head = '', titles = '', ...servers] = stdout.trimEnd().split('\n')
      expect(head).to.match(/^demo {2}master-slave, failover /)
      expect(titles).to.match(/^SERVER +STATE +READ ONLY +LAG +SEMI-SYNC +FAILURES +GTID +NOTES$/)
      expect(servers[0]).to.match(/^db1:3306 +Master +OFF +- +source +0 +0-1-150 +Master OK$/)
      expect(servers[1]).to.match(/^db2:3306 +Slave +ON +0 s /)
    })

    it('writes no colours where nobody sees them', async () => {
      expect((await client.run('topology')).stdout).not.to.contain('\u001b')
    })

    it('gives the same as JSON and as YAML', async () => {
      const json = await client.json<{ servers: { id: string }[] }>('topology')
      const { stdout } = await client.run('topology', '--output', 'yaml')
      expect(json.servers.map(({ id }) => id)).to.include('db1')
      expect(parse(stdout)).to.deep.equal(json)
    })

    it('asks which cluster is meant where there are several', async () => {
      face.names.add('shop')
      const { status, stderr } = await client.run('topology')
      expect([status, stderr]).to.deep.equal([2, 'name one with --cluster: demo, shop\n'])
      expect((await client.run('topology', '--cluster', 'demo')).status).to.equal(0)
    })
  })

  describe('status', () => {
    it('needs no login', async () => {
      const nobody = as('nobody-at-all', undefined)
      expect(await nobody.run('status')).to.deep.equal({ status: 0, stdout: 'running\n', stderr: '' })
      expect((await nobody.run('status', '--cluster', 'demo')).stdout).to.match(/^(running|errors)\n$/)
    })

    it('lists open errors and warnings where asked', async () => {
      const report = await client.json<{ alerts: Record<string, unknown> }>('status', '--with-errors')
      expect(report.alerts).to.have.nested.property('demo.warnings').that.is.an('array')
    })
  })

  describe('explain', () => {
    it('answers, with every rule and the candidate by name', async () => {
      const { status, stdout } = await client.run('explain')
      expect(status).to.equal(0)
      expect(stdout).to.match(/^Would fail over now: (yes|no)\nPrimary db1 is not dead/)
      expect(stdout).to.match(/\nRULE +STATE +VALUE +LIMIT +AGE +WHAT IT SAYS\n/)
    })
  })

  describe('show', () => {
    it('gives what is asked for of every cluster, by topic', async () => {
      const { stdout } = await client.run('show', '--get', 'servers,alerts')
      const { clusters } = JSON.parse(stdout) as { clusters: Record<string, unknown>[] }
      expect(clusters.map((cluster) => Object.keys(cluster))).to.deep.equal([['Name', 'servers', 'alerts']])
    })

    it('refuses a topic there is not', async () => {
      const { status, stderr } = await client.run('show', '--get', 'servers,moon')
      expect(status).to.equal(2)
      expect(stderr).to.contain('moon: none of clusters, settings,')
    })
  })

  describe('api', () => {
    it('prints the body as it is received', async () => {
      const { stdout } = await client.run('api', '--url', '/api/clusters/demo/topology/servers')
      expect(stdout).to.equal(face.views.get('demo/servers')?.bytes.toString())
    })

    it('takes a whole address, which stands before host and port', async () => {
      const elsewhere = as('admin', 'repman', { MANAGER_PORT: '1' })
      const url = `https://127.0.0.1:${gateway.gateway.apiPort}/api/status`
      expect((await elsewhere.run('api', '--url', url)).stdout).to.equal('{"alive":"running"}')
    })

    it('sends method and body', async () => {
      const url = '/api/clusters/demo/actions/switchover'
      await client.run('api', '--url', url, '--method', 'POST', '--data', '{"prefmaster":"db2"}')
      expect(face.calls.find(({ name }) => name === 'switchover')?.given).to.deep.include({ candidate: 'db2' })
    })

    it('tells what it was refused for', async () => {
      const { status, stdout, stderr } = await client.run('api', '--url', '/api/nowhere')
      expect([status, stdout]).to.deep.equal([5, ''])
      expect(stderr).to.contain(failures['unknown-route'].hint)
    })

    for (const words of [
      ['--data', '{half'],
      ['--url', 'ftp://elsewhere'],
      ['--method', 'PATCH'],
    ])
      it(`refuses ${words.join(' ')}`, async () => {
        expect((await client.run('api', ...words)).status).to.equal(2)
      })
  })

  describe('switchover', () => {
    it('asks for the server named, ends when it is done, and shows what became of it', async () => {
      const { status, stdout, stderr } = await client.run('switchover', '--to', 'db2:3306')
      expect([status, stderr]).to.deep.equal([0, ''])
      expect(stdout).to.match(/^demo {2}master-slave/)
      expect(face.calls).to.deep.equal([{ name: 'switchover', given: { user: 'admin', wait: true, candidate: 'db2' } }])
    })

    it('takes the long name of --to, and leaves the choice to the manager without either', async () => {
      await client.run('switchover', '--db-servers-prefered-master', 'db3')
      await client.run('switchover')
      expect(face.calls.map(({ given }) => given)).to.deep.equal([
        { user: 'admin', wait: true, candidate: 'db3' },
        { user: 'admin', wait: true },
      ])
    })

    it('gives the operation as JSON', async () => {
      const { operation } = await client.json<{ operation: { id: string; phase: string } }>('switchover')
      expect(operation).to.deep.include({ phase: 'succeeded' })
    })

    it('shows a plan and changes nothing', async () => {
      face.replies.set('plan-switchover', {
        kind: 'switchover',
        possible: true,
        steps: [{ command: { type: 'freeze' }, text: 'freeze db1', expectedMs: 3.4, blocksWrites: true }],
        expectedBlockedMs: 30,
        risks: ['a long write runs'],
      })
      const { status, stdout } = await client.run('switchover', '--plan')
      expect(status).to.equal(0)
      expect(stdout)
        .to.match(/1 +3 ms +blocked +freeze db1\n/)
        .and.match(/Risk: a long write runs\nNothing was changed\.\n$/)
      expect(face.calls.map(({ name }) => name)).to.deep.equal(['plan-switchover'])
    })

    it('ends with 3 when the plan would be refused', async () => {
      face.replies.set('plan-switchover', { kind: 'switchover', possible: false, refusal: 'no candidate', steps: [] })
      const { status, stdout, stderr } = await client.run('switchover', '--plan')
      expect([status, stdout, stderr]).to.deep.equal([3, 'Refused: no candidate\n', ''])
    })

    it('ends with 5 for a server the cluster has not', async () => {
      const { status, stderr } = await client.run('switchover', '--to', 'moon')
      expect(status).to.equal(5)
      expect(stderr).to.contain('moon is no server of demo')
    })

    it('ends with 8 when it was undone', async () => {
      const operation = { id: 'switchover-1', kind: 'switchover', phase: 'rolled-back', message: 'db2 hung' }
      face.replies.set('switchover', { operation })
      const { status, stderr } = await client.run('switchover')
      expect(status).to.equal(8)
      expect(stderr).to.match(/^db2 hung\n/)
    })
  })

  describe('failover', () => {
    it('asks for it, and shows a plan on request', async () => {
      expect((await client.run('failover', '--plan')).status).to.equal(0)
      expect((await client.run('failover')).status).to.equal(0)
      expect(face.calls.map(({ name }) => name)).to.deep.equal(['plan-failover', 'failover'])
    })

    for (const [code, status] of [
      ['primary-alive', 3],
      ['vetoed', 3],
      ['no-candidate', 3],
      ['operation-running', 6],
      ['deadline-passed', 7],
      ['step-failed', 1],
      ['mailbox-full', 1],
    ] as const satisfies readonly (readonly [FailureCode, number])[])
      it(`ends with ${status} for ${code}, and tells what and what to do`, async () => {
        face.failure = { code, message: 'because of the spec' }
        const outcome = await client.run('failover', '--cluster', 'demo')
        expect(outcome).to.deep.equal({ status, stdout: '', stderr: `because of the spec\n${failures[code].hint}\n` })
      })
  })

  describe('bootstrap', () => {
    it('asks for the usual topology, or the one named', async () => {
      const { status, stdout } = await client.run('bootstrap')
      await client.run('bootstrap', '--topology', 'multi-master')
      expect(status).to.equal(0)
      expect(stdout).to.match(/^demo {2}/)
      const asked = face.calls.map(({ given }) => (given as { topology: string }).topology)
      expect(asked).to.deep.equal(['master-slave', 'multi-master'])
    })
  })

  describe('events', () => {
    const text = (id: number) => ({ id, at: 1_000, cluster: 'demo', kind: 'state', level: 'INFO', text: `event ${id}` })
    const emit = async (id: number) => {
      while (face.listeners.size === 0) await new Promise((resolve) => setTimeout(resolve, 5))
      for (const listener of face.listeners) listener(text(id) as never)
    }

    it('prints a line for each as it happens', async () => {
      const running = client.start('events')
      await emit(1)
      await running.said('event 1')
      running.child.kill('SIGINT')
      expect(await running.ended).to.deep.equal({ status: 130, stdout: '00:00:01.000 event 1\n', stderr: '' })
    })

    it('prints one JSON object a line', async () => {
      const running = client.start('events', '--output', 'json')
      await emit(1)
      await running.said('event 1')
      await emit(2)
      await running.said('event 2')
      running.child.kill('SIGINT')
      const { stdout } = await running.ended
      expect(
        stdout
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line)),
      ).to.deep.equal([text(1), text(2)])
    })

    it('ends well when its reader leaves', async () => {
      const running = client.start('events')
      await emit(1)
      await running.said('event 1')
      running.child.stdout?.destroy()
      await emit(2)
      await emit(3)
      expect((await running.ended).status).to.equal(0)
    })

    it('ends with 5 for a cluster there is not', async () => {
      expect((await client.run('events', '--cluster', 'moon')).status).to.equal(5)
    })
  })

  describe('--watch', () => {
    it('looks again and again, through a manager that does not answer, until interrupted', async () => {
      const [port = 0] = await freePorts(1)
      const start = () => startTestGateway({ manager: face, routes, api: { host: '127.0.0.1', port } })
      const first = await start()
      const watcher = new Client({ port, user: 'admin', password: 'repman' })
      const words = ['topology', '--cluster', 'demo', '--watch', '--interval', '0.1', '--output', 'yaml']
      const running = watcher.start(...words)
      await running.said('---\ncluster: demo')
      await first.close()
      await running.said('is the manager running?')
      const second = await start()
      const seen = () => parseAllDocuments(texts).length
      let texts = ''
      running.child.stdout?.on('data', (chunk: string) => {
        texts += chunk
      })
      while (seen() < 3) await new Promise((resolve) => setTimeout(resolve, 20))
      running.child.kill('SIGINT')
      expect((await running.ended).status).to.equal(130)
      await second.close()
    })

    it('ends when it is not wanted there', async () => {
      expect((await as('admin', 'wrong').run('explain', '--watch')).status).to.equal(4)
    })
  })

  describe('login', () => {
    it('keeps a token of mode 0600 and uses it without a password', async () => {
      const person = as('admin', 'repman')
      await person.run('topology')
      expect((statSync(path.join(person.home, 'manager/sessions.json')).mode & 0o777).toString(8)).to.equal('600')
      const { status } = await as('admin', undefined, { XDG_CONFIG_HOME: person.home }).run('topology')
      expect(status).to.equal(0)
    })

    it('ends with 4 for a wrong password, none, and a missing grant', async () => {
      expect(await as('boss', 'wrong').run('topology')).to.deep.include({
        status: 4,
        stderr: 'the login of boss was refused\n',
      })
      expect((await as('boss', undefined).run('topology')).stderr).to.contain('no password for boss')
      expect((await as('viewer', 'see-only').run('switchover', '--cluster', 'demo')).status).to.equal(4)
    })

    it('takes a flag before the variable', async () => {
      const { status } = await as('boss', 'wrong').run('--user', 'admin', '--password', 'repman', 'topology')
      expect(status).to.equal(0)
    })

    it('asks for the password on a terminal, and shows nothing of it', async () => {
      const running = as('admin', undefined).startOnTerminal('topology')
      await running.said('Password of admin: ')
      running.child.stdin?.write('rep\u007fpman\r')
      const { status, stdout } = await running.ended
      expect(status, stdout).to.equal(0)
      expect(stdout).to.contain('db1:3306').and.not.contain('repman').and.not.contain('rep')
      expect(stdout).to.contain('\u001b[32m')
    })

    it('ends with 130 when the question is interrupted', async () => {
      const running = as('admin', undefined).startOnTerminal('topology')
      await running.said('Password of admin: ')
      running.child.stdin?.write('\u0003')
      expect((await running.ended).status).to.equal(130)
    })
  })

  describe('on a terminal', () => {
    it('writes no colours where NO_COLOR asks for none', async () => {
      const plain = as('admin', 'repman', { NO_COLOR: '1' }).startOnTerminal('topology')
      expect((await plain.ended).stdout)
        .to.contain('db1:3306')
        .and.not.contain('\u001b[')
    })

    it('wraps the last column instead of running over the edge', async () => {
      const lines = (await client.startOnTerminal('explain').ended).stdout.split('\r\n').map(uncoloured)
      const table = lines.slice(lines.findIndex((line) => line.startsWith('RULE')))
      expect(Math.max(...table.map(({ length }) => length))).to.be.at.most(80)
    })

    it('shows the steps of an operation as they happen, the last one too', async () => {
      const telling = new TellingFace()
      const other = await startTestGateway({ manager: telling, routes })
      const port = other.gateway.apiPort
      const running = new Client({ port, user: 'admin', password: 'repman' }).startOnTerminal('switchover')
      const { status, stdout } = await running.ended
      await other.close()
      expect(status).to.equal(0)
      expect(stdout).to.match(/Switchover begins.*freeze db1 done.* \(12 ms\).*Switchover succeeded.*db1:3306/s)
    })
  })

  describe('exit status', () => {
    for (const words of [
      [],
      ['moon'],
      ['topology', '--moon'],
      ['--port', 'http', 'topology'],
      ['--output', 'xml', 'topology'],
      ['topology', '--watch', '--interval', 'often'],
      ['completion', 'csh'],
      ['bootstrap', '--topology', 'ring-of-fire'],
    ])
      it(`is 2 for "${words.join(' ')}"`, async () => {
        expect((await client.run(...words)).status).to.equal(2)
      })

    it('is 2 for a wrong variable', async () => {
      expect((await as('admin', 'repman', { MANAGER_PORT: '99999' }).run('topology')).status).to.equal(2)
    })

    it('is 9 where nothing listens', async () => {
      const [port = 0] = await freePorts(1)
      expect((await client.run('--port', String(port), 'topology')).status).to.equal(9)
    })

    it('is 0 for the CA that signed the certificate, 9 for another one, 2 for a file that is not there', async () => {
      const [authority, other] = [await makeAuthority(), await makeAuthority()]
      const certificate = await authority.issue('IP:127.0.0.1')
      const secure = await startTestGateway({ manager: face, routes, certificate })
      const port = String(secure.gateway.apiPort)
      const statusFor = async (file: string) => (await client.run('--port', port, '--cacert', file, 'topology')).status
      const statuses = [await statusFor(authority.caFile), await statusFor(other.caFile), await statusFor('/no/ca.pem')]
      await secure.close()
      expect(statuses).to.deep.equal([0, 9, 2])
    })

    it('is 0 for --help, which lists commands and statuses, and for --version', async () => {
      const { status, stdout } = await client.run('--help')
      expect(status).to.equal(0)
      for (const command of KNOWN) expect(stdout).to.match(new RegExp(`^  ${command} `, 'm'))
      expect(stdout).to.contain('Exit status:').and.contain('130  interrupted')
      expect((await client.run('--version')).stdout).to.equal(`${packageVersion}\n`)
    })
  })
})
