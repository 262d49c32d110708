// What is stored of the binary logs of one primary while it was the primary: a term, its files, and what is known of them.
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { done, fail, ok, type Result } from '../../base/result.js'
import { type GtidSet, noTransactions, parseGtidSet, parseState, union } from '../../model/server/gtid.js'
import type { ServerId } from '../../model/server/server.js'
import type { Flavour } from '../../model/server/version.js'
import { atomicWrite } from '../../store/kit/atomic-write.js'
import { makeDirectory } from '../../store/kit/working-directory.js'

export interface StoredFile {
  /** As the server names it; the stored one may end in `.gz`. */
  readonly name: string
  readonly stored: string
  /** Bytes of the log, and bytes of the stored file. */
  readonly size: number
  readonly storedSize: number
  /** SHA-256 of the stored bytes, hexadecimal; empty while the server still writes the file. */
  readonly checksum: string
  /** No event will be added. */
  readonly closed: boolean
  /** Transactions that precede the file, as the server lists them. */
  readonly previous: string
  /** Complete transactions in it. */
  readonly transactions: GtidSet
  /** First and last event, milliseconds since the epoch; 0 without one. */
  readonly firstAt: number
  readonly lastAt: number
}

export interface Term {
  /** Names its directory: the second in which it began, and the address. */
  readonly id: string
  readonly server: ServerId
  readonly host: string
  readonly port: number
  readonly flavour: Flavour
  readonly version: string
  /** Milliseconds since the epoch. */
  readonly beganAt: number
  readonly endedAt?: number
  /** Transactions that the servers had and no stored file has: they can not be recovered from here. */
  readonly gap?: string
  /** Transactions of the former term that this primary does not have. */
  readonly tail?: string
  /** Its server had less than half of what was stored before, and all of its log is there: no backup from before is continued by it. */
  readonly apart?: true
  readonly files: readonly StoredFile[]
}

const indexName = 'term.json'

/** Where the binary logs of a cluster are stored. */
export const logsDirectory = (datadir: string, cluster: string): string =>
  path.join(datadir, 'backups', cluster, 'binlogs')

export const termDirectory = (directory: string, { id }: Pick<Term, 'id'>): string => path.join(directory, id)

export const pathOf = (directory: string, term: Pick<Term, 'id'>, file: Pick<StoredFile, 'stored'>): string =>
  path.join(directory, term.id, file.stored)

/** A list of GTIDs as the binary log has it, as a set: on MariaDB by domain and origin, so that divergence shows. */
export const setOf = (flavour: Flavour, text: string): GtidSet =>
  flavour === 'mariadb' ? parseState(text) : parseGtidSet(text)

/** One transaction as a set. */
export function oneOf(flavour: Flavour, gtid: string): GtidSet {
  if (flavour !== 'mariadb') return parseGtidSet(gtid)
  const [domain = '', origin = '', sequence = ''] = gtid.split('-')
  return { [`${domain}-${origin}`]: [[Number(sequence), Number(sequence)]] }
}

/** Everything that a term's files show the primary to have had: what preceded them, and what they contain. */
export function transactionsOf(term: Term): GtidSet {
  const [first] = term.files
  const before = first ? setOf(term.flavour, first.previous) : noTransactions
  return term.files.reduce((all, { transactions }) => union(all, transactions), before)
}

/** Oldest first; a directory without a readable index is left out. */
export async function readTerms(directory: string): Promise<Result<readonly Term[]>> {
  const names = await readdir(directory).catch((error: NodeJS.ErrnoException) => (error.code === 'ENOENT' ? [] : error))
  if (names instanceof Error) return fail('file-unreadable', `${directory}: ${names.message}`)
  const terms: Term[] = []
  for (const name of names) {
    const text = await readFile(path.join(directory, name, indexName), 'utf8').catch(() => undefined)
    const term = text === undefined ? undefined : parseTerm(text)
    if (term?.id === name) terms.push(term)
  }
  return ok(terms.sort((a, b) => a.beganAt - b.beganAt))
}

function parseTerm(text: string): Term | undefined {
  try {
    const term = JSON.parse(text) as Partial<Term>
    return typeof term.id === 'string' && Array.isArray(term.files) ? (term as Term) : undefined
  } catch {
    return undefined
  }
}

export async function writeTerm(directory: string, term: Term): Promise<Result<void>> {
  const folder = termDirectory(directory, term)
  const made = await makeDirectory(folder).then(
    () => done,
    (error: Error) => fail('file-unwritable', `${folder}: ${error.message}`),
  )
  return made.ok ? atomicWrite(path.join(folder, indexName), `${JSON.stringify(term, undefined, 1)}\n`) : made
}
