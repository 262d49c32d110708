// One table on the primary and on its replicas, part by part; what is found so far is reported after each part.
import { fail, ok, type Result } from '../../base/result.js'
import { now, sleep } from '../../base/time.js'
import { FIRST_ROWS, judgePace, nextSize, type PressureBounds, smallerSize } from '../../decide/checksum/pace.js'
import { conditionOf } from '../../decide/checksum/range.js'
import { conditionSql } from '../../dialect/checksum/literal.js'
import { chunkEnd, countUpTo, parseKey, runningSessions } from '../../dialect/checksum/sums.js'
import { numberIn } from '../../dialect/statement/rows.js'
import type {
  ChunkDifference,
  KeyRange,
  KeyValues,
  ServerChecksum,
  TableChecksum,
  TableName,
  TableShape,
} from '../../model/checksum/checksum.js'
import { type ChunkFound, compareChunk, readSum } from './compare-chunk.js'
import { isOvertime, type Peer } from './peer.js'

/** Rows of a table without a usable key, which is one part. */
export const KEYLESS_ROWS = 100_000
/** Parts that are kept of a table with what differs in them, and rows of a part. */
const KEPT_CHUNKS = 100
const KEPT_ROWS = 1_000
const CRC_MODULUS = 2 ** 32

export interface TableRun {
  readonly primary: Peer
  readonly replicas: readonly Peer[]
  readonly job: number
  readonly signal: AbortSignal
  /** Why a server cannot be compared now. */
  readonly obstacle: (id: string) => string | undefined
  /** The compared replica that is furthest behind. */
  readonly lag: () => { readonly name: string; readonly seconds: number } | undefined
  readonly bounds: () => PressureBounds
  /** Failure: the run ends here, and is gone on with from what was reported last. */
  readonly mayGoOn: () => Result<void>
  /** After each part. */
  readonly report: (found: TableChecksum) => void
  /** Why it rests; once for each reason. */
  readonly log: (line: string) => void
}

/** What is held of a table between two parts. */
interface Progress {
  readonly found: TableChecksum
  readonly size: number
  readonly tookMs: number
}

/**
 * Compares a table, or goes on with `before`, which has a cursor. Failures: those of the primary's session, and of `mayGoOn`; a
 * replica that fails is left out of the table with the reason.
 */
export async function compareTable(
  name: TableName,
  run: TableRun,
  before?: TableChecksum,
): Promise<Result<TableChecksum>> {
  const shape = await run.primary.shapeOf(name)
  if (!shape.ok) return shape
  const start: TableChecksum = before?.cursor
    ? { ...before, state: 'running', job: run.job }
    : await beginning(name, { run, shape: shape.value })
  if (!shape.value) return ok(ended(start, 'it does not exist on the primary any more'))
  if (!shape.value.key) {
    const few = await isSmall(run.primary, shape.value)
    if (!few.ok) return few
    if (!few.value)
      return ok(ended(start, `it has no unique key that can order its rows, and more than ${KEYLESS_ROWS} rows`))
  }
  return compareParts(shape.value, run, { found: start, size: FIRST_ROWS, tookMs: 0 })
}

async function beginning(
  { schema, table }: TableName,
  { run, shape }: { readonly run: TableRun; readonly shape: TableShape | undefined },
): Promise<TableChecksum> {
  const servers = shape
    ? await Promise.all(run.replicas.map((peer) => admitted(peer, shape, run.obstacle(peer.server.id))))
    : []
  return {
    ...{ schema, table, state: 'running', job: run.job, startedAt: now(), primary: run.primary.server.id },
    ...{ chunks: 0, rows: 0, crc: 0, servers, differences: [] },
    ...(shape?.key ? { key: shape.key.columns } : {}),
  }
}

/** Whether the rows of a replica's table can be compared: it must be the same table. */
async function admitted(peer: Peer, shape: TableShape, obstacle: string | undefined): Promise<ServerChecksum> {
  const { id, name } = peer.server
  const head = { server: id, name, chunks: 0, open: 0 }
  if (obstacle !== undefined) return { ...head, verdict: 'not-compared', reason: obstacle }
  const own = await peer.shapeOf(shape)
  if (!own.ok) return { ...head, verdict: 'not-compared', reason: own.failure.message }
  if (!own.value) return { ...head, verdict: 'different', reason: 'it has no such table' }
  if (own.value.definition === shape.definition) return { ...head, verdict: 'equal' }
  return {
    ...{ ...head, verdict: 'different' },
    reason: `its columns are ${own.value.definition}; those of the primary are ${shape.definition}`,
  }
}

async function isSmall(primary: Peer, shape: TableShape): Promise<Result<boolean>> {
  const counted = await primary.ask(countUpTo(shape, KEYLESS_ROWS))
  return counted.ok ? ok(numberIn(counted.value[0] ?? {}, 'n') <= KEYLESS_ROWS) : counted
}

async function compareParts(shape: TableShape, run: TableRun, start: Progress): Promise<Result<TableChecksum>> {
  let progress = start
  for (;;) {
    if (!progress.found.servers.some(isCompared)) return ok(ended(progress.found))
    const rested = await rest(run, progress.tookMs)
    if (!rested.ok) return rested
    const next = await comparePart(shape, run, progress)
    if (!next.ok) {
      const size = isOvertime(next) ? smallerSize(progress.size) : undefined
      if (size === undefined) return next
      progress = { ...progress, size }
      continue
    }
    progress = next.value
    if (!progress.found.cursor) return ok(ended(progress.found))
    run.report(progress.found)
  }
}

/** Until no bound is passed, and at least between two parts. */
async function rest(run: TableRun, tookMs: number): Promise<Result<void>> {
  let said = ''
  for (;;) {
    const may = run.mayGoOn()
    if (!may.ok) return may
    const status = await run.primary.ask(runningSessions)
    if (!status.ok) return status
    const lag = run.lag()
    const pressure = { running: numberIn(status.value[0] ?? {}, 'Value'), ...(lag ? { lag } : {}) }
    const { ms, reason } = judgePace(pressure, run.bounds(), tookMs)
    if (reason !== undefined && said === '') run.log(`it rests: ${reason}`)
    said = reason ?? said
    await sleep(ms, run.signal)
    if (run.signal.aborted) return fail('job-interrupted', 'the comparison ends')
    if (reason === undefined) return run.mayGoOn()
  }
}

/** The next part on every server that is compared. Its cursor is absent after the last one. */
async function comparePart(shape: TableShape, run: TableRun, before: Progress): Promise<Result<Progress>> {
  const { found, size } = before
  const began = now()
  const range = await nextRange(shape, run.primary, before)
  if (!range.ok) return range
  const condition = conditionOf(shape.key?.columns ?? [], range.value)
  const sum = await readSum(run.primary, shape, condition)
  if (!sum.ok) return sum
  const tookMs = now() - began
  const chunk = found.chunks + 1
  const predicate = conditionSql(condition, shape.key?.columns ?? [])
  const servers: ServerChecksum[] = []
  const differences: ChunkDifference[] = []
  for (const server of found.servers) {
    const replica = run.replicas.find((peer) => peer.server.id === server.server)
    if (!replica || !isCompared(server)) {
      servers.push(server)
      continue
    }
    const request = { primary: run.primary, replica, shape, condition, signal: run.signal }
    const compared = await compareChunk(request, sum.value)
    if (run.signal.aborted) return fail('job-interrupted', 'the comparison ends')
    servers.push(compared.ok ? noted(server, compared.value) : leftOut(server, compared.failure.message))
    if (compared.ok && compared.value && isDifferent(compared.value))
      differences.push(differenceOf(compared.value, { server: server.server, chunk, predicate, rows: sum.value.rows }))
  }
  const { cursor: _, ...rest } = found
  return ok({
    ...{ size: nextSize(size, { rows: sum.value.rows, tookMs }), tookMs },
    found: {
      ...{ ...rest, chunks: chunk, rows: found.rows + sum.value.rows, crc: (found.crc + sum.value.crc) % CRC_MODULUS },
      ...{ servers, differences: [...found.differences, ...differences].slice(0, KEPT_CHUNKS) },
      ...(range.value.to ? { cursor: range.value.to } : {}),
    },
  })
}

/** From where the part before ended; open at the end of the table. */
async function nextRange(shape: TableShape, primary: Peer, { found, size }: Progress): Promise<Result<KeyRange>> {
  const { key } = shape
  if (!key) return ok({})
  const from: { readonly from?: KeyValues } = found.cursor ? { from: found.cursor } : {}
  const end = await primary.ask(chunkEnd(shape, key, { condition: conditionOf(key.columns, from), rows: size }))
  if (!end.ok) return end
  const [row] = end.value
  return ok(row ? { ...from, to: parseKey(key, row) } : from)
}

/** A server whose table has other columns is different and is not read. */
const isCompared = ({ verdict, reason }: ServerChecksum): boolean => verdict !== 'not-compared' && reason === undefined

const isDifferent = ({ rows, listed, open }: ChunkFound): boolean => rows.length > 0 || (!listed && open === 0)

const noted = (server: ServerChecksum, found: ChunkFound | undefined): ServerChecksum => {
  if (!found) return server
  const open = server.open + found.open
  return isDifferent(found) ? { ...server, open, verdict: 'different', chunks: server.chunks + 1 } : { ...server, open }
}

const leftOut = (server: ServerChecksum, reason: string): ServerChecksum =>
  server.verdict === 'different' ? { ...server, reason } : { ...server, verdict: 'not-compared', reason }

const differenceOf = (
  { rows, listed, rowsOnReplica }: ChunkFound,
  part: { readonly server: string; readonly chunk: number; readonly predicate: string; readonly rows: number },
): ChunkDifference => ({
  ...{ server: part.server, chunk: part.chunk, predicate: part.predicate, rowsOnPrimary: part.rows, rowsOnReplica },
  rows: rows.slice(0, KEPT_ROWS),
  ...(listed ? { rowCount: rows.length } : {}),
})

/** What came of a table. It is equal only where every server was compared to its end. */
function ended({ cursor: _, ...found }: TableChecksum, because?: string): TableChecksum {
  const servers = found.servers.map((server) =>
    server.verdict === 'equal' && server.open > 0
      ? leftOut(server, `${server.open} rows changed too fast to be compared`)
      : server,
  )
  const missed = servers.filter(({ verdict }) => verdict === 'not-compared')
  const isMissed = because !== undefined || servers.length === 0 || missed.length > 0
  const state = servers.some(({ verdict }) => verdict === 'different')
    ? 'different'
    : isMissed
      ? 'not-compared'
      : 'equal'
  const reason =
    because ??
    (servers.length === 0 ? 'there is no replica to compare with' : undefined) ??
    missed.map((server) => `${server.name}: ${server.reason}`).join('; ')
  return { ...found, servers, state, endedAt: now(), ...(reason === '' ? {} : { reason }) }
}
