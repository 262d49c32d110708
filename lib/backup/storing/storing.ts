// Stores the binary log of a primary as it is written, and follows a failover: in a process of its own, one for each cluster.
import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { modeOf } from '../../base/files/modes.js'
import { fail, ok, type Result } from '../../base/result.js'
import { now, SECOND, sleep } from '../../base/time.js'
import { type Dump, openBinlogDump } from '../../connect/sql/binlog-dump.js'
import { openSession } from '../../connect/sql/mysql2-session.js'
import type { SqlSession } from '../../connect/sql/session.js'
import { dumpOpening } from '../../dialect/shared/backup/binlog.js'
import type { LogStorage } from '../../model/backup.js'
import { countTransactions, formatSet, isEmpty, subtract } from '../../model/server/gtid.js'
import { logNumber } from '../../model/server/log-name.js'
import { isArtificial, isHeartbeat, magic, parseHeader, rotatesTo } from '../binlog/headers.js'
import {
  pathOf,
  readTerms,
  type StoredFile,
  setOf,
  type Term,
  termDirectory,
  transactionsOf,
  writeTerm,
} from '../binlog/term.js'
import { ClosedFiles } from './closed-files.js'
import { findFirstFile, type ServerFile } from './first-file.js'
import { LogCopies } from './log-copies.js'
import {
  listServerFiles,
  readCreated,
  readHistory,
  readPosition,
  readPrevious,
  type ServerPosition,
} from './log-source.js'
import { pack, StoredLog } from './stored-log.js'
import type { LogSource, StoringReport, StoringSettings } from './storing-state.js'
import { verifyFile } from './verify-file.js'

/** Silence of the server while nothing is written. */
const HEARTBEAT_MS = SECOND
/** Interval of comparing the end of the primary's log with what is stored. */
const SAMPLE_MS = SECOND / 2
const SAMPLE_LIMIT_MS = 2 * SECOND
const REPORT_MS = SECOND / 5
const SYNC_MS = SECOND
const SHORTEST_PAUSE_MS = SECOND / 5
const LONGEST_PAUSE_MS = 5 * SECOND
/** At the end, for what the places elsewhere do not have yet; the collector waits longer. */
const LAST_COPY_MS = 3 * SECOND
/** MariaDB sends the statements that caused row events only on request. */
const WITH_STATEMENTS = 2

/** A place in the log of the server, and when it was its end. */
interface Sample extends ServerPosition {
  readonly at: number
}

/** Whether what is stored goes on: from here, from nowhere, or in another log whose files have the same names. */
type Resumed =
  | { readonly type: 'here'; readonly position: ServerPosition }
  | { readonly type: 'none' }
  | { readonly type: 'other' }

const notStored: Resumed = { type: 'none' }

export class Storing {
  readonly #settings: () => StoringSettings
  readonly #report: (report: StoringReport) => void
  #source: LogSource | undefined
  #closed = false
  /** What was stored before is known. */
  #ready = false
  #dump: Dump | undefined
  /** Oldest first; the last one may go on. */
  #terms: Term[] = []
  #log: StoredLog | undefined
  #checksum = true
  #samples: Sample[] = []
  #completeAt: number | undefined
  #connected = false
  /** Why what the server sends is not stored any longer. */
  #broken: string | undefined
  #problem: string | undefined
  #problemSince: number | undefined
  #writeSoon = false
  #stateSoon: NodeJS.Timeout | undefined
  /** Files are packed and indexes written one after the other. */
  #filing: Promise<unknown> = Promise.resolve()
  #wake: () => void = () => undefined
  readonly #copies: LogCopies
  readonly #fetching: ClosedFiles
  /** As the reading began with it. */
  #closedOnly: true | undefined
  /** The file that the server writes, of which nothing is stored yet. */
  #writing: string | undefined
  readonly #ended = new AbortController()

  constructor(settings: () => StoringSettings, report: (report: StoringReport) => void) {
    this.#settings = settings
    this.#report = report
    this.#copies = new LogCopies({
      stored: () => ({
        terms: this.#terms,
        ...(this.#completeAt === undefined ? {} : { completeAt: this.#completeAt }),
        ...this.#openFile(),
      }),
      line: (level, text) => this.#line(level, text),
      changed: () => this.#tellState(),
    })
    this.#fetching = new ClosedFiles((fetch) => report(fetch))
  }

  /** The settings have changed. */
  configured(): void {
    if (this.#ready) this.#copies.align(this.#settings())
    if (this.#settings().closedOnly !== this.#closedOnly) this.#leave()
  }

  /** The file of a `fetch` is there, or why not. */
  fetched(id: number, failure: string | undefined): void {
    this.#fetching.fetched(id, failure)
  }

  /** What is being read is read no further. */
  #leave(): void {
    this.#dump?.close()
    this.#fetching.close()
    this.#wake()
  }

  #openFile() {
    const term = this.#terms.at(-1)
    const log = this.#log
    return term && log ? { open: { term: term.id, name: log.name, written: log.written } } : {}
  }

  /** The primary from now on. */
  follow(source: LogSource | undefined): void {
    const same = source?.id === this.#source?.id
    this.#source = source
    if (same && this.#connected) return
    this.#leave()
  }

  /** Ends the reading; everything received is written, and copied elsewhere where that takes no longer. */
  async close(copyMs = LAST_COPY_MS): Promise<void> {
    this.#closed = true
    this.#ended.abort()
    this.#leave()
    this.#log?.write()
    await this.#copies.close(copyMs)
    this.#log?.close()
    this.#log = undefined
    await this.#filing
    await this.#saveLast()
  }

  async run(): Promise<void> {
    const terms = await readTerms(this.#settings().directory)
    if (terms.ok) this.#terms = [...terms.value]
    else this.#line('ERROR', terms.failure.message)
    const lost = await this.#copies.readBack(this.#settings(), this.#terms)
    const others = this.#terms.filter(({ id }) => !lost.some((term) => term.id === id))
    this.#terms = [...others, ...lost].sort((a, b) => a.beganAt - b.beganAt)
    if (this.#closed) return
    this.#ready = true
    this.#copies.align(this.#settings())
    this.#packLeft()
    const syncing = setInterval(() => this.#log?.sync((reason) => this.#line('ERROR', reason)), SYNC_MS)
    let pause = SHORTEST_PAUSE_MS
    while (!this.#closed) {
      const source = this.#source
      const began = performance.now()
      const problem = source ? await this.#read(source) : 'no primary is known'
      if (this.#closed) break
      this.#connected = false
      if (problem !== this.#problem && problem !== undefined) this.#line('WARN', `binary logs are not read: ${problem}`)
      if (problem === undefined) this.#problemSince = undefined
      else this.#problemSince ??= now()
      this.#problem = problem
      this.#tellState()
      if (performance.now() - began > LONGEST_PAUSE_MS || source !== this.#source) pause = SHORTEST_PAUSE_MS
      if (source === this.#source) await this.#pause(pause)
      pause = Math.min(LONGEST_PAUSE_MS, pause * 2)
    }
    clearInterval(syncing)
    clearTimeout(this.#stateSoon)
  }

  #pause(ms: number): Promise<void> {
    const controller = new AbortController()
    this.#wake = () => controller.abort()
    return sleep(ms, controller.signal)
  }

  /** Reads from one primary until that ends; answers why it did. */
  async #read(source: LogSource): Promise<string | undefined> {
    const opened = await openSession(source.target)
    if (!opened.ok) return opened.failure.message
    const session = opened.value
    try {
      const begun = await this.#begin(source, session)
      if (!begun.ok) return begun.failure.message
      this.#broken = undefined
      this.#closedOnly = this.#settings().closedOnly
      if (this.#closedOnly) return await this.#readClosed(source, session, begun.value.file)
      const dump = await openBinlogDump({
        target: source.target,
        ...begun.value,
        serverId: this.#settings().serverId,
        opening: dumpOpening(HEARTBEAT_MS),
        heartbeatMs: HEARTBEAT_MS,
        flags: source.flavour === 'mariadb' ? WITH_STATEMENTS : 0,
        onEvent: (event) => this.#take(event),
      })
      if (!dump.ok) return dump.failure.message
      this.#dump = dump.value
      if (source !== this.#source || this.#closed || this.#broken !== undefined) dump.value.close()
      this.#connected = true
      this.#problem = undefined
      this.#problemSince = undefined
      this.#line(
        'INFO',
        `binary logs of ${source.target.host}:${source.target.port} are stored from ${begun.value.file} offset ${begun.value.offset}`,
      )
      const sampling = new AbortController()
      void this.#sample(session, source, sampling.signal)
      const reason = await dump.value.ended
      sampling.abort()
      this.#flush()
      return source === this.#source ? (this.#broken ?? reason) : undefined
    } catch (error) {
      return error instanceof Error ? error.message : String(error)
    } finally {
      this.#dump = undefined
      session.close()
    }
  }

  /** Files that the server has closed, as they become so; answers why that ended. */
  async #readClosed(source: LogSource, session: SqlSession, first: string): Promise<string | undefined> {
    this.#dropOpen()
    this.#connected = true
    this.#problem = undefined
    this.#problemSince = undefined
    const { host, port } = source.target
    this.#line('INFO', `binary logs of ${host}:${port} are stored from ${first}, each when the server has closed it`)
    const incoming = path.join(this.#settings().directory, 'incoming')
    const ended = await this.#fetching.run({
      ...{ session, server: source.id, first, incoming },
      writes: (file) => {
        this.#writing = file
        this.#tellState()
      },
      take: async (file, size) => {
        const term = this.#terms.at(-1)
        if (!term) return 'no term has begun'
        const to = path.join(termDirectory(this.#settings().directory, term), path.basename(file))
        await rename(file, to)
        const log = await StoredLog.resume(to, source.flavour)
        if (log.offset !== size || !log.closed) {
          log.close()
          await rm(to)
          return `${log.name} has ${log.offset} readable bytes, the server lists ${size}`
        }
        this.#completeAt = Math.max(this.#completeAt ?? 0, log.lastAt)
        await this.#endFile(log)
        this.#tellState()
        return undefined
      },
    })
    this.#writing = undefined
    return source === this.#source && this.#closedOnly === this.#settings().closedOnly ? ended : undefined
  }

  /** What was stored of a file that is still written is got again when it is closed. */
  #dropOpen(): void {
    const log = this.#log
    const term = this.#terms.at(-1)
    this.#log = undefined
    if (!log || !term) return
    log.close()
    rmSync(path.join(termDirectory(this.#settings().directory, term), log.name), { force: true })
    this.#terms = this.#terms.map((each) =>
      each.id === term.id ? { ...each, files: each.files.filter(({ name }) => name !== log.name) } : each,
    )
  }

  /** Prepares the file that is continued, or the first of a new term; answers where to read from. */
  async #begin(source: LogSource, session: SqlSession): Promise<Result<ServerPosition>> {
    const history = await readHistory(session, source.flavour)
    if (!history.ok) return history
    this.#checksum = history.value.checksum
    this.#samples = []
    const files = await listServerFiles(session)
    if (!files.ok) return files
    const resumed = await this.#resume(source, session, files.value)
    if (!resumed.ok) return resumed
    if (resumed.value.type === 'here') return ok(resumed.value.position)
    const isOther = resumed.value.type === 'other'
    return this.#beginTerm(source, session, { transactions: history.value.transactions, isOther })
  }

  async #resume(source: LogSource, session: SqlSession, files: readonly ServerFile[]): Promise<Result<Resumed>> {
    const term = this.#terms.at(-1)
    const last = term?.files.at(-1)
    if (!term || !last || term.server !== source.id) return ok(notStored)
    this.#log?.close()
    this.#log = undefined
    const at = files.findIndex(({ name }) => name === last.name)
    const listed = files[at]
    if (!listed) return ok(notStored)
    const previous = await readPrevious(session, last.name)
    if (!previous.ok) return previous
    const folder = termDirectory(this.#settings().directory, term)
    const open = last.closed ? undefined : path.join(folder, last.name)
    if (open !== undefined && existsSync(open)) this.#log = await StoredLog.resume(open, source.flavour)
    const stored = this.#log?.describe() ?? last
    const created = await this.#createdAt(source, stored)
    if (!created.ok) return created
    // Another log of the same name: the server was emptied or recreated.
    const isCopy = this.#settings().closedOnly && last.closed
    const isSame = created.value === stored.firstAt && !(isCopy && listed.size !== last.size)
    const isOther = previous.value !== last.previous || !isSame
    // The server lost the end of it: what it wrote then is in the next one.
    if (isOther || listed.size < stored.size) {
      this.#log?.close()
      this.#log = undefined
      if (isOther) this.#line('WARN', `${source.target.host}:${source.target.port} has begun another binary log`)
      return ok(isOther ? { type: 'other' } : notStored)
    }
    const name = last.closed ? files[at + 1]?.name : last.name
    if (name === undefined) return ok(notStored)
    if (last.closed && existsSync(path.join(folder, name)))
      this.#log = await StoredLog.resume(path.join(folder, name), source.flavour)
    if (this.#log) this.#putFile(this.#log.describe())
    return ok({ type: 'here', position: { file: name, offset: this.#log?.offset ?? magic.length } })
  }

  /** Of the file that has this name on the server, milliseconds since the epoch; of one that is copied when it is closed the size must do. */
  async #createdAt({ target }: LogSource, { name, firstAt }: StoredFile): Promise<Result<number>> {
    const { closedOnly, serverId } = this.#settings()
    if (closedOnly || firstAt === 0) return ok(firstAt)
    const created = await readCreated(target, { file: name, serverId })
    return created.ok ? ok(created.value * SECOND) : created
  }

  async #beginTerm(
    source: LogSource,
    session: SqlSession,
    { transactions, isOther }: { readonly transactions: string; readonly isOther: boolean },
  ): Promise<Result<ServerPosition>> {
    await this.#endTerm()
    const files = await listServerFiles(session)
    if (!files.ok) return files
    const former = this.#terms.at(-1)
    const stored = former && former.flavour === source.flavour ? transactionsOf(former) : undefined
    const first = await findFirstFile({
      files: files.value,
      ...{ stored, isOther },
      keep: this.#settings().keep,
      before: async ({ name }) => {
        const previous = await readPrevious(session, name)
        if (!previous.ok) throw new Error(previous.failure.message)
        return setOf(source.flavour, previous.value)
      },
    })
    if (!first)
      return fail('wrong-state', `${source.target.host}:${source.target.port} has no binary log: log_bin is off`)
    const tail = stored ? subtract(stored, setOf(source.flavour, transactions)) : {}
    // What a successor did not get is the end of a history; a new server with the same number gives the first GTIDs again.
    const isNew = stored !== undefined && 2 * countTransactions(tail) > countTransactions(stored)
    const { host, port } = source.target
    const beganAt = Math.max(now(), (former?.beganAt ?? 0) + SECOND)
    const term: Term = {
      ...{ id: `${Math.floor(beganAt / SECOND)}-${host}_${port}`, server: source.id, host, port, beganAt },
      ...{ flavour: source.flavour, version: source.version, files: [] },
      ...(first.gap === undefined ? {} : { gap: first.gap }),
      ...(isEmpty(tail) ? {} : { tail: formatSet(tail) }),
      ...(first.gap === undefined && isNew ? { apart: true as const } : {}),
    }
    mkdirSync(termDirectory(this.#settings().directory, term), { recursive: true, mode: modeOf('stateFolder') })
    this.#terms.push(term)
    await this.#saveLast()
    if (term.gap) this.#line('ERROR', `binary logs of ${host}:${port} begin with a gap: ${term.gap} is stored nowhere`)
    if (term.tail)
      this.#line(
        'WARN',
        `${host}:${port} does not have ${term.tail}, which are stored from ${former?.host}:${former?.port}`,
      )
    return ok({ file: first.name, offset: magic.length })
  }

  async #endTerm(): Promise<void> {
    const term = this.#terms.at(-1)
    const log = this.#log
    this.#log = undefined
    if (log) await this.#endFile(log)
    await this.#filing
    const last = this.#terms.at(-1)
    if (term && last && last.endedAt === undefined) {
      this.#terms[this.#terms.length - 1] = { ...last, endedAt: now() }
      await this.#saveLast()
    }
  }

  #take(event: Buffer): void {
    const header = parseHeader(event)
    if (this.#broken !== undefined) return
    try {
      if (isHeartbeat(header)) return
      const next = isArtificial(header) ? rotatesTo(header, event, this.#checksum) : undefined
      if (next !== undefined) this.#open(next)
      if (isArtificial(header)) return
      const wrong = this.#log ? this.#log.append(event) : 'an event arrived before the name of its file'
      if (wrong !== undefined) throw new Error(wrong)
      if (!this.#writeSoon) {
        this.#writeSoon = true
        setImmediate(() => this.#flush())
      }
    } catch (error) {
      this.#break(error instanceof Error ? error.message : String(error))
    }
  }

  /** What arrives from now on cannot be stored. */
  #break(reason: string): void {
    this.#broken = reason
    this.#line('ERROR', reason)
    this.#dump?.close()
  }

  /** The events that follow belong to this file. */
  #open(name: string): void {
    const term = this.#terms.at(-1)
    if (!term || this.#log?.name === name) return
    if (this.#log) void this.#endFile(this.#log)
    const folder = termDirectory(this.#settings().directory, term)
    this.#log = StoredLog.create(path.join(folder, name), term.flavour)
    this.#putFile(this.#log.describe())
    // The list of what precedes it follows; the index is written once it is known.
    setTimeout(() => {
      if (this.#log?.name !== name) return
      this.#putFile(this.#log.describe())
      void this.#file(() => this.#saveLast())
    }, SECOND).unref()
  }

  /** Everything received is in the file; it is described, packed and reported. */
  #endFile(log: StoredLog): Promise<unknown> {
    const term = this.#terms.at(-1)
    log.close()
    if (!term) return Promise.resolve()
    const described = log.describe()
    this.#putFile(described, term.id)
    return this.#file(async () => {
      await this.#verify(term, described)
      // Reading the last bytes back from the packed file would take as long as unpacking it.
      await this.#copies.reach(term.id, described)
      await this.#pack(term, described)
      if (log.closed) {
        const files = this.#terms.find(({ id }) => id === term.id)?.files ?? []
        const previous = files[files.findIndex(({ name }) => name === log.name) - 1]?.name ?? ''
        const oldest = this.#terms.find((each) => each.files.length > 0)?.files[0]?.name ?? log.name
        this.#report({ type: 'rotated', server: term.server, file: log.name, previous, oldest })
      }
      await this.#purge()
    })
  }

  async #verify(term: Term, file: StoredFile): Promise<void> {
    const { directory, verifyBy } = this.#settings()
    if (verifyBy === undefined || !file.closed) return
    const wrong = await verifyFile(pathOf(directory, term, file), {
      ...{ flavour: term.flavour, program: verifyBy, transactions: file.transactions, signal: this.#ended.signal },
    })
    if (wrong !== undefined && !this.#closed)
      this.#line('ERROR', `stored binary log ${file.name} is not as it was read: ${wrong}`)
  }

  async #pack(term: Term, file: StoredFile): Promise<void> {
    const { directory, compress } = this.#settings()
    this.#putFile(await pack(termDirectory(directory, term), file, compress), term.id)
    await this.#saveTerm(term.id)
  }

  /** Files that an earlier process closed and did not pack. */
  #packLeft(): void {
    for (const term of this.#terms)
      for (const file of term.files)
        if (file.closed && file.checksum === '') void this.#file(() => this.#pack(term, file))
  }

  #file(work: () => Promise<unknown>): Promise<unknown> {
    this.#filing = this.#filing.then(work).catch((error: unknown) => {
      this.#line('ERROR', `binary logs: ${error instanceof Error ? error.message : String(error)}`)
    })
    return this.#filing
  }

  #putFile(file: StoredFile, id = this.#terms.at(-1)?.id): void {
    this.#terms = this.#terms.map((term) => (term.id === id ? { ...term, files: withFile(term.files, file) } : term))
  }

  #saveLast(): Promise<void> {
    const term = this.#terms.at(-1)
    return term ? this.#saveTerm(term.id) : Promise.resolve()
  }

  async #saveTerm(id: string): Promise<void> {
    if (this.#log && id === this.#terms.at(-1)?.id) this.#putFile(this.#log.describe())
    const term = this.#terms.find((each) => each.id === id)
    // What is not identified yet would not be recognised again: the file after the last one is continued in any case.
    const unknown = id === this.#terms.at(-1)?.id && this.#log?.isIdentified === false ? this.#log.name : undefined
    const known = term && { ...term, files: term.files.filter(({ name }) => name !== unknown) }
    const written = known && (await writeTerm(this.#settings().directory, known))
    if (written?.ok === false) this.#line('ERROR', written.failure.message)
  }

  /** Removes the oldest files beyond the number that is kept, except those that a backup needs. */
  async #purge(): Promise<void> {
    const { keep, neededFrom = Number.POSITIVE_INFINITY, directory } = this.#settings()
    const closed = this.#terms.flatMap((term) =>
      term.files.filter((file) => file.name !== this.#log?.name).map((file) => ({ term, file })),
    )
    const surplus = closed.slice(0, Math.max(0, closed.length - keep)).filter(({ file }) => file.lastAt < neededFrom)
    for (const { term, file } of surplus) {
      await rm(pathOf(directory, term, file), { force: true })
      this.#terms = this.#terms.map((each) =>
        each.id === term.id ? { ...each, files: each.files.filter(({ name }) => name !== file.name) } : each,
      )
      await this.#saveTerm(term.id)
      this.#line(
        'INFO',
        `stored binary log ${file.name} of ${term.host}:${term.port} is removed: ${keep} files are kept`,
      )
    }
    const empty = this.#terms.filter((term, index) => term.files.length === 0 && index < this.#terms.length - 1)
    for (const term of empty) await rm(termDirectory(directory, term), { recursive: true, force: true })
    this.#terms = this.#terms.filter((term) => !empty.includes(term))
  }

  #flush(): void {
    this.#writeSoon = false
    try {
      this.#log?.write()
    } catch (error) {
      this.#break(`binary logs cannot be written: ${error instanceof Error ? error.message : String(error)}`)
      return
    }
    this.#judgeSamples()
    this.#tellState()
  }

  /** What was the end of the primary's log is stored: nothing of before is missing. */
  async #sample(session: SqlSession, source: LogSource, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const at = now()
      const read = await Promise.race([readPosition(session, source.flavour), sleep(SAMPLE_LIMIT_MS, signal)])
      if (signal.aborted || !session.open) return
      if (read?.ok && read.value) this.#samples = [...this.#samples.slice(-20), { ...read.value, at }]
      this.#judgeSamples()
      this.#tellState()
      await sleep(SAMPLE_MS, signal)
    }
  }

  #judgeSamples(): void {
    const log = this.#log
    if (!log) return
    const reached = this.#samples.filter(({ file, offset }) =>
      file === log.name ? offset <= log.offset : logNumber(file) < logNumber(log.name),
    )
    if (reached.length === 0) return
    this.#completeAt = Math.max(this.#completeAt ?? 0, ...reached.map(({ at }) => at))
    this.#samples = this.#samples.filter((sample) => !reached.includes(sample))
  }

  #tellState(): void {
    this.#stateSoon ??= setTimeout(() => {
      this.#stateSoon = undefined
      this.#report({ type: 'state', state: this.#state() })
    }, REPORT_MS)
  }

  #state(): LogStorage {
    const term = this.#terms.at(-1)
    const log = this.#log
    const files = this.#terms.flatMap((each) => each.files)
    return {
      connected: this.#connected,
      ...(this.#problem === undefined ? {} : { problem: this.#problem, problemSince: this.#problemSince ?? now() }),
      ...(term ? { term: term.id, server: term.server, termBeganAt: term.beganAt } : {}),
      ...(log ? { file: log.name, offset: log.offset, gtid: log.lastGtid } : {}),
      ...(this.#writing === undefined ? {} : { file: this.#writing, offset: 0 }),
      ...(this.#completeAt === undefined ? {} : { completeAt: this.#completeAt }),
      ...(term?.gap === undefined ? {} : { gap: term.gap }),
      ...(term?.tail === undefined ? {} : { tail: term.tail }),
      files: files.length,
      storedBytes: files.reduce((sum, file) => sum + (file.name === log?.name ? log.offset : file.storedSize), 0),
      ...this.#copies.state,
    }
  }

  #line(level: 'INFO' | 'WARN' | 'ERROR', text: string): void {
    this.#report({ type: 'line', level, text })
  }
}

/** In the order of the server, whichever of two is described later. */
const withFile = (files: readonly StoredFile[], file: StoredFile): readonly StoredFile[] =>
  files.some(({ name }) => name === file.name)
    ? files.map((each) => (each.name === file.name ? file : each))
    : [...files, file]
