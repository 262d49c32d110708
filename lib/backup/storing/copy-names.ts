// Names of what a place elsewhere holds of the stored binary logs: whole files, parts of the file that is still written, indexes.
import type { Compression } from '../../model/backup.js'
import { storedName } from '../catalogue/index.js'

/** How the bytes of a copy are stored. */
export interface Coding {
  readonly compression: Compression
  readonly encrypted: boolean
}

/** Bytes from `from` up to `to` of a server's file. */
export interface LogPart {
  readonly path: string
  readonly from: number
  readonly to: number
  /** How often it was merged from smaller ones. */
  readonly level: number
}

export type CopiedObject =
  | { readonly type: 'index'; readonly term: string; readonly path: string; readonly at: number }
  | { readonly type: 'whole'; readonly term: string; readonly path: string; readonly file: string }
  | {
      readonly type: 'part'
      readonly term: string
      readonly path: string
      readonly file: string
      readonly part: LogPart
    }

const DIGITS = 14

/** Everything of a cluster's logs is below it. */
export const logsPrefix = (cluster: string): string => `${cluster}/binlogs`

const offset = (bytes: number): string => String(bytes).padStart(DIGITS, '0')

/** Several may be there for a moment: the newest counts. */
export const indexPath = (cluster: string, term: string, at: number): string =>
  `${logsPrefix(cluster)}/${term}/index-${offset(at)}.json`

export const wholePath = (
  cluster: string,
  { term, file }: { readonly term: string; readonly file: string },
  { compression, encrypted }: Coding,
): string => `${logsPrefix(cluster)}/${term}/${storedName(file, compression, encrypted)}`

export function partPath(
  cluster: string,
  { term, file, from, to, level }: Omit<LogPart, 'path'> & { readonly term: string; readonly file: string },
  { compression, encrypted }: Coding,
): string {
  const name = `${level}-${offset(from)}-${offset(to)}`
  return `${logsPrefix(cluster)}/${term}/${file}.parts/${storedName(name, compression, encrypted)}`
}

/** How the bytes under a path are stored, from its ending. */
export const codingOf = (path: string): Coding => {
  const encrypted = path.endsWith('.age')
  const inner = encrypted ? path.slice(0, -'.age'.length) : path
  const compression: Compression = inner.endsWith('.zst') ? 'zstd' : inner.endsWith('.gz') ? 'gzip' : 'none'
  return { compression, encrypted }
}

const ENDING = /(\.zst|\.gz)?(\.age)?$/
const PART = /^(\d+)-(\d+)-(\d+)$/

/** Undefined where a path is nothing of stored logs. */
export function parseCopied(cluster: string, path: string): CopiedObject | undefined {
  const prefix = `${logsPrefix(cluster)}/`
  if (!path.startsWith(prefix)) return undefined
  const [term = '', name = '', piece, ...more] = path.slice(prefix.length).split('/')
  if (term === '' || name === '' || more.length > 0) return undefined
  const index = /^index-(\d+)\.json$/.exec(name)
  if (piece === undefined && index) return { type: 'index', term, path, at: Number(index[1]) }
  if (piece === undefined) return { type: 'whole', term, path, file: name.replace(ENDING, '') }
  const numbers = PART.exec(piece.replace(ENDING, ''))
  if (!numbers || !name.endsWith('.parts')) return undefined
  const [level = 0, from = 0, to = 0] = numbers.slice(1).map(Number)
  return { type: 'part', term, path, file: name.slice(0, -'.parts'.length), part: { path, from, to, level } }
}

/** The parts that, one after the other, hold a file from its beginning, and where they end: nothing after a hole. */
export function joinParts(parts: readonly LogPart[]): { readonly parts: readonly LogPart[]; readonly end: number } {
  const row: LogPart[] = []
  let end = 0
  for (;;) {
    const next = parts
      .filter(({ from, to }) => from <= end && to > end)
      .reduce<LogPart | undefined>((best, each) => (!best || each.to > best.to ? each : best), undefined)
    if (!next) return { parts: row, end }
    row.push(next)
    end = next.to
  }
}

/** Parts of one level that are merged into one of the next, once there are so many of them. */
export const MERGED = 32

/** Neighbours of the lowest level that has enough of them; undefined: nothing is to be merged. */
export function planMerge(parts: readonly LogPart[]): readonly LogPart[] | undefined {
  const levels = [...new Set(parts.map(({ level }) => level))].sort((a, b) => a - b)
  for (const level of levels) {
    const same = parts.filter((each) => each.level === level).toSorted((a, b) => a.from - b.from)
    const run: LogPart[] = []
    for (const part of same) {
      if (run.length > 0 && run.at(-1)?.to !== part.from) run.length = 0
      run.push(part)
      if (run.length === MERGED) return run
    }
  }
  return undefined
}
