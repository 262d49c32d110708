// Asks a real server which options it knows and which of them can be set while it runs: the lists of share/rules/known.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { type Node, startDatabases } from '../databases/database.js'
import { type Engine, installedMariadb } from '../databases/engine.js'
import { findVersion, type VersionName } from '../databases/versions.js'

const run = promisify(execFile)

/** The libraries whose options rules may name. */
const libraries = {
  mariadb: [
    ...['auth_ed25519', 'cracklib_password_check', 'disks', 'file_key_management', 'ha_archive', 'ha_blackhole'],
    ...['ha_connect', 'ha_mroonga', 'ha_oqgraph', 'ha_rocksdb', 'ha_s3', 'ha_sphinx', 'ha_spider'],
    ...['metadata_lock_info', 'query_response_time', 'server_audit', 'simple_password_check', 'sql_errlog'],
  ],
  mysql: [
    'semisync_source',
    'semisync_replica',
    'group_replication',
    'mysql_clone',
    'validate_password',
    'thread_pool',
  ],
} as const

/** Loaded when the server's accounts are made: these refuse their passwords, or a start without a group. */
const late = {
  mariadb: [
    ['cracklib_password_check', "INSTALL SONAME 'cracklib_password_check'"],
    ['simple_password_check', "INSTALL SONAME 'simple_password_check'"],
  ],
  mysql: [
    ['group_replication', "INSTALL PLUGIN group_replication SONAME 'group_replication.so'"],
    ['validate_password', "INSTALL PLUGIN validate_password SONAME 'validate_password.so'"],
  ],
} as const

export const engineNamed = async (name: 'mariadb' | VersionName): Promise<Engine> => {
  if (name === 'mariadb') return installedMariadb
  const found = await findVersion(name)
  if (!found.available) throw new Error(found.reason)
  return found.engine
}

/** Undefined, with the reason printed, where that software cannot be had; any other fault is one. */
export async function engineIfAny(name: 'mariadb' | VersionName): Promise<Engine | undefined> {
  if (name === 'mariadb') return installedMariadb
  const found = await findVersion(name)
  if (found.available) return found.engine
  console.log(`    skipped: ${found.reason}`)
  return undefined
}

/** The list of one server software: `# flavour version`, then a line for each option. */
export async function readKnownOptions(name: 'mariadb' | VersionName): Promise<string> {
  const engine = await engineNamed(name)
  const loaded = libraries[engine.flavour]
    .filter((library) => !late[engine.flavour].some(([each]) => each === library))
    .map((library) => `--plugin-load-add=${library}.so`)
  const { node, teardown } = await startDatabases({ count: 1, software: name, options: loaded })
  try {
    const server = node(0)
    for (const [, install] of late[engine.flavour]) await server.sql(install)
    const version = /^[\d.]+/.exec(await server.value('SELECT @@version'))?.[0]
    const own = await optionNames(engine, server, [])
    const all = new Map<string, string>(own.map((option) => [option, '']))
    for (const library of libraries[engine.flavour])
      for (const option of await optionNames(engine, server, [`--plugin-load-add=${library}.so`]))
        if (!all.has(option)) all.set(option, library)
    const changes = await variableChanges(server)
    const lines = [...all].map(([option, library]) =>
      [option, changes.get(option) ?? 'option', library].join('\t').trimEnd(),
    )
    return `# ${engine.flavour} ${version}: option, how it changes (live, start, option), library that brings it\n${lines.toSorted().join('\n')}\n`
  } finally {
    await teardown()
  }
}

/** The names that `--help --verbose` lists. */
async function optionNames(engine: Engine, { dir }: Node, more: readonly string[]): Promise<readonly string[]> {
  const [program = '', ...given] = engine.command({ dir, port: 1, extraPort: 2, serverNumber: 1 })
  const { stdout } = await run(program, [...given, ...more, '--help', '--verbose'], { maxBuffer: 2 ** 24 })
  return [...stdout.matchAll(/^ {2}(?:-\w, )?--([a-z][\w.-]*)/gm)].map(([, name = '']) =>
    name.replaceAll('-', '_').toLowerCase(),
  )
}

/** Every global variable with whether the server lets it be set while it runs. */
async function variableChanges(server: Node): Promise<ReadonlyMap<string, string>> {
  const changes = server.engine.flavour === 'mariadb' ? mariadbChanges : mysqlChanges
  return new Map(await changes(server))
}

async function mariadbChanges(server: Node): Promise<readonly (readonly [string, string])[]> {
  const rows = await server.sql(
    "SELECT LOWER(VARIABLE_NAME) name, READ_ONLY only_read FROM information_schema.SYSTEM_VARIABLES WHERE VARIABLE_SCOPE <> 'SESSION ONLY'",
  )
  return rows.map((row) => [String(row.name), row.only_read === 'YES' ? 'start' : 'live'] as const)
}

/** MySQL has no such table: each variable is set to the value it has, which a read-only one refuses. */
async function mysqlChanges(server: Node): Promise<readonly (readonly [string, string])[]> {
  const names = (await server.sql('SHOW GLOBAL VARIABLES')).map((row) => String(row.Variable_name))
  const changes: [string, string][] = []
  for (const name of names) {
    const refused = await server.sql(`SET GLOBAL ${name} = @@GLOBAL.${name}`).then(
      () => '',
      (error: Error) => error.message,
    )
    changes.push([name.toLowerCase(), /read.?only variable/i.test(refused) ? 'start' : 'live'])
  }
  return changes
}
