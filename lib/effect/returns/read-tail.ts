// What the saved binary logs of an old primary hold: transactions, tables, and whether they can be undone.

import { stat } from 'node:fs/promises'
import { anyOrder } from '../../backup/binlog/any-order.js'
import { ok, type Result } from '../../base/result.js'
import { SECOND } from '../../base/time.js'
import type { TailFacts } from '../../model/operation/way-back.js'
import { findTool, linesOf, savedLogs, startTool } from './kit/tools.js'
import type { ReadTail, Reports, ReturnAnswer } from './kit/work.js'

export async function readTail(
  { directory, position, binlogTool }: Omit<ReadTail, 'type'>,
  { signal }: Pick<Reports, 'signal'>,
): Promise<Result<ReturnAnswer>> {
  const logs = await savedLogs(directory)
  if (logs.length === 0)
    return ok({ tail: { directory, gtids: {}, bytes: 0, tables: [], unfit: 'its binary log was listed, not copied' } })
  const tool = await findTool('binlog', 'mariadb', binlogTool)
  if (!tool.ok) return tool
  const args = [
    '--no-defaults',
    anyOrder,
    '--base64-output=decode-rows',
    '--verbose',
    `--start-position=${position}`,
    ...logs,
  ]
  const decoding = startTool(tool.value, args, signal)
  const reader = new TailReader()
  for await (const line of linesOf(decoding.output)) reader.take(line)
  const ended = await decoding.ended
  if (!ended.ok) return ended
  const sizes = await Promise.all(logs.map(async (log) => (await stat(log)).size))
  const bytes = Math.max(0, sizes.reduce((sum, size) => sum + size, 0) - position)
  return ok({ tail: { directory, bytes, ...reader.facts() } })
}

/** Reads the tool's text line by line. */
export class TailReader {
  readonly #gtids = new Map<string, [number, number][]>()
  /** The last transaction of each stream before the present log, by its list; undefined before the first list. */
  #before: Map<string, number> | undefined
  #isInList = false
  readonly #tables = new Set<string>()
  #unfit: string | undefined
  #since: number | undefined

  take(line: string): void {
    const [, domain, origin, sequence, flags = ''] = /^#.*\tGTID (\d+)-(\d+)-(\d+)(.*)$/.exec(line) ?? []
    if (sequence !== undefined) this.#begin({ stream: `${domain}-${origin}`, sequence: Number(sequence), flags })
    this.#takeList(line)
    const [, uuid, number] = /SET @@SESSION\.GTID_NEXT= '([0-9a-fA-F-]{36}):(\d+)'/.exec(line) ?? []
    if (uuid !== undefined) this.#add(uuid.toLowerCase(), Number(number))
    if (this.#since === undefined && /\tGTID[ \t]/.test(line)) this.#since = secondOf(line)
    const [, schema, table] = /^#.*Table_map: `(.+?)`\.`(.+?)` mapped to number/.exec(line) ?? []
    if (schema !== undefined) this.#tables.add(`${schema}.${table}`)
    if (!isPlain(line)) this.#refuse(`it executed a statement that row events do not undo: ${line.slice(0, 80)}`)
  }

  facts(): Pick<TailFacts, 'gtids' | 'tables' | 'unfit' | 'since'> {
    return {
      gtids: Object.fromEntries(this.#gtids),
      tables: [...this.#tables],
      ...(this.#unfit === undefined ? {} : { unfit: this.#unfit }),
      ...(this.#since === undefined ? {} : { since: this.#since }),
    }
  }

  #begin({ stream, sequence, flags }: { readonly stream: string; readonly sequence: number; readonly flags: string }) {
    this.#addNext(stream, sequence)
    if (/\bddl\b/.test(flags)) this.#refuse(`${stream}-${sequence} changed a definition`)
    else if (!/\btrans\b/.test(flags)) this.#refuse(`${stream}-${sequence} is no transaction that can be rolled back`)
  }

  /** `Gtid list [0-1-50,` and `# 0-2-30]`: MariaDB writes one at the beginning of each log, one transaction a line. */
  #takeList(line: string): void {
    const begins = /^#\d{6} .*\tGtid list \[/.test(line)
    if (begins) this.#before = new Map()
    if (!begins && !this.#isInList) return
    for (const [, stream = '', sequence] of line.slice(line.indexOf('[') + 1).matchAll(/(\d+-\d+)-(\d+)(?=[,\]])/g))
      this.#before?.set(stream, Number(sequence))
    this.#isInList = !line.includes(']')
  }

  /**
   * MariaDB counts per domain: between two transactions of a stream, and before its first since the list, there is none of it. Where a
   * list names a later one than was read, the log between is missing: what it held is not saved.
   */
  #addNext(stream: string, sequence: number): void {
    const known = this.#gtids.get(stream) ?? []
    const last = known.at(-1)
    const before = this.#before?.get(stream)
    if (last && (before ?? 0) <= last[1]) last[1] = Math.max(last[1], sequence)
    else known.push([this.#before ? (before ?? 0) + 1 : sequence, sequence])
    this.#gtids.set(stream, known)
  }

  #add(stream: string, sequence: number): void {
    const known = this.#gtids.get(stream) ?? []
    const last = known.at(-1)
    if (last && last[1] + 1 === sequence) last[1] = sequence
    else if (!last || last[1] < sequence) known.push([sequence, sequence])
    this.#gtids.set(stream, known)
  }

  #refuse(why: string): void {
    this.#unfit ??= why
  }
}

/** The second of an event, which the tool writes as `#260131 15:04:05 server id 1` in the time zone UTC. */
function secondOf(line: string): number | undefined {
  const parts = /^#(\d\d)(\d\d)(\d\d) +(\d+):(\d\d):(\d\d) server id /.exec(line)?.slice(1).map(Number)
  if (!parts) return undefined
  const [year = 0, month = 1, day, hour, minute, second] = parts
  return Date.UTC(2000 + year, month - 1, day, hour, minute, second) / SECOND
}

/** Comments, and the frame in which row events stand. */
const isPlain = (line: string): boolean =>
  line === '' ||
  /^(#|\/\*|SET |START TRANSACTION|BEGIN|COMMIT|ROLLBACK|DELIMITER|BINLOG '|'|use `)/i.test(line) ||
  /^\/\*!\*\/;?$/.test(line)
