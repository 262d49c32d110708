// From a scratch server to where the data are wanted: a dump file, or a server that is in no use.
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { modeOf } from '../../base/files/modes.js'
import { done, fail, ok, type Result } from '../../base/result.js'
import { MINUTE } from '../../base/time.js'
import { clientOptions } from '../../connect/sql/client-options.js'
import { openSession } from '../../connect/sql/mysql2-session.js'
import { withSameServers } from '../../connect/sql/same-servers.js'
import type { SqlSession, SqlTarget } from '../../connect/sql/session.js'
import { ensureWholeList } from '../../connect/sql/whole-list.js'
import { ensureWholeRows } from '../../connect/sql/whole-rows.js'
import { onThisServerOnly } from '../../dialect/index.js'
import { closeForRefill } from '../../dialect/refill/refill.js'
import {
  detachStatements,
  forgetStatements,
  historyStatements,
  newLineStatements,
} from '../../dialect/shared/backup/recovery.js'
import { quoteIdentifier } from '../../dialect/statement/quote.js'
import type { Flavour } from '../../model/server/version.js'
import { startTransfer, type TransferSink } from '../stream/index.js'
import { copyAccounts } from './accounts.js'
import type { RestoreRun, Tools } from './replay.js'
import type { Scratch } from './scratch.js'

const dumpOptions = (flavour: Flavour): readonly string[] => [
  // What is dumped is loaded elsewhere, and its position is set there.
  ...(flavour === 'mariadb' ? [] : ['--set-gtid-purged=OFF']),
  '--single-transaction',
  '--routines',
  '--triggers',
  '--events',
  '--hex-blob',
  '--max-allowed-packet=1G',
]

export interface DumpRequest {
  readonly flavour: Flavour
  readonly schema: string
  /** All of the schema when none is named. */
  readonly tables: readonly string[]
  /** Absolute; compressed where it ends in `.gz`. */
  readonly file: string
  /** Option file of the scratch server. */
  readonly login: string
  readonly tools: Tools
  readonly deadlineMs: number
}

/** Tables of one schema, as a file to load. */
export function dumpScratch(request: DumpRequest, run: RestoreRun): Promise<Result<void>> {
  const { schema, tables, file, login, tools, deadlineMs, flavour } = request
  run.log(`dumping ${[schema, ...tables].join(' ')} to ${file}`)
  const args = [`--defaults-file=${login}`, ...dumpOptions(flavour), schema, ...tables]
  return move({ file: tools.dump, args, sink: fileSink(file), deadlineMs }, run)
}

export interface LoadRequest {
  readonly scratch: Scratch
  readonly flavour: Flavour
  /** Option file of the scratch server. */
  readonly login: string
  readonly onto: SqlTarget
  /** Where what the server held is dumped to before it is removed; absent: it was empty when its filling began. */
  readonly saved?: string
  /** Of the restored data. */
  readonly position: string
  /** A history that is set aside, as its GTIDs: what the server writes from now on is numbered behind it. Absent: it is a copy. */
  readonly aside?: string
  /** It gets the accounts that the restored server has and it has not. */
  readonly accounts: boolean
  readonly tools: Tools
  readonly deadlineMs: number
}

/**
 * Replaces the schemas of a server, its accounts stay (a new one gets others besides); it follows no source afterwards and has the history of the restored data.
 * Nothing is written to its binary log.
 */
export async function loadScratch(request: LoadRequest, run: RestoreRun): Promise<Result<void>> {
  const { scratch, onto, saved, login, tools, deadlineMs } = request
  const [restored, opened] = await Promise.all([restoredSchemas(scratch.target), openSession(onto)])
  if (!opened.ok) return opened
  const session = opened.value
  try {
    if (!restored.ok) return restored
    if (restored.value.length === 0)
      return fail('restore-failed', 'the restored server has no schema: nothing is replaced')
    const seen = await ensureWholeList(session, 'schemas')
    if (!seen.ok) return seen
    const held = await schemasIn(session)
    if (!held.ok) return held
    const target = path.join(scratch.directory, 'target.cnf')
    await writeFile(target, clientOptions(onto), { mode: modeOf('login') })
    const args = (file: string, schemas: readonly string[]) => [
      `--defaults-file=${file}`,
      ...dumpOptions(request.flavour),
      '--databases',
      ...schemas,
    ]
    if (held.value.length > 0 && saved !== undefined) {
      const whole = await ensureWholeRows(onto, 'restore-failed')
      if (!whole.ok) return whole
      run.log(`saving ${held.value.length} schemas of ${onto.host}:${onto.port} to ${saved}`)
      const kept = await withSameServers(
        [onto],
        () => move({ file: tools.dump, args: args(target, held.value), sink: fileSink(saved), deadlineMs }, run),
        { signal: run.signal },
      )
      if (!kept.ok) return kept
    }
    const emptied = await empty(session, held.value, request)
    if (!emptied.ok) return emptied
    run.log(`loading ${restored.value.length} schemas onto ${onto.host}:${onto.port}`)
    const loaded = await withSameServers(
      [onto],
      ([own]) => {
        const init = `--init-command=SET ${own ? `${onThisServerOnly(own)}, ` : ''}SESSION sql_log_bin=0`
        const client = [`--defaults-file=${target}`, '--binary-mode', init]
        const sink = { type: 'program', file: tools.client, args: client } as const
        return move({ file: tools.dump, args: args(login, restored.value), sink, deadlineMs }, run)
      },
      { signal: run.signal },
    )
    const given = loaded.ok && request.accounts ? await giveAccounts(session, request, run) : loaded
    return given.ok ? await setHistory(session, request) : given
  } finally {
    session.close()
  }
}

async function empty(session: SqlSession, schemas: readonly string[], { flavour }: LoadRequest): Promise<Result<void>> {
  const drops = schemas.map((schema) => `DROP DATABASE ${quoteIdentifier(schema)}`)
  const statements = [
    // MySQL: the manager's account passes read_only, not super_read_only.
    ...closeForRefill(flavour),
    ...detachStatements(flavour, session.serverVersion),
    'SET SESSION sql_log_bin=0, SESSION foreign_key_checks=0',
    // First its history: a cut from here on leaves a server that counts as empty.
    ...forgetStatements(flavour, session.serverVersion),
    ...drops,
  ]
  for (const sql of statements) {
    const ran = await session.run(sql, [], MINUTE)
    if (!ran.ok) return ran
  }
  return done
}

async function giveAccounts(
  onto: SqlSession,
  { scratch, flavour }: LoadRequest,
  run: RestoreRun,
): Promise<Result<void>> {
  const opened = await openSession(scratch.target)
  if (!opened.ok) return opened
  try {
    return await copyAccounts({ from: opened.value, onto, flavour, own: scratch.target.user }, run)
  } finally {
    opened.value.close()
  }
}

async function setHistory(session: SqlSession, { flavour, position, aside }: LoadRequest): Promise<Result<void>> {
  const statements =
    aside === undefined
      ? historyStatements(flavour, session.serverVersion, position)
      : newLineStatements(flavour, session.serverVersion, { position, history: aside })
  for (const { sql, values } of statements) {
    const ran = await session.run(sql, values, MINUTE)
    if (!ran.ok) return ran
  }
  return done
}

/** Where a server has its data, as it names it. */
export async function dataDirectory(target: SqlTarget): Promise<Result<string>> {
  const opened = await openSession(target)
  if (!opened.ok) return opened
  const read = await opened.value.run('SELECT @@datadir AS d', [], MINUTE)
  opened.value.close()
  return read.ok ? ok(String(read.value[0]?.[0]?.d ?? '')) : read
}

/** Schemas of users. Failure `wrong-state`: the account may not see all of them. */
export async function schemasOf(target: SqlTarget): Promise<Result<readonly string[]>> {
  const opened = await openSession(target)
  if (!opened.ok) return opened
  try {
    const whole = await ensureWholeList(opened.value, 'schemas')
    return whole.ok ? await schemasIn(opened.value) : whole
  } finally {
    opened.value.close()
  }
}

/** Those of a server that the manager started itself, and on which nothing is hidden from it. */
async function restoredSchemas(target: SqlTarget): Promise<Result<readonly string[]>> {
  const opened = await openSession(target)
  if (!opened.ok) return opened
  try {
    return await schemasIn(opened.value)
  } finally {
    opened.value.close()
  }
}

async function schemasIn(session: SqlSession): Promise<Result<readonly string[]>> {
  const listed = await session.run(
    `SELECT schema_name AS s FROM information_schema.schemata
     WHERE schema_name NOT IN ('mysql', 'sys', 'information_schema', 'performance_schema', 'manager_schema', 'replication_manager_schema')
     ORDER BY 1`,
    [],
    MINUTE,
  )
  return listed.ok ? ok((listed.value[0] ?? []).map(({ s }) => String(s))) : listed
}

const fileSink = (file: string): TransferSink => ({
  type: 'stored',
  place: { kind: 'directory', root: path.dirname(file) },
  path: path.basename(file),
  compression: file.endsWith('.gz') ? 'gzip' : 'none',
})

interface Moving {
  readonly file: string
  readonly args: readonly string[]
  readonly sink: TransferSink
  readonly deadlineMs: number
}

async function move({ file, args, sink, deadlineMs }: Moving, run: RestoreRun): Promise<Result<void>> {
  const moved = await startTransfer(
    { source: { type: 'program', file, args }, sink, deadlineMs },
    {
      signal: run.signal,
      line: (program, line) => run.log(`${path.basename(program)}: ${line}`),
      progress: ({ rawBytes }) => run.progress(rawBytes),
    },
  ).done
  return moved.ok ? done : moved
}
