// A primary and its replica on two hosts over SSH, provisioned by a real manager: for stories of a server that is rebuilt
// on its host.
import { expect } from 'chai'
import { unwrap } from '../../../lib/base/result.js'
import { openSession } from '../../../lib/connect/sql/mysql2-session.js'
import type { Row } from '../../../lib/connect/sql/session.js'
import { freePorts } from '../machine/ports.js'
import { ManagerProcess } from '../manager/manager-process.js'
import { type Ask, eventually, type Met, PATIENCE_MS, type What } from '../wait.js'
import { type SshRoot, type SshRoots, startSshRoots } from './ssh-root.js'

const C = '/api/clusters/story'
const password = "it's a $ecret"

export interface Rebuild {
  readonly id: string
  readonly phase: string
  readonly message?: string
  readonly servers: readonly { readonly name: string; readonly state: string }[]
}

interface Member {
  readonly id: string
  readonly host: string
  readonly state: string
  readonly isMaintenance: boolean
}

export interface SshPairOptions {
  readonly addresses: readonly string[]
  /** Settings of the cluster beside those that reach it. */
  readonly settings?: Readonly<Record<string, unknown>>
  /** Done on each host before the manager starts. */
  readonly prepare?: (host: SshRoot) => Promise<void>
  /** How long each step may take, milliseconds; `PATIENCE_MS` when absent. */
  readonly patienceMs?: number
}

export class SshPair {
  readonly manager: ManagerProcess
  readonly roots: SshRoots
  readonly #ports: ReadonlyMap<string, number>
  readonly #patienceMs: number
  #begun = ''

  private constructor(manager: ManagerProcess, roots: SshRoots, own: [ReadonlyMap<string, number>, number]) {
    this.manager = manager
    this.roots = roots
    ;[this.#ports, this.#patienceMs] = own
  }

  /** The hosts and a manager that knows them; nothing is provisioned yet. */
  static async start({
    addresses,
    settings = {},
    prepare,
    patienceMs = PATIENCE_MS,
  }: SshPairOptions): Promise<SshPair> {
    const free = await freePorts(addresses.length)
    const ports = new Map(addresses.map((address, index) => [address, free[index] ?? 0]))
    const roots = await startSshRoots(addresses)
    if (prepare) for (const host of roots.hosts) await prepare(host)
    const manager = await ManagerProcess.create({
      clusters: {
        story: {
          'db-servers-hosts': [...ports].map(([address, port]) => `${address}:${port}`).join(','),
          'db-servers-credential': `monitor:${password}`,
          'replication-credential': 'repl:replicates',
          'prov-orchestrator': 'onpremise',
          'onpremise-ssh': true,
          'onpremise-ssh-port': roots.port,
          'onpremise-ssh-private-key': roots.keyFile,
          'api-credentials-secure-config': true,
          'prov-db-memory': 128,
          'force-slave-heartbeat-time': 1,
          ...settings,
        },
      },
    })
    manager.start()
    await manager.alive()
    return new SshPair(manager, roots, [ports, patienceMs])
  }

  /** Makes both servers and lets one follow the other. */
  async form(): Promise<void> {
    const made = await this.manager.post(`${C}/services/actions/provision`)
    expect(made.status, `${made.body}\n${this.log()}`).to.equal(200)
    await this.eventually(
      async () => (await this.members()).every(({ state }) => state !== 'Failed' && state !== 'Suspect'),
      'every server answers the manager',
    )
    const formed = await this.manager.post(`${C}/actions/replication/bootstrap/master-slave`)
    expect(formed.status, formed.body).to.equal(200)
    await this.isWhole()
  }

  async destroy(): Promise<void> {
    await this.manager.destroy()
    await this.roots.end()
  }

  readonly log = (): string => this.manager.log().slice(-8_000)

  members(): Promise<readonly Member[]> {
    return this.manager.get(`${C}/topology/servers`)
  }

  async isWhole(): Promise<void> {
    await this.eventually(async () => {
      const all = await this.members()
      const states = all.map(({ state }) => state).toSorted()
      return states.join() === 'Master,Slave' && all.every(({ isMaintenance }) => !isMaintenance)
    }, 'one primary, one replica, none in maintenance')
  }

  /** The address of the primary; empty while there is none. */
  async primary(): Promise<string> {
    return (await this.members()).find(({ state }) => state === 'Master')?.host ?? ''
  }

  async replica(): Promise<SshRoot> {
    const not = await this.primary()
    const found = this.roots.hosts.find(({ address }) => address !== not)
    if (!found) throw new Error('there is no replica')
    return found
  }

  portOf(address: string): number {
    return this.#ports.get(address) ?? 0
  }

  /** The first row of the last result; a commit may wait long for its only replica. */
  async ask(address: string, sql: string): Promise<Row> {
    const place = { host: address, port: this.portOf(address) }
    const session = unwrap(
      await openSession({ ...place, user: 'monitor', password, anyKey: true, connectTimeoutMs: 30_000 }),
    )
    const answer = await session.run(sql, [], this.#patienceMs)
    session.close()
    return unwrap(answer).at(-1)?.[0] ?? {}
  }

  /** What lies beside the data and the configuration. */
  asides({ root }: SshRoot): Promise<string> {
    return root.outputOf(
      'for each in /var/lib/mysql.* /etc/mysql.*; do if [ -e "$each" ]; then printf "%s " "$each"; fi; done',
    )
  }

  /** Begins to rebuild a server; of two servers one is emptied only by force. */
  async begin({ address }: SshRoot): Promise<void> {
    const server = encodeURIComponent(`${address}:${this.portOf(address)}`)
    let reply = { status: 0, body: '' }
    const begins = async () => {
      reply = await this.manager.post(`${C}/servers/${server}/actions/reprovision?force=true`)
      return reply.status === 200
    }
    await this.eventually(begins, () => `it begins: ${reply.body}`)
    this.#begun = (JSON.parse(reply.body) as Rebuild).id
  }

  /** Resolves when what `begin` began has ended in this phase. */
  async ends(phase: string): Promise<Rebuild> {
    let run: Rebuild | undefined
    const ended = await this.eventually(
      async () => {
        run = await this.run()
        return run.id === this.#begun && run.phase !== 'running' && run
      },
      'the run ends',
      () => run,
    )
    expect(ended.phase, `${ended.message}\n${this.log()}`).to.equal(phase)
    return ended
  }

  run(): Promise<Rebuild> {
    return this.manager.get(`${C}/rolling`)
  }

  /** Waits as long as a step may take, from the last sign of progress on; the log of the manager stands in the error. */
  eventually<T>(ask: Ask<T>, what: What, progress?: () => unknown): Promise<Met<T>> {
    const text = () => `${typeof what === 'string' ? what : what()}\n${this.log()}`
    return eventually(ask, text, { limitMs: this.#patienceMs, ...(progress ? { progress } : {}) })
  }
}
