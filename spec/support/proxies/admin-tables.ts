// The tables of ProxySQL's administration as its stand-in keeps them: a small part of SQLite, which refuses what it does
// not know as SQLite refuses what is wrong. Columns and constraints are those of ProxySQL 2.5:
// https://proxysql.com/documentation/main-runtime/ and include/ProxySQL_Admin_Tables_Definitions.h of sysown/proxysql.

type Cell = string | null
export type AdminRow = Readonly<Record<string, Cell>>

interface Column {
  readonly name: string
  /** Absent: it must be given. */
  readonly default?: Cell
  readonly check?: (value: string) => boolean
}

interface Definition {
  readonly columns: readonly Column[]
  readonly key: readonly string[]
  /** Another set of columns in which no two rows are equal. */
  readonly unique?: readonly string[]
}

const between = (low: number, high: number) => (value: string) =>
  /^-?\d+$/.test(value) && Number(value) >= low && Number(value) <= high
const flag = between(0, 1)
const any = Number.MAX_SAFE_INTEGER
const oneOf =
  (...words: readonly string[]) =>
  (value: string) =>
    words.includes(value.toUpperCase())

const servers: Definition = {
  columns: [
    { name: 'hostgroup_id', default: '0', check: between(0, any) },
    { name: 'hostname' },
    { name: 'port', default: '3306', check: between(0, 65_535) },
    { name: 'gtid_port', default: '0', check: between(0, 65_535) },
    { name: 'status', default: 'ONLINE', check: oneOf('ONLINE', 'SHUNNED', 'OFFLINE_SOFT', 'OFFLINE_HARD') },
    { name: 'weight', default: '1', check: between(0, 10_000_000) },
    { name: 'compression', default: '0', check: flag },
    { name: 'max_connections', default: '1000', check: between(0, any) },
    { name: 'max_replication_lag', default: '0', check: between(0, 126_144_000) },
    { name: 'use_ssl', default: '0', check: flag },
    { name: 'max_latency_ms', default: '0', check: between(0, any) },
    { name: 'comment', default: '' },
  ],
  key: ['hostgroup_id', 'hostname', 'port'],
}

/** ADMIN_SQLITE_TABLE_MYSQL_USERS_V2_1_0 */
const users: Definition = {
  columns: [
    { name: 'username' },
    { name: 'password', default: null },
    { name: 'active', default: '1', check: flag },
    { name: 'use_ssl', default: '0', check: flag },
    { name: 'default_hostgroup', default: '0', check: between(-any, any) },
    { name: 'default_schema', default: null },
    { name: 'schema_locked', default: '0', check: flag },
    { name: 'transaction_persistent', default: '1', check: flag },
    { name: 'fast_forward', default: '0', check: flag },
    { name: 'backend', default: '1', check: flag },
    { name: 'frontend', default: '1', check: flag },
    { name: 'max_connections', default: '10000', check: between(0, any) },
    { name: 'attributes', default: '' },
    { name: 'comment', default: '' },
  ],
  key: ['username', 'backend'],
  unique: ['username', 'frontend'],
}

const pairs: Definition = {
  columns: [
    { name: 'writer_hostgroup', check: between(0, any) },
    { name: 'reader_hostgroup', check: between(0, any) },
    { name: 'check_type', default: 'read_only', check: oneOf('READ_ONLY', 'INNODB_READ_ONLY', 'SUPER_READ_ONLY') },
    { name: 'comment', default: '' },
  ],
  key: ['writer_hostgroup'],
}

const free = (...names: readonly string[]): readonly Column[] => names.map((name) => ({ name, default: null }))

const rules: Definition = {
  columns: [
    { name: 'rule_id', check: between(0, any) },
    { name: 'active', default: '0', check: flag },
    ...free('username', 'schemaname', 'digest', 'match_digest', 'match_pattern'),
    ...free('destination_hostgroup', 'mirror_hostgroup', 'multiplex'),
    { name: 'flagIN', default: '0', check: between(0, any) },
    { name: 'apply', default: '0', check: flag },
    { name: 'comment', default: null },
  ],
  key: ['rule_id'],
}

const variables: Definition = {
  columns: [{ name: 'variable_name' }, { name: 'variable_value' }],
  key: ['variable_name'],
}

const pool: Definition = {
  columns: [
    ...free('hostgroup', 'srv_host', 'srv_port', 'status', 'ConnUsed', 'ConnFree', 'ConnOK', 'ConnERR', 'MaxConnUsed'),
    ...free('Queries', 'Queries_GTID_sync', 'Bytes_data_sent', 'Bytes_data_recv', 'Latency_us'),
  ],
  key: ['hostgroup', 'srv_host', 'srv_port'],
}

/** https://proxysql.com/documentation/stats-statistics/#stats_mysql_global */
const counters: Definition = {
  columns: [{ name: 'Variable_Name' }, { name: 'Variable_Value' }],
  key: ['Variable_Name'],
}

const definitions = {
  mysql_servers: servers,
  runtime_mysql_servers: servers,
  'disk.mysql_servers': servers,
  mysql_users: users,
  runtime_mysql_users: users,
  mysql_replication_hostgroups: pairs,
  runtime_mysql_replication_hostgroups: pairs,
  mysql_query_rules: rules,
  runtime_mysql_query_rules: rules,
  global_variables: variables,
  runtime_global_variables: variables,
  'disk.global_variables': variables,
  stats_mysql_connection_pool: pool,
  stats_mysql_global: counters,
} satisfies Readonly<Record<string, Definition>>

export type AdminTable = keyof typeof definitions

/** What a statement is refused with, as SQLite words it. */
export class AdminError extends Error {}

export class AdminTables {
  readonly #rows = new Map<string, AdminRow[]>()

  rows(table: AdminTable): readonly AdminRow[] {
    return this.#rows.get(table) ?? []
  }

  replace(table: AdminTable, rows: readonly AdminRow[]): void {
    this.#rows.set(table, [...rows])
  }

  /** Rows of a SELECT; undefined for a change. Throws an AdminError. */
  run(sql: string): readonly AdminRow[] | undefined {
    const [, verb = ''] = /^\s*(\w+)/.exec(sql) ?? []
    const run = { SELECT: select, INSERT: insert, UPDATE: update, DELETE: remove }[verb.toUpperCase()]
    if (!run) throw new AdminError(`near "${verb}": syntax error`)
    return run(this, sql)
  }
}

/** A number, or a text in which a quote is doubled: a backslash is no escape. */
const value = String.raw`(?:-?\d+|'(?:[^']|'')*')`
const listOf = (item: string) => String.raw`${item}(?:\s*,\s*${item})*`
const condition = String.raw`\w+\s*=\s*${value}`
const conditions = String.raw`${condition}(?:\s+(?:AND|OR)\s+${condition})*`

const grammar = {
  select: new RegExp(
    String.raw`^SELECT\s+(${listOf(String.raw`\w+`)})\s+FROM\s+([\w.]+)(?:\s+WHERE\s+(${conditions}))?(?:\s+ORDER BY\s+(${listOf(String.raw`\w+`)}))?$`,
    'i',
  ),
  insert: new RegExp(
    String.raw`^INSERT INTO\s+(\w+)\s*\((${listOf(String.raw`\w+`)})\)\s*VALUES\s*\((${listOf(value)})\)$`,
    'i',
  ),
  update: new RegExp(
    String.raw`^UPDATE\s+([\w.]+)\s+SET\s+(${listOf(condition)})(?:\s+WHERE\s+(${conditions}))?$`,
    'i',
  ),
  delete: new RegExp(String.raw`^DELETE FROM\s+(\w+)(?:\s+WHERE\s+(${conditions}))?$`, 'i'),
}

function select(tables: AdminTables, sql: string): readonly AdminRow[] {
  const [, names = '', table = '', where] = parsed('select', sql)
  const { name, definition } = known(table)
  const columns = split(names).map((column) => columnOf(definition, column).name)
  const rows = tables.rows(name).filter(matcher(definition, where))
  return rows.map((row) => Object.fromEntries(columns.map((column) => [column, row[column] ?? null])))
}

function insert(tables: AdminTables, sql: string): undefined {
  const [, table = '', names = '', values = ''] = parsed('insert', sql)
  const { name, definition } = known(table)
  const given = new Map(
    split(names).map((column, index) => [columnOf(definition, column).name, literals(values)[index] ?? '']),
  )
  const row = Object.fromEntries(
    definition.columns.map((column) => {
      const cell = given.get(column.name) ?? column.default
      if (cell === undefined) throw new AdminError(`NOT NULL constraint failed: ${name}.${column.name}`)
      return [column.name, cell]
    }),
  )
  put(tables, name, [...tables.rows(name), row])
}

function update(tables: AdminTables, sql: string): undefined {
  const [, table = '', assignments = '', where] = parsed('update', sql)
  const { name, definition } = known(table)
  const changed = Object.fromEntries(
    equations(assignments).map(([column, cell]) => [columnOf(definition, column).name, cell]),
  )
  const isMeant = matcher(definition, where)
  put(
    tables,
    name,
    tables.rows(name).map((row) => (isMeant(row) ? { ...row, ...changed } : row)),
  )
}

function remove(tables: AdminTables, sql: string): undefined {
  const [, table = '', where] = parsed('delete', sql)
  const { name, definition } = known(table)
  const isMeant = matcher(definition, where)
  tables.replace(
    name,
    tables.rows(name).filter((row) => !isMeant(row)),
  )
}

function put(tables: AdminTables, name: AdminTable, rows: readonly AdminRow[]): void {
  const { columns, key, unique = key }: Definition = definitions[name]
  for (const row of rows)
    for (const column of columns) {
      const cell = row[column.name]
      if (cell !== null && cell !== undefined && column.check?.(cell) === false)
        throw new AdminError(`CHECK constraint failed: ${name}`)
    }
  for (const set of [key, unique]) {
    const keys = rows.map((row) => set.map((column) => row[column]).join('|'))
    if (new Set(keys).size < keys.length)
      throw new AdminError(`UNIQUE constraint failed: ${set.map((column) => `${name}.${column}`).join(', ')}`)
  }
  tables.replace(name, rows)
}

function parsed(kind: keyof typeof grammar, sql: string): RegExpExecArray {
  const match = grammar[kind].exec(sql.trim())
  if (!match) throw new AdminError(`near "${sql.trim().slice(-20)}": syntax error`)
  return match
}

function known(table: string): { readonly name: AdminTable; readonly definition: Definition } {
  const name = Object.keys(definitions).find((each) => each === table) as AdminTable | undefined
  if (name === undefined) throw new AdminError(`no such table: ${table}`)
  return { name, definition: definitions[name] }
}

function columnOf({ columns }: Definition, name: string): Column {
  const column = columns.find((each) => each.name.toLowerCase() === name.toLowerCase())
  if (!column) throw new AdminError(`no such column: ${name}`)
  return column
}

const split = (names: string): readonly string[] => names.split(',').map((name) => name.trim())

const unquoted = (text: string): string => (text.startsWith("'") ? text.slice(1, -1).replaceAll("''", "'") : text)

const literals = (text: string): readonly string[] => (text.match(new RegExp(value, 'g')) ?? []).map(unquoted)

const equations = (text: string): readonly (readonly [string, string])[] =>
  [...text.matchAll(new RegExp(String.raw`(\w+)\s*=\s*(${value})`, 'g'))].map(
    ([, name = '', cell = '']) => [name, unquoted(cell)] as const,
  )

/** All conditions hold, or one of them where they are joined by OR; the two are not mixed. */
function matcher(definition: Definition, where: string | undefined): (row: AdminRow) => boolean {
  if (where === undefined) return () => true
  const wanted = equations(where).map(([name, cell]) => [columnOf(definition, name).name, cell] as const)
  const isOr = /\sOR\s/i.test(where.replaceAll(new RegExp(value, 'g'), ''))
  return (row) =>
    isOr ? wanted.some(([name, cell]) => row[name] === cell) : wanted.every(([name, cell]) => row[name] === cell)
}
