// A cluster of three servers that the manager makes itself on this machine, and a client that writes to it all the while.
import { expect } from 'chai'
import { unwrap } from '../../../lib/base/result.js'
import { sleep } from '../../../lib/base/time.js'
import { openSession } from '../../../lib/connect/sql/mysql2-session.js'
import type { Row, SqlSession } from '../../../lib/connect/sql/session.js'
import { Client } from '../http/client.js'
import { freePorts } from '../machine/ports.js'
import { eventually, PATIENCE_MS } from '../wait.js'
import { ManagerProcess } from './manager-process.js'

const C = '/api/clusters/story'
/** Its account of clients that write, and its password; such a client goes on to the next server after so long. */
const WRITER = 'app'
const NEXT_SERVER_MS = 2_000

/** Its tags to begin with. */
export const madeTags = ['semisync', 'row', 'innodb', 'noquerycache', 'readonly', 'gtidstrict', 'linux', 'pkg']

/** Rolling work as the API reports it. */
export interface RollView {
  readonly id: string
  readonly phase: string
  readonly message?: string
  readonly servers: readonly { readonly name: string; readonly state: string; readonly message?: string }[]
}

interface MemberView {
  readonly state: string
  readonly isMaintenance: boolean
  readonly replications: readonly { readonly slaveIoRunning: { readonly String: string } }[]
}

export interface MadeOptions {
  /** A folder with the programs of the database; those of this machine when absent. */
  readonly programs?: string
  readonly settings?: Readonly<Record<string, string | number | boolean>>
}

export const nameOf = (port: number | undefined): string => `127.0.0.1:${port}`

export class MadeCluster {
  readonly manager: ManagerProcess
  readonly ports: readonly number[]
  readonly client: Client
  #written = 0
  #stopWriting = () => {}

  private constructor(manager: ManagerProcess, ports: readonly number[]) {
    this.manager = manager
    this.ports = ports
    this.client = new Client({ port: manager.apiPort, user: 'admin', password: 'spec-password' })
  }

  /** Servers made, started and formed, with the schema `story`, its table `written` and the account app/app. */
  static async start({ programs, settings = {} }: MadeOptions = {}): Promise<MadeCluster> {
    const ports = await freePorts(3)
    const story = {
      'db-servers-hosts': ports.map(nameOf).join(','),
      'db-servers-credential': 'monitor:monitors',
      'replication-credential': 'repl:replicates',
      'prov-orchestrator': 'local',
      'prov-db-memory': 128,
      'prov-db-tags': madeTags.join(','),
      'force-slave-heartbeat-time': 1,
      'failover-mode': 'automatic',
      'failover-limit': 0,
      ...settings,
    }
    const cluster = new MadeCluster(
      await ManagerProcess.create({ clusters: { story }, ...(programs === undefined ? {} : { programs }) }),
      ports,
    )
    cluster.manager.start()
    try {
      await cluster.manager.alive()
      await cluster.does('provision')
      await cluster.answers()
      await cluster.does('bootstrap')
      await cluster.isWhole()
      await cluster.ask(
        await cluster.primaryPort(),
        `CREATE DATABASE story; CREATE TABLE story.written (entry INT PRIMARY KEY);
         CREATE USER app@'127.0.0.1' IDENTIFIED BY 'app'; GRANT ALL ON story.* TO app@'127.0.0.1'`,
      )
      for (const port of ports) await cluster.#isGranted(port)
      return cluster
    } catch (error) {
      await cluster.destroy()
      throw error
    }
  }

  /** A run that a failed story left goes first: it would keep the servers. */
  async destroy(): Promise<void> {
    this.stopWriting()
    for (const action of ['actions/cancel-rolling-reprov', 'services/actions/unprovision?force=true'])
      await this.manager.post(`${C}/${action}`).catch(() => undefined)
    await this.manager.destroy()
  }

  /** A command of the client, with success. */
  async does(...words: readonly string[]): Promise<string> {
    const { status, stdout, stderr } = await this.client.run(...words)
    expect(status, `${words.join(' ')}: ${stdout}${stderr}\n${this.log()}`).to.equal(0)
    return stdout
  }

  login(port: number, user = 'monitor', password = 'monitors') {
    const connectTimeoutMs = user === WRITER ? NEXT_SERVER_MS : PATIENCE_MS
    return openSession({ host: '127.0.0.1', port, user, password, anyKey: true, connectTimeoutMs })
  }

  /** The first row of the last statement. */
  async ask(port: number, sql: string): Promise<Row> {
    const session = unwrap(await this.login(port))
    const answer = await session.run(sql, [], 60_000)
    session.close()
    return unwrap(answer).at(-1)?.[0] ?? {}
  }

  log(): string {
    return this.manager.log().slice(-8_000)
  }

  async primaryPort(): Promise<number> {
    return Number((await this.manager.get<{ port: string }>(`${C}/topology/master`)).port)
  }

  roll(): Promise<RollView> {
    return this.manager.get<RollView>(`${C}/rolling`)
  }

  async set(setting: string, value: string): Promise<void> {
    const reply = await this.manager.post(`${C}/settings/actions/set/${setting}/${encodeURIComponent(value)}`)
    expect(reply.status, reply.body).to.equal(200)
  }

  /** Whether a check of the cluster answers yes. */
  async needs(check: string): Promise<boolean> {
    const reply = await this.manager.session.call('GET', `${C}/${check}`)
    return reply.ok && reply.value.status === 200
  }

  /** Begins work by its path below the cluster; a replica that connects just now is not healthy yet. */
  async begin(path: string): Promise<void> {
    let reply = { status: 0, body: '' }
    const begun = async () => {
      reply = await this.manager.post(`${C}/${path}`)
      return reply.status === 200
    }
    await eventually(begun, () => `it begins: ${reply.body}`)
  }

  async ends(phase: string): Promise<RollView> {
    let roll: RollView | undefined
    const ended = await eventually(
      async () => {
        roll = await this.roll()
        return roll.phase !== 'running' && roll
      },
      () => `the run ends\n${this.log()}`,
      { progress: () => roll },
    )
    expect(ended.phase, `${ended.message}\n${this.log()}`).to.equal(phase)
    return ended
  }

  /** The manager has seen every server since it was started. */
  async answers(): Promise<void> {
    const isUp = async () => {
      const servers = await this.manager.get<readonly { state: string }[]>(`${C}/topology/servers`)
      return servers.every(({ state }) => state !== 'Failed' && state !== 'Suspect')
    }
    await eventually(isUp, () => `every server answers the manager\n${this.log()}`)
  }

  /** A replica whose receiver only connects is called a replica, too; rolling work and switchovers refuse to begin with it. */
  async isWhole(): Promise<void> {
    const isWhole = async () => {
      const servers = await this.manager.get<readonly MemberView[]>(`${C}/topology/servers`)
      const states = servers.map(({ state }) => state).sort()
      const receive = servers.every(
        ({ state, replications }) =>
          state !== 'Slave' || replications.every(({ slaveIoRunning }) => slaveIoRunning.String === 'Yes'),
      )
      const isMaintained = servers.some(({ isMaintenance }) => isMaintenance)
      return states.join() === 'Master,Slave,Slave' && receive && !isMaintained
    }
    await eventually(isWhole, () => `one primary, two replicas that receive, none in maintenance\n${this.log()}`)
  }

  /**
   * Writes row after row to the server that takes writes, until it is asked to end; then every server holds every row that
   * was acknowledged, and their number is answered.
   */
  writing(): () => Promise<number> {
    const acknowledged: number[] = []
    let stopping = false
    this.#stopWriting = () => {
      stopping = true
    }
    const work = async () => {
      let session: SqlSession | undefined
      for (let turn = 0; !stopping; ) {
        if (!session?.open) {
          const opened = await this.login(this.ports[turn % 3] ?? 0, WRITER, WRITER)
          turn += 1
          session = opened.ok ? opened.value : undefined
          if (!session) await sleep(5)
          continue
        }
        this.#written += 1
        const entry = this.#written
        const done = await session.run('INSERT INTO story.written VALUES (?)', [entry], 5_000)
        if (done.ok) acknowledged.push(entry)
        else session.close()
        await sleep(2)
      }
      session?.close()
    }
    const running = work()
    return async () => {
      stopping = true
      await running
      await this.isWhole()
      for (const port of this.ports) await this.#holds(port, acknowledged)
      return acknowledged.length
    }
  }

  /** A story that failed leaves no writer behind. */
  stopWriting(): void {
    this.#stopWriting()
  }

  /** The server has applied the last statement of the beginning: from then on only the story changes it. */
  async #isGranted(port: number): Promise<void> {
    const sql = "SELECT COUNT(*) AS granted FROM mysql.db WHERE User = 'app' AND Db = 'story'"
    await eventually(async () => Number((await this.ask(port, sql)).granted) === 1, `${nameOf(port)} has the account`)
  }

  async #holds(port: number, acknowledged: readonly number[]): Promise<void> {
    const [first, last] = [acknowledged[0] ?? 0, acknowledged.at(-1) ?? 0]
    const sql = `SELECT COUNT(*) AS held FROM story.written WHERE entry BETWEEN ${first} AND ${last}`
    const held = async () => Number((await this.ask(port, sql)).held) >= acknowledged.length
    await eventually(held, `${nameOf(port)} holds every acknowledged row`)
  }
}
