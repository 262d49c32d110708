// Initialises the data folder that new servers get a copy of: one for each version and layout.
import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { modeOf } from '../../base/files/modes.js'
import { done, fail, ok, type Result } from '../../base/result.js'
import { MINUTE } from '../../base/time.js'
import { runProgram } from '../../connect/shell/program.js'
import { exists } from './process/exists.js'
import type { Programs, RunAs } from './process/programs.js'
import type { Site } from './process/site.js'

export interface TemplateSource {
  /** Folder of the templates: they outlive the servers. */
  readonly directory: string
  readonly programs: Programs
  readonly runAs: RunAs
}

/** The options that a data folder is laid out by: hard or impossible to change once it exists. */
const layoutOptions = [
  'innodb_page_size',
  'innodb_data_file_path',
  'innodb_undo_tablespaces',
  'innodb_checksum_algorithm',
  'lower_case_table_names',
] as const

/** Templates being created, so that servers that start together share one. */
const making = new Map<string, Promise<Result<string>>>()

/** The folder of the template that fits `site`, created now if there is none yet. */
export async function findTemplate(site: Site, source: TemplateSource, signal: AbortSignal): Promise<Result<string>> {
  const layout = await readLayout(site, source.programs, signal)
  return layout.ok ? shareTemplate(source, layout.value, signal) : layout
}

/** All options are printed on one line. */
const ALL_OPTIONS = 1_000_000

interface Layout {
  readonly version: string
  readonly options: readonly string[]
}

/** The server's version, and the layout options that its configuration sets. */
async function readLayout(site: Site, { server }: Programs, signal: AbortSignal): Promise<Result<Layout>> {
  const ask = (...args: readonly string[]) =>
    runProgram({ file: server, args, timeoutMs: 10_000, signal, longestLine: ALL_OPTIONS })
  const [version, printed] = await Promise.all([
    ask('--version'),
    ask(`--defaults-file=${site.configFile}`, '--print-defaults'),
  ])
  if (!version.ok) return fail('orchestrator-failed', version.failure.message)
  if (!printed.ok) return fail('orchestrator-failed', `${site.name}: ${printed.failure.message}`)
  const set = new Map<string, string>()
  for (const [, name = '', value = ''] of printed.value.lastLines
    .join(' ')
    .matchAll(/--(?:loose[-_])?([\w-]+)=(\S+)/g)) {
    set.set(name.replaceAll('-', '_'), value)
  }
  const options = layoutOptions.flatMap((name) => (set.has(name) ? [`${name} = ${set.get(name)}`] : []))
  return ok({ version: version.value.lastLines.join(' '), options })
}

function shareTemplate(source: TemplateSource, layout: Layout, signal: AbortSignal): Promise<Result<string>> {
  const key = createHash('sha256')
    .update(JSON.stringify([layout, source.runAs]))
    .digest('hex')
    .slice(0, 16)
  const folder = path.join(source.directory, key)
  const running = making.get(folder)
  if (running !== undefined) return running
  const made = makeTemplate(folder, { source, layout, signal }).finally(() => making.delete(folder))
  making.set(folder, made)
  return made
}

interface Making {
  readonly source: TemplateSource
  readonly layout: Layout
  readonly signal: AbortSignal
}

async function makeTemplate(folder: string, { source, layout, signal }: Making): Promise<Result<string>> {
  if (await exists(folder)) return ok(folder)
  try {
    await mkdir(source.directory, { recursive: true, mode: modeOf('shared') })
    const draft = await mkdtemp(path.join(source.directory, 'draft-'))
    try {
      const installed = await install(draft, { source, layout, signal })
      if (!installed.ok) return installed
      await rename(path.join(draft, 'data'), folder)
      return ok(folder)
    } finally {
      await rm(draft, { recursive: true, force: true })
    }
  } catch (error) {
    if (await exists(folder)) return ok(folder) // another process was quicker
    const reason = error instanceof Error ? error.message : String(error)
    return fail('orchestrator-failed', `the template of data folders cannot be created: ${reason}`)
  }
}

/** Where the rules put what is not a table: relative, so that a copy is found at any path. */
const systemFolders = ['innodb/redo', 'innodb/undo', 'aria'] as const

async function install(draft: string, { source, layout, signal }: Making): Promise<Result<void>> {
  const data = path.join(draft, 'data')
  const config = path.join(draft, 'my.cnf')
  const temporary = path.join(draft, 'tmp')
  const { programs, runAs } = source
  for (const name of programs.installer === undefined ? ['innodb/redo'] : systemFolders)
    await mkdir(path.join(data, '.system', name), { recursive: true, mode: modeOf('dataFolder') })
  await mkdir(temporary, { mode: modeOf('scratch') })
  if (programs.installer === undefined) return initialise(draft, { source, layout, signal })
  await writeFile(config, installConfig(layout, temporary), { mode: modeOf('generated') })
  const lines: string[] = []
  const result = await runProgram({
    file: programs.installer,
    args: [
      ...[`--defaults-file=${config}`, `--datadir=${data}`, '--skip-test-db'],
      // root of the database is only the system's user: there is never an account without a password.
      ...['--auth-root-authentication-method=socket', `--auth-root-socket-user=${runAs.user}`],
      ...(runAs.byRoot ? ['--user=root'] : []),
    ],
    ...{ timeoutMs: MINUTE, signal, onLine: (line) => lines.push(line) },
  })
  if (result.ok) return done
  const errors = lines.filter((line) => /error/i.test(line)).slice(0, 3)
  return fail('orchestrator-failed', [result.failure.message, ...errors].join('; '))
}

/**
 * A server of MySQL creates its data folder itself. There is never an account without a password: root is locked, and the
 * monitor's account has all privileges. What belongs to one server alone (its uuid, its keys) is created by each copy.
 */
async function initialise(draft: string, { source, layout, signal }: Making): Promise<Result<void>> {
  const [data, config, statements, log] = ['data', 'my.cnf', 'init.sql', 'install.log'].map((name) =>
    path.join(draft, name),
  ) as [string, string, string, string]
  const { programs, runAs } = source
  await writeFile(config, initialiseConfig(layout, path.join(draft, 'tmp')), { mode: modeOf('generated') })
  await writeFile(statements, 'ALTER USER root@localhost ACCOUNT LOCK;\n', { mode: modeOf('generated') })
  const result = await runProgram({
    file: programs.server,
    args: [
      ...[`--defaults-file=${config}`, `--datadir=${data}`, `--log-error=${log}`, `--init-file=${statements}`],
      ...['--initialize-insecure', ...(runAs.byRoot ? ['--user=root'] : [])],
    ],
    ...{ timeoutMs: 2 * MINUTE, signal },
  })
  if (!result.ok) {
    const errors = (await readFile(log, 'utf8').catch(() => '')).split('\n').filter((line) => line.includes('[ERROR]'))
    return fail('orchestrator-failed', [result.failure.message, ...errors.slice(0, 3)].join('; '))
  }
  const own = (await readdir(data)).filter((name) => name === 'auto.cnf' || name.endsWith('.pem'))
  for (const name of own) await rm(path.join(data, name))
  return done
}

const initialiseConfig = ({ options }: Layout, temporary: string): string =>
  [
    '[mysqld]',
    `tmpdir = ${temporary}`,
    'innodb_log_group_home_dir = ./.system/innodb/redo',
    'innodb_buffer_pool_size = 32M',
    'innodb_flush_log_at_trx_commit = 0',
    'skip_log_bin',
    'mysqlx = OFF',
    ...options,
    '',
  ].join('\n')

/** Small and not durable while the template is created; a server's own options apply from its first start on. */
const installConfig = ({ options }: Layout, temporary: string): string =>
  [
    '[mysqld]',
    // Not /tmp: every server that starts removes the temporary tables of all others from its tmpdir.
    `tmpdir = ${temporary}`,
    'innodb_log_group_home_dir = ./.system/innodb/redo',
    'innodb_undo_directory = ./.system/innodb/undo',
    'aria_log_dir_path = ./.system/aria',
    'ignore_db_dirs = .system',
    'innodb_log_file_size = 4M',
    'innodb_buffer_pool_size = 32M',
    'innodb_flush_log_at_trx_commit = 0',
    'innodb_fast_shutdown = 1',
    'innodb_buffer_pool_dump_at_shutdown = OFF',
    'performance_schema = OFF',
    ...options,
    '',
  ].join('\n')
