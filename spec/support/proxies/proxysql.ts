// Stands in for ProxySQL, which is no package of Debian: its administration over the real MySQL protocol, with tables that
// keep state. What it refuses is what the real one refuses; the source of each rule stands beside it.
import { createHash, timingSafeEqual } from 'node:crypto'
import net from 'node:net'
import { answer, errorPacket, greeting, greetingSalt, okPacket } from '../canned/packets.js'
import { freePorts } from '../machine/ports.js'
import { AdminError, type AdminRow, AdminTables } from './admin-tables.js'

/** up: answers. hung: accepts, never answers. garbage: answers what is no protocol. dying: ends in the middle of an answer. */
export type StandInMood = 'up' | 'hung' | 'garbage' | 'dying'

export interface ProxysqlRequest {
  readonly user: string
  readonly password: string
}

const quit = 0x01
const query = 0x03
const ping = 0x0e

/** Any statement that the administration refuses. https://github.com/sysown/proxysql/issues/600 */
const REFUSED = 1045

export class ProxysqlStandIn {
  readonly tables = new AdminTables()
  /** Statements that were taken, in order. */
  readonly statements: string[] = []
  /** What was saved to its disk last. */
  savedUsers: readonly AdminRow[] = []
  savedRules: readonly AdminRow[] = []
  mood: StandInMood = 'up'
  /** Whether a LOAD has no effect, as when another administrator undoes it at once. */
  deaf = false
  readonly #login: ProxysqlRequest
  readonly #server: net.Server
  readonly #sockets = new Set<net.Socket>()
  #port = 0

  constructor(login: ProxysqlRequest) {
    this.#login = login
    this.#server = net.createServer((socket) => this.#serve(socket))
    this.tables.replace('global_variables', [
      { variable_name: 'admin-version', variable_value: '2.5.5-10-g195bd70' },
      { variable_name: 'mysql-monitor_writer_is_also_reader', variable_value: 'true' },
      { variable_name: 'mysql-multiplexing', variable_value: 'true' },
      { variable_name: 'admin-hash_passwords', variable_value: 'true' },
      // Its own defaults. https://proxysql.com/documentation/global-variables/mysql-variables/#mysql-monitor_username
      { variable_name: 'mysql-monitor_username', variable_value: 'monitor' },
      { variable_name: 'mysql-monitor_password', variable_value: 'monitor' },
    ])
    this.tables.replace('runtime_global_variables', this.tables.rows('global_variables'))
    this.isUpFor(100)
  }

  /** Whole seconds since its start, as it reports them. */
  isUpFor(seconds: number): void {
    this.tables.replace('stats_mysql_global', [{ Variable_Name: 'ProxySQL_Uptime', Variable_Value: `${seconds}` }])
  }

  get port(): number {
    return this.#port
  }

  /** Listens, after a stop on the port it had. */
  async start(): Promise<void> {
    // None that an outgoing connection could take while it is stopped.
    this.#port ||= (await freePorts(1))[0] ?? 0
    await new Promise<void>((resolve) => this.#server.listen(this.#port, '127.0.0.1', resolve))
  }

  async stop(): Promise<void> {
    if (!this.#server.listening) return
    const closed = new Promise((resolve) => this.#server.close(resolve))
    for (const socket of this.#sockets) socket.destroy()
    await closed
  }

  /**
   * Another process of it answers at once: it has what was saved to its disk, nothing else.
   * https://proxysql.com/documentation/configuring-proxysql/
   */
  async restart(): Promise<void> {
    await this.stop()
    this.tables.replace('mysql_servers', this.saved)
    this.#load()
    // A disk that holds none was never saved to: it starts with its file, as it did before.
    if (this.savedVariables.length > 0) this.tables.replace('global_variables', this.savedVariables)
    this.#loadVariables()
    this.tables.replace('mysql_users', this.savedUsers)
    this.#loadUsers()
    this.tables.replace('mysql_query_rules', this.savedRules)
    this.#loadRules()
    this.isUpFor(0)
    await this.start()
  }

  /** Its servers as they are on its disk. */
  get saved(): readonly AdminRow[] {
    return this.tables.rows('disk.mysql_servers')
  }

  /** Its variables as they are on its disk. */
  get savedVariables(): readonly AdminRow[] {
    return this.tables.rows('disk.global_variables')
  }

  /** Adds rows to `mysql_servers` and loads them. */
  given(...rows: readonly Partial<Record<string, string | number>>[]): void {
    for (const row of rows) {
      const names = Object.keys(row)
      const values = Object.values(row).map((cell) => (typeof cell === 'number' ? cell : `'${cell}'`))
      this.tables.run(`INSERT INTO mysql_servers (${names.join(', ')}) VALUES (${values.join(', ')})`)
    }
    this.#load()
  }

  /** What it logs in to its servers with, as `user:password`. */
  monitor(): string {
    const cell = (name: string) =>
      this.tables.rows('runtime_global_variables').find(({ variable_name }) => variable_name === name)?.variable_value
    return `${cell('mysql-monitor_username')}:${cell('mysql-monitor_password')}`
  }

  /** `pattern group` of the rules that route at run time. */
  rules(): readonly string[] {
    return this.tables
      .rows('runtime_mysql_query_rules')
      .map(({ match_digest, destination_hostgroup }) => `${match_digest} ${destination_hostgroup}`)
  }

  /** `user password` of those whom it lets in at run time. */
  users(): readonly string[] {
    return this.tables
      .rows('runtime_mysql_users')
      .filter(({ frontend }) => frontend === '1')
      .map(({ username, password }) => `${username} ${password}`)
      .sort()
  }

  /** `host:port status` of a group as it is at run time. */
  runtime(group: number): readonly string[] {
    return this.tables
      .rows('runtime_mysql_servers')
      .filter((row) => row.hostgroup_id === String(group))
      .map(({ hostname, port, status }) => `${hostname}:${port} ${status}`)
      .sort()
  }

  #serve(socket: net.Socket): void {
    this.#sockets.add(socket)
    socket.setNoDelay(true)
    socket.on('error', () => undefined)
    socket.on('close', () => this.#sockets.delete(socket))
    if (this.mood === 'hung') return
    if (this.mood === 'garbage') {
      socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')
      return
    }
    let loggedIn = false
    let waiting: Buffer = Buffer.alloc(0)
    socket.on('data', (chunk: Buffer) => {
      waiting = Buffer.concat([waiting, chunk])
      while (waiting.length >= 4 && waiting.length >= 4 + waiting.readUIntLE(0, 3)) {
        const end = 4 + waiting.readUIntLE(0, 3)
        const payload = waiting.subarray(4, end)
        waiting = waiting.subarray(end)
        if (loggedIn) this.#command(payload, socket)
        else loggedIn = this.#logIn(payload, socket)
      }
    })
    // The version it shows to clients is that of a database. https://proxysql.com/documentation/global-variables/mysql-variables/
    socket.write(greeting('8.0.11', 1))
  }

  /** https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_connection_phase_packets_protocol_handshake_response.html */
  #logIn(payload: Buffer, socket: net.Socket): boolean {
    const nameEnd = payload.indexOf(0, 32)
    const user = payload.toString('utf8', 32, nameEnd)
    const length = payload[nameEnd + 1] ?? 0
    const given = payload.subarray(nameEnd + 2, nameEnd + 2 + length)
    const known = user === this.#login.user && matches(given, this.#login.password)
    const words = `ProxySQL Error: Access denied for user '${user}'@'127.0.0.1' (using password: ${length > 0 ? 'YES' : 'NO'})`
    socket.write(known ? okPacket(2) : errorPacket(2, REFUSED, words))
    if (!known) socket.end()
    return known
  }

  #command(payload: Buffer, socket: net.Socket): void {
    if (payload[0] === quit) socket.end()
    else if (payload[0] === ping) socket.write(okPacket(1))
    // Only text statements: nothing is prepared there. https://github.com/sysown/proxysql/issues/2907
    else if (payload[0] !== query) socket.write(errorPacket(1, REFUSED, 'Command not supported'))
    else this.#query(payload.toString('utf8', 1), socket)
  }

  #query(sql: string, socket: net.Socket): void {
    const reply = this.#reply(sql)
    if (this.mood === 'dying') socket.end(reply.subarray(0, Math.max(1, reply.length >> 1)))
    else socket.write(reply)
  }

  #reply(sql: string): Buffer {
    try {
      const rows = this.#run(sql)
      this.statements.push(sql)
      return answer([rows])
    } catch (error) {
      if (error instanceof AdminError) return errorPacket(1, REFUSED, `ProxySQL Admin Error: ${error.message}`)
      throw error
    }
  }

  #run(text: string): readonly AdminRow[] | undefined {
    // Of several statements the first is run, the others are forgotten without a word.
    // https://github.com/sysown/proxysql/issues/3778
    const [sql = ''] = /^(?:'(?:[^']|'')*'|[^;'])*/.exec(text) ?? []
    const words = sql.trim().toUpperCase()
    if (words === 'LOAD MYSQL SERVERS TO RUNTIME') return this.#load()
    if (words === 'LOAD MYSQL VARIABLES TO RUNTIME') return this.#loadVariables()
    if (words === 'SAVE MYSQL SERVERS TO DISK') {
      this.tables.replace('disk.mysql_servers', this.tables.rows('mysql_servers'))
      return undefined
    }
    if (words === 'SAVE MYSQL VARIABLES TO DISK') {
      this.tables.replace('disk.global_variables', this.tables.rows('global_variables'))
      return undefined
    }
    if (words === 'LOAD MYSQL USERS TO RUNTIME') return this.#loadUsers()
    if (words === 'SAVE MYSQL USERS TO DISK') {
      this.savedUsers = this.tables.rows('mysql_users')
      return undefined
    }
    if (words === 'LOAD MYSQL QUERY RULES TO RUNTIME') return this.#loadRules()
    if (words === 'SAVE MYSQL QUERY RULES TO DISK') {
      this.savedRules = this.tables.rows('mysql_query_rules')
      return undefined
    }
    // SET is for its own variables. https://github.com/sysown/proxysql/issues/1047
    const [, variable] = /^\s*SET\s+(?:SESSION\s+)?(.+?)\s*=/i.exec(sql) ?? []
    if (variable !== undefined) throw new AdminError(`ERROR: Unknown global variable: '${variable}'.`)
    return this.tables.run(sql)
  }

  #loadVariables(): undefined {
    if (this.deaf) return
    this.tables.replace('runtime_global_variables', this.tables.rows('global_variables'))
  }

  /**
   * At run time those that are active only, one row for clients and one for databases; what is in clear is hashed.
   * __add_active_users() and dump_all_users() of lib/ProxySQL_Admin.cpp, `admin-hash_passwords`:
   * https://proxysql.com/documentation/password-management
   */
  #loadUsers(): undefined {
    if (this.deaf) return
    const active = this.tables.rows('mysql_users').filter((row) => row.active === '1')
    const side = (row: AdminRow, mine: 'frontend' | 'backend', other: 'frontend' | 'backend'): readonly AdminRow[] =>
      row[mine] === '1' ? [{ ...row, password: hashed(row.password ?? ''), [mine]: '1', [other]: '0' }] : []
    const sides = active.flatMap((row) => [...side(row, 'frontend', 'backend'), ...side(row, 'backend', 'frontend')])
    this.tables.replace('runtime_mysql_users', sides)
  }

  /** Those that are active, in their order. https://proxysql.com/documentation/main-runtime/#mysql_query_rules */
  #loadRules(): undefined {
    if (this.deaf) return
    const active = this.tables.rows('mysql_query_rules').filter((row) => row.active === '1')
    const inOrder = active.toSorted((left, right) => Number(left.rule_id) - Number(right.rule_id))
    this.tables.replace('runtime_mysql_query_rules', inOrder)
  }

  /**
   * What is configured becomes what is done; a row that is closed hard is as good as none: it takes no session and shows
   * among the counted only. https://proxysql.com/documentation/main-runtime/#mysql_servers
   */
  #load(): undefined {
    if (this.deaf) return
    const rows = this.tables.rows('mysql_servers')
    this.tables.replace('runtime_mysql_servers', rows)
    this.tables.replace('runtime_mysql_replication_hostgroups', this.tables.rows('mysql_replication_hostgroups'))
    this.tables.replace('stats_mysql_connection_pool', rows.map(counted))
  }
}

const counted = ({ hostgroup_id, hostname, port, status }: AdminRow): AdminRow => ({
  ...{ hostgroup: hostgroup_id ?? null, srv_host: hostname ?? null, srv_port: port ?? null, status: status ?? null },
  ...{ ConnUsed: '3', ConnFree: '1', ConnOK: '4', ConnERR: '0', MaxConnUsed: '4', Queries: '12' },
  ...{ Queries_GTID_sync: '0', Bytes_data_sent: '1200', Bytes_data_recv: '3400', Latency_us: '250' },
})

const sha1 = (...parts: readonly Buffer[]) => createHash('sha1').update(Buffer.concat(parts)).digest()

/** One that begins with `*` or `$A$` is taken for a hash. */
const hashed = (password: string): string =>
  /^(\*|\$A\$)/.test(password)
    ? password
    : `*${sha1(sha1(Buffer.from(password)))
        .toString('hex')
        .toUpperCase()}`

/** mysql_native_password: SHA1(password) xor SHA1(salt, SHA1(SHA1(password))). */
function matches(given: Buffer, password: string): boolean {
  const once = sha1(Buffer.from(password))
  const mask = sha1(greetingSalt, sha1(once))
  const wanted = Buffer.from(once.map((byte, index) => byte ^ (mask[index] ?? 0)))
  return given.length === wanted.length && timingSafeEqual(given, wanted)
}

export async function startProxysql(login: ProxysqlRequest): Promise<ProxysqlStandIn> {
  const standIn = new ProxysqlStandIn(login)
  await standIn.start()
  return standIn
}
