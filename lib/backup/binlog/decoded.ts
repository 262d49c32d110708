// Events of a binary log from the output of its own tool (`--base64-output=decode-rows -vv`), line by line, in bounded memory.
import type { Flavour } from '../../model/server/version.js'
import type { ChangedRow, ColumnValue, LogEvent, RowChangeKind } from './event.js'
import { parseColumn } from './values.js'

/** What the tool is called with, so that its output is what the decoder reads; its times are those of `TZ=UTC`. */
export const decodeOptions = ['--base64-output=decode-rows', '-vv'] as const

export interface DecoderParts {
  readonly flavour: Flavour
  /** Names of the files that are decoded, in order: the output does not name them. */
  readonly files: readonly string[]
}

interface Header {
  readonly at: number
  readonly serverId: number
  readonly offset: number
  readonly end: number
  readonly thread?: number
}

interface Row {
  before?: ColumnValue[]
  after?: ColumnValue[]
}

interface OpenRows {
  readonly type: 'rows'
  readonly header: Header
  readonly rows: Row[]
  kind?: RowChangeKind
  schema?: string
  table?: string
}

interface OpenStatement {
  readonly type: 'statement'
  readonly header: Header
  readonly lines: string[]
  /** Its settings are over, its text has begun. */
  begun: boolean
}

/** The event whose lines are being read. */
type Open =
  | { readonly type: 'none' }
  | { readonly type: 'transaction' }
  | { readonly type: 'query'; readonly lines: string[] }
  | { readonly type: 'gtids'; readonly header: Header; readonly lines: string[] }
  | OpenStatement
  | OpenRows

const kinds: Readonly<Record<string, RowChangeKind>> = {
  'INSERT INTO': 'insert',
  UPDATE: 'update',
  'DELETE FROM': 'delete',
}

const none: Open = { type: 'none' }
const header = /^#(\d{6}) +(\d+):(\d\d):(\d\d) server id (\d+) +end_log_pos (\d+)(?: CRC32 0x[0-9a-f]+)? *\t(.*)$/
const tableLine = /^(INSERT INTO|UPDATE|DELETE FROM) `((?:[^`]|``)*)`\.`((?:[^`]|``)*)`$/
const rowsTitle = /^(?:Write|Update|Delete)_(?:compressed_)?rows(?:_v1)?(?:_compressed)?:|^Update_rows_partial:/i

/** Reads the output of one run of the tool. Lines are given with each character one byte (`latin1`). */
export class Decoder {
  readonly #flavour: Flavour
  readonly #files: readonly string[]
  #file = -1
  #starts: number[] = []
  #open: Open = none
  #events: LogEvent[] = []
  #schema: string | undefined
  // Of the transaction that is being read.
  #gtid: string | undefined
  #thread: number | undefined
  #committedAt: number | undefined
  #query: string | undefined

  constructor({ flavour, files }: DecoderParts) {
    this.#flavour = flavour
    this.#files = files
  }

  /** Takes the next line and answers the events that it completes. */
  take(line: string): readonly LogEvent[] {
    this.#events = []
    const open = this.#open
    // Inside a statement only its end counts: its text may contain anything.
    if (open.type === 'statement' && (open.begun || !line.startsWith('#'))) this.#takeStatement(line, open)
    else if (!this.#takeFrame(line)) this.#takeDetail(line, open)
    return this.#events
  }

  /** Answers what the end of the output completes. */
  end(): readonly LogEvent[] {
    this.#events = []
    this.#close()
    return this.#events
  }

  /** Lines that begin an event: its offset and its header. */
  #takeFrame(line: string): boolean {
    if (!line.startsWith('#')) return false
    const at = /^# at (\d+)$/.exec(line)
    if (at) {
      this.#close()
      this.#starts.push(Number(at[1]))
      return true
    }
    const found = header.exec(line)
    if (!found) return false
    this.#close()
    const from = headerOf(found, this.#starts)
    this.#starts = this.#starts.filter((start) => start >= from.offset)
    this.#begin(from, found[7] ?? '')
    return true
  }

  #begin(from: Header, title: string): void {
    if (title.startsWith('Start: binlog')) {
      this.#file = Math.min(this.#file + 1, this.#files.length - 1)
      this.#starts = []
      this.#beginTransaction(undefined)
    } else if (/^(?:Anonymous_)?GTID[ \t]/.test(title)) this.#beginGtid(from, title)
    else if (/^Gtid list \[/.test(title))
      this.#open = { type: 'gtids', header: from, lines: [title.slice('Gtid list ['.length)] }
    else if (title.startsWith('Previous-GTIDs')) this.#open = { type: 'gtids', header: from, lines: [] }
    else if (/^Annotate_rows:|^Rows_query/.test(title)) this.#open = { type: 'query', lines: [] }
    else if (rowsTitle.test(title)) this.#open = { type: 'rows', header: from, rows: [] }
    else if (/^(?:Query|XA_prepare)/.test(title)) {
      this.#thread = from.thread ?? this.#thread
      this.#open = { type: 'statement', header: from, lines: [], begun: false }
    } else if (/^Xid = /.test(title)) this.#emit(from, { kind: 'commit', rows: [] })
    else if (title.startsWith('Rotate to ')) {
      this.#gtid = undefined
      this.#emit(from, { kind: 'rotate', rows: [], text: title.split(/\s+/)[2] ?? '' })
    }
  }

  #beginGtid(from: Header, title: string): void {
    const [, mariadb, flags = ''] = /^GTID (\d+-\d+-\d+)(.*)$/.exec(title) ?? []
    this.#beginTransaction(mariadb)
    if (mariadb === undefined) this.#committedAt = commitTime(title)
    else if (!/\bddl\b/.test(flags)) this.#emit(from, { kind: 'begin', rows: [] })
  }

  /** What was known of the former one is over. */
  #beginTransaction(gtid: string | undefined): void {
    this.#gtid = gtid
    this.#thread = undefined
    this.#query = undefined
    this.#committedAt = undefined
    this.#open = { type: 'transaction' }
  }

  #takeDetail(line: string, open: Open): void {
    if (open.type === 'rows' && line.startsWith('### ')) this.#takeRow(line.slice(4), open)
    else if (open.type === 'query' && line.startsWith('#')) open.lines.push(line.replace(/^#(?:Q>)? ?/, ''))
    else if (open.type === 'gtids' && line.startsWith('# ')) open.lines.push(line.slice(2))
    else if (open.type === 'transaction') {
      const next = /^SET @@SESSION\.GTID_NEXT= ?'([^']*:[^']*)'/.exec(line)
      if (next) this.#gtid = next[1]?.toLowerCase()
    }
  }

  #takeRow(text: string, open: OpenRows): void {
    const table = tableLine.exec(text)
    if (table) {
      const kind = kinds[table[1] ?? '']
      if (kind) open.kind = kind
      open.schema = nameOf(table[2])
      open.table = nameOf(table[3])
      open.rows.push({})
      return
    }
    const row = open.rows.at(-1)
    if (text === 'WHERE' && row) row.before = []
    else if (text === 'SET' && row) row.after = []
    else {
      const column = parseColumn(text.trimStart(), this.#flavour)
      if (column) (row?.after ?? row?.before)?.push(column)
    }
  }

  #takeStatement(line: string, open: OpenStatement): void {
    if (line === '/*!*/;') {
      this.#close()
      return
    }
    if (open.begun || !line.endsWith('/*!*/;')) {
      open.begun = true
      open.lines.push(line)
      return
    }
    const used = /^use `((?:[^`]|``)*)`\/\*!\*\/;$/.exec(line)
    if (used) this.#schema = nameOf(used[1])
    const whole = /^(BEGIN|COMMIT|ROLLBACK)\/\*!\*\/;$/.exec(line)
    if (whole) open.lines.push(whole[1] ?? '')
  }

  /** The event that was being read is complete. */
  #close(): void {
    const open = this.#open
    if (open.type === 'transaction') return
    this.#open = none
    if (open.type === 'query') this.#query = textOf(open.lines.join('\n'))
    else if (open.type === 'gtids')
      this.#emit(open.header, { kind: 'start', rows: [], text: open.lines.join('').replace(/[\s\]]/g, '') })
    else if (open.type === 'statement') this.#closeStatement(open.header, textOf(open.lines.join('\n')))
    else if (open.type === 'rows') this.#closeRows(open)
  }

  #closeRows({ header: from, kind, schema = '', table = '', rows }: OpenRows): void {
    if (!kind) return
    const query = this.#query === undefined ? {} : { text: this.#query }
    this.#emit(from, { kind, schema, table, rows: rows as readonly ChangedRow[], ...query })
  }

  #closeStatement(from: Header, text: string): void {
    if (/^(?:BEGIN|START TRANSACTION)$/i.test(text)) this.#emit(from, { kind: 'begin', rows: [] })
    else if (/^COMMIT$/i.test(text)) this.#emit(from, { kind: 'commit', rows: [] })
    else if (/^ROLLBACK$/i.test(text)) this.#emit(from, { kind: 'rollback', rows: [] })
    else if (text !== '') {
      const schema = this.#schema === undefined ? {} : { schema: this.#schema }
      this.#emit(from, { kind: 'statement', rows: [], text, ...schema })
    }
  }

  #emit(from: Header, event: Pick<LogEvent, 'kind' | 'schema' | 'table' | 'rows' | 'text'>): void {
    const { at, offset, end, serverId } = from
    const thread = from.thread ?? this.#thread
    this.#events.push({
      ...event,
      ...(this.#gtid === undefined ? {} : { gtid: this.#gtid }),
      ...{ at: this.#committedAt ?? at, file: this.#files[this.#file] ?? '', offset, end, serverId },
      ...(thread === undefined ? {} : { thread }),
    })
  }
}

const nameOf = (quoted = ''): string => textOf(quoted.replaceAll('``', '`'))

/** Bytes as UTF-8, or as they are where they are none. */
function textOf(bytes: string): string {
  try {
    return new TextDecoder('utf8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(bytes, 'latin1'))
  } catch {
    return bytes
  }
}

function headerOf(match: RegExpExecArray, starts: readonly number[]): Header {
  const [, day = '', hours, minutes, seconds, serverId, end, title = ''] = match
  const thread = /\bthread_id=(\d+)/.exec(title)?.[1]
  const [year = 0, month = 1, date = 1] = [day.slice(0, 2), day.slice(2, 4), day.slice(4, 6)].map(Number)
  return {
    at: Date.UTC(2000 + year, month - 1, date, Number(hours), Number(minutes), Number(seconds)),
    serverId: Number(serverId),
    // Some events print the start of the one that follows them, too.
    offset: Math.max(0, ...starts.filter((start) => start < Number(end))),
    end: Number(end),
    ...(thread === undefined ? {} : { thread: Number(thread) }),
  }
}

/** MySQL's, of microseconds; absent where the log has none. */
function commitTime(title: string): number | undefined {
  const micros = /\bimmediate_commit_timestamp=(\d+)/.exec(title)?.[1]
  return micros === undefined || micros === '0' ? undefined : Math.floor(Number(micros) / 1_000)
}
