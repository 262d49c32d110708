// Which parts of which stored binary logs lead from a backup to a point in time: one history, across changes of the primary.
import { fail, ok, type Result } from '../../base/result.js'
import { SECOND } from '../../base/time.js'
import type { RecoveryTarget } from '../../model/operation/recovery.js'
import { contains, formatSet, type GtidSet, isEmpty, union } from '../../model/server/gtid.js'
import type { ScannedTransaction } from '../binlog/headers.js'
import { scanFile } from '../binlog/scan-file.js'
import { oneOf, pathOf, type StoredFile, setOf, type Term } from '../binlog/term.js'

export interface ReplaySegment {
  readonly term: string
  /** Stored files in order. */
  readonly files: readonly { readonly name: string; readonly path: string }[]
  /** Offset in the first file at which it begins, and in the last one at which it ends, bytes. */
  readonly from: number
  readonly to: number
}

export interface ReplayPlan {
  readonly segments: readonly ReplaySegment[]
  /** The last transaction that is replayed; absent: none is. */
  readonly last?: { readonly gtid: string; readonly at: number }
  /** The first one that is not. */
  readonly next?: { readonly gtid: string; readonly at: number }
  /** The position after it: of MariaDB the last transaction of each domain, of MySQL the executed set. */
  readonly position: string
  /** Transactions of former primaries that the later one did not have: they are not replayed. */
  readonly left: readonly string[]
}

export interface ChainParts {
  readonly directory: string
  /** Oldest first. */
  readonly terms: readonly Term[]
  /** Where the backup ends: a position of MariaDB, an executed set of MySQL. */
  readonly position: string
  /** When the backup began, milliseconds since the epoch. */
  readonly startedAt: number
  readonly target: RecoveryTarget
}

/** A place between two transactions. */
interface Cut {
  readonly file: number
  readonly offset: number
  readonly last?: { readonly gtid: string; readonly at: number }
  readonly next?: { readonly gtid: string; readonly at: number }
  /** The position there. */
  readonly history?: string
}

/** Failure: `no-recovery`, with what is missing. Reads the files at both ends. */
export async function planReplay(wanted: ChainParts): Promise<Result<ReplayPlan>> {
  const parts = inHistory(wanted)
  try {
    const chosen = await chooseEnd(parts)
    if (!chosen.ok) return chosen
    const { index, cut } = chosen.value
    const segments = await segmentsTo(parts, index, cut)
    if (!segments.ok) return segments
    const { last, next } = cut
    const position = cut.history ?? parts.position
    return ok({ ...segments.value, position, ...(last ? { last } : {}), ...(next ? { next } : {}) })
  } catch (error) {
    return fail('no-recovery', error instanceof Error ? error.message : String(error))
  }
}

/**
 * The history of a backup ends where a new server became the primary: after the loss of all servers what is wanted lies
 * before. A time is that of the clock: where it lies behind, it is refused and not taken for the end.
 */
function inHistory(parts: ChainParts): ChainParts {
  const { terms, startedAt, target } = parts
  const end = terms.findIndex(({ apart, beganAt }) => apart && beganAt > startedAt)
  return end < 0 || target.type === 'time' ? parts : { ...parts, terms: terms.slice(0, end) }
}

const impossible = (text: string): Result<never> => fail('no-recovery', text)

/** The term in whose history the target lies, and the place in its files. */
async function chooseEnd(parts: ChainParts): Promise<Result<{ readonly index: number; readonly cut: Cut }>> {
  const { terms, target } = parts
  const usable = terms.map((term, index) => ({ term, index })).filter(({ term }) => term.files.length > 0)
  const latest = usable.at(-1)
  if (!latest) return impossible('no binary logs are stored (backup-binlogs)')
  if (target.type === 'end') {
    const wanted = target.term === undefined ? latest : usable.find(({ term }) => term.id === target.term)
    if (!wanted) return impossible(`nothing is stored as ${target.term}`)
    return ok({ index: wanted.index, cut: await findCut(parts, wanted.term, () => false) })
  }
  if (target.type === 'time') {
    const { term, index } =
      usable.findLast(({ term: { beganAt } }) => beganAt <= target.at) ?? (usable[0] as typeof latest)
    return ok({ index, cut: await findCut(parts, term, ({ time }) => time * SECOND > target.at) })
  }
  if (target.type === 'position') {
    const found = usable.findLast(({ term }) => term.files.some(({ name }) => name === target.file))
    if (!found) return impossible(`${target.file} is not stored`)
    const at = found.term.files.findIndex(({ name }) => name === target.file)
    return ok({
      index: found.index,
      cut: await findCut(parts, found.term, ({ end }, file) => file > at || (file === at && end > target.offset)),
    })
  }
  return findTransaction(parts, usable, target)
}

async function findTransaction(
  parts: ChainParts,
  usable: readonly { readonly term: Term; readonly index: number }[],
  { gtid, inclusive }: Extract<RecoveryTarget, { type: 'gtid' }>,
): Promise<Result<{ readonly index: number; readonly cut: Cut }>> {
  for (const { term, index } of usable.toReversed()) {
    const one = oneOf(term.flavour, gtid)
    if (isEmpty(one)) return impossible(`${gtid} is no GTID`)
    // The index of the file that is still written does not list its transactions.
    if (!term.files.some(({ closed, transactions }) => !closed || contains(transactions, one))) continue
    let found = false
    let passed = false
    const cut = await findCut(parts, term, (transaction) => {
      if (passed) return true
      if (transaction.gtid !== gtid) return false
      found = true
      passed = inclusive
      return !inclusive
    })
    if (found) return ok({ index, cut })
  }
  return impossible(`no stored binary log has ${gtid}`)
}

/** The place before the first transaction that is `beyond`; the end of the last file when none is. */
async function findCut(
  { directory }: ChainParts,
  term: Term,
  beyond: (transaction: ScannedTransaction, file: number) => boolean,
): Promise<Cut> {
  let last: Cut['last']
  const history = new History(term)
  for (const [file, stored] of term.files.entries()) {
    let found: Cut | undefined
    const scanner = await scanFile(pathOf(directory, term, stored), term.flavour, (transaction) => {
      const named = { gtid: transaction.gtid, at: transaction.time * SECOND }
      if (beyond(transaction, file)) found = { file, offset: transaction.offset, next: named }
      else {
        last = named
        history.add(transaction.gtid)
      }
      return found === undefined
    })
    if (found) return { ...found, history: history.text, ...(last ? { last } : {}) }
    if (file === term.files.length - 1)
      return { file, offset: scanner.settled, history: history.text, ...(last ? { last } : {}) }
  }
  return { file: 0, offset: 4 }
}

/** The position of a server that has executed what was added, and what precedes the term's files. */
class History {
  readonly #flavour: Term['flavour']
  readonly #domains = new Map<string, string>()
  #set: GtidSet

  constructor({ flavour, files: [first] }: Term) {
    this.#flavour = flavour
    this.#set = setOf(flavour, first?.previous ?? '')
    if (flavour === 'mariadb')
      for (const gtid of (first?.previous ?? '').split(',').filter(Boolean)) {
        const known = this.#domains.get(domainOf(gtid))
        if (known === undefined || sequenceOf(gtid) > sequenceOf(known)) this.#domains.set(domainOf(gtid), gtid)
      }
  }

  add(gtid: string): void {
    if (gtid === '') return
    if (this.#flavour === 'mariadb') this.#domains.set(domainOf(gtid), gtid)
    else this.#set = union(this.#set, oneOf(this.#flavour, gtid))
  }

  get text(): string {
    return this.#flavour === 'mariadb' ? [...this.#domains.values()].join(',') : formatSet(this.#set)
  }
}

const domainOf = (gtid: string): string => gtid.split('-')[0] ?? ''
const sequenceOf = (gtid: string): number => Number(gtid.split('-')[2])

type Segments = Pick<ReplayPlan, 'segments' | 'left'>

/** Back to the backup, term by term. */
async function segmentsTo(parts: ChainParts, index: number, cut: Cut): Promise<Result<Segments>> {
  const { terms, position } = parts
  const term = terms[index]
  const [first] = term?.files ?? []
  if (!term || !first) return impossible('no binary logs are stored from before')
  const start = positionOf(term, position)
  const before = setOf(term.flavour, first.previous)
  if (!contains(before, start) || isEmpty(start)) {
    const from = isEmpty(start) && isEmpty(before) ? { file: 0, offset: 4 } : await findStart(parts, term, start)
    if (!from)
      return impossible(`the backup ends at ${position}, which is not in the history of ${term.host}:${term.port}`)
    if (from.file > cut.file || (from.file === cut.file && from.offset > cut.offset))
      return impossible(`the target is before the end of the backup (${position}): choose an earlier backup`)
    return ok({ segments: [segmentOf(parts, term, { from, to: cut })], left: [] })
  }
  const whole = segmentOf(parts, term, { from: { file: 0, offset: 4 }, to: cut })
  if (contains(start, before)) return ok({ segments: [whole], left: [] })
  if (term.gap !== undefined)
    return impossible(`between the backup and ${term.id} these transactions are stored nowhere: ${term.gap}`)
  const former = terms.slice(0, index).findLastIndex(({ files }) => files.length > 0)
  const earlier = terms[former]
  if (!earlier || term.apart) return impossible(`binary logs from ${position} to ${first.name} are not stored any more`)
  const shared = await sharedPart(parts, earlier, before)
  const rest = await segmentsTo(parts, former, shared.cut)
  if (!rest.ok) return rest
  return ok({ segments: [...rest.value.segments, whole], left: [...rest.value.left, ...shared.left] })
}

/** MariaDB names the last transaction of each domain; each of them must be found in the history. */
const positionOf = ({ flavour }: Term, position: string): GtidSet =>
  flavour === 'mariadb'
    ? Object.assign(
        {},
        ...position
          .split(',')
          .filter(Boolean)
          .map((gtid) => oneOf(flavour, gtid.trim())),
      )
    : setOf(flavour, position)

/** The place after the last transaction that the backup has. */
async function findStart({ directory }: ChainParts, term: Term, start: GtidSet): Promise<Cut | undefined> {
  const file = term.files.findLastIndex(({ previous }) => !contains(setOf(term.flavour, previous), start))
  const stored = term.files[file]
  if (!stored) return undefined
  let offset: number | undefined
  await scanFile(pathOf(directory, term, stored), term.flavour, ({ gtid, end }) => {
    if (gtid !== '' && contains(start, oneOf(term.flavour, gtid))) offset = end
    return true
  })
  return offset === undefined ? undefined : { file, offset }
}

/** The part of a former term that the next primary had, and what it did not have. */
async function sharedPart(
  parts: ChainParts,
  term: Term,
  had: GtidSet,
): Promise<{ readonly cut: Cut; readonly left: readonly string[] }> {
  const isForeign = ({ gtid }: ScannedTransaction) => gtid !== '' && !contains(had, oneOf(term.flavour, gtid))
  const left: string[] = []
  const cut = await findCut(parts, term, (transaction) => {
    if (isForeign(transaction)) left.push(transaction.gtid)
    return left.length > 0
  })
  return { cut, left }
}

function segmentOf(
  { directory }: ChainParts,
  term: Term,
  { from, to }: { readonly from: Cut; readonly to: Cut },
): ReplaySegment {
  const files = term.files.slice(from.file, to.file + 1)
  return {
    term: term.id,
    files: files.map((file: StoredFile) => ({ name: file.name, path: pathOf(directory, term, file) })),
    from: from.offset,
    to: to.offset,
  }
}
