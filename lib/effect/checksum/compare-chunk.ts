// One part of a table on the primary and on a replica: sums first, then the rows, round after round until nothing is open.
import { done, fail, ok, type Result } from '../../base/result.js'
import { SECOND, sleep } from '../../base/time.js'
import { compareRound, confirmRounds, isSame, type Round } from '../../decide/checksum/compare.js'
import { APPLIED_WITHIN_MS } from '../../decide/checksum/pace.js'
import { listRows, parseRows, parseSum, sumChunk } from '../../dialect/checksum/sums.js'
import type { ChunkSum, Condition, RowDifference, RowDigest, TableShape } from '../../model/checksum/checksum.js'
import type { Peer } from './peer.js'

/** Rows of a part that are listed on one server at most. */
export const LISTED_ROWS = 40_000
/** Rounds of which two in a row must find the same, and the pause between them, which grows. */
const ROUNDS = 8
const PAUSE_MS = SECOND / 5

export interface ChunkRequest {
  readonly primary: Peer
  readonly replica: Peer
  readonly shape: TableShape
  readonly condition: Condition
  readonly signal: AbortSignal
}

export interface ChunkFound {
  readonly rows: readonly RowDifference[]
  /** Rows that changed too fast to be compared. */
  readonly open: number
  /** Absent where too many rows would have had to be listed. */
  readonly listed: boolean
  readonly rowsOnReplica: number
}

/** The sum of a part on one server. */
export async function readSum(peer: Peer, shape: TableShape, condition: Condition): Promise<Result<ChunkSum>> {
  const read = await peer.ask(sumChunk(shape, condition))
  return read.ok ? ok(parseSum(read.value)) : read
}

/** Waits until the replica has what the primary has by now; a node of Galera sees to that when it reads. */
export async function meet({ primary, replica }: Pick<ChunkRequest, 'primary' | 'replica'>): Promise<Result<void>> {
  if (replica.server.causal) return done
  const position = await primary.position()
  if (!position.ok) return position
  if (position.value === '') return fail('unsupported', 'the primary has no GTIDs, by which replicas are awaited')
  return replica.applied(position.value, APPLIED_WITHIN_MS)
}

/** Compares a part whose sum on the primary was just read. Undefined: it is equal. */
export async function compareChunk(request: ChunkRequest, sum: ChunkSum): Promise<Result<ChunkFound | undefined>> {
  const { replica, shape, condition } = request
  const met = await meet(request)
  if (!met.ok) return met
  const own = await readSum(replica, shape, condition)
  if (!own.ok) return own
  if (isSame(sum, own.value)) return ok(undefined)
  const tooMany = !shape.key || Math.max(sum.rows, own.value.rows) > LISTED_ROWS
  return tooMany ? compareSums(request, own.value) : compareRows(request, own.value)
}

/** Rounds over the sums alone: different where the primary's did not change and the replica's is another one, twice in a row. */
async function compareSums(request: ChunkRequest, last: ChunkSum): Promise<Result<ChunkFound | undefined>> {
  const { primary, replica, shape, condition, signal } = request
  let [previous, own] = ['', last]
  for (let round = 0; round < ROUNDS; round++) {
    const early = await readSum(primary, shape, condition)
    if (!early.ok) return early
    const met = await meet(request)
    if (!met.ok) return met
    const here = await readSum(replica, shape, condition)
    if (!here.ok) return here
    const late = await readSum(primary, shape, condition)
    if (!late.ok) return late
    own = here.value
    if (isSame(own, early.value) || isSame(own, late.value)) return ok(undefined)
    const evidence = isSame(early.value, late.value) ? JSON.stringify([late.value, own]) : ''
    if (evidence !== '' && evidence === previous)
      return ok({ rows: [], open: 0, listed: false, rowsOnReplica: own.rows })
    previous = evidence
    await sleep(PAUSE_MS * 2 ** round, signal)
  }
  return ok({ rows: [], open: last.rows, listed: false, rowsOnReplica: own.rows })
}

async function compareRows(request: ChunkRequest, own: ChunkSum): Promise<Result<ChunkFound | undefined>> {
  let before: Round | undefined
  let open = 0
  for (let round = 0; round < ROUNDS; round++) {
    const found = await readRound(request)
    if (!found.ok) return found
    if (!found.value) return compareSums(request, own)
    const { suspects, moving } = found.value
    if (suspects.size + moving.size === 0) return ok(undefined)
    if (before) {
      const confirmed = confirmRounds(before, found.value)
      open = confirmed.open
      if (open === 0) return ok({ rows: confirmed.different, open, listed: true, rowsOnReplica: own.rows })
      if (round === ROUNDS - 1) return ok({ rows: confirmed.different, open, listed: true, rowsOnReplica: own.rows })
    }
    before = found.value
    await sleep(PAUSE_MS * 2 ** Math.min(round, 4), request.signal)
  }
  return ok({ rows: [], open, listed: true, rowsOnReplica: own.rows })
}

/** Undefined: there are more rows than are listed. */
async function readRound(request: ChunkRequest): Promise<Result<Round | undefined>> {
  const { primary, replica } = request
  const before = await rowsOf(primary, request)
  if (!before.ok) return before
  const met = await meet(request)
  if (!met.ok) return met
  const here = await rowsOf(replica, request)
  if (!here.ok) return here
  const late = await rowsOf(primary, request)
  if (!late.ok) return late
  const all = [before.value, here.value, late.value]
  if (all.some(({ length }) => length > LISTED_ROWS)) return ok(undefined)
  return ok(compareRound({ before: before.value, replica: here.value, after: late.value }))
}

async function rowsOf(
  peer: Peer,
  { shape, condition }: Pick<ChunkRequest, 'shape' | 'condition'>,
): Promise<Result<readonly RowDigest[]>> {
  if (!shape.key) return ok([])
  const read = await peer.ask(listRows(shape, shape.key, { condition, limit: LISTED_ROWS + 1 }))
  return read.ok ? ok(parseRows(shape.key, read.value)) : read
}
