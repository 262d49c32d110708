// One file of a binary log while it is stored: whole events are appended at the offset that they have on the server.
import { createHash } from 'node:crypto'
import {
  closeSync,
  createReadStream,
  createWriteStream,
  existsSync,
  fdatasync,
  ftruncateSync,
  openSync,
  statSync,
  writeSync,
} from 'node:fs'
import { open, rm } from 'node:fs/promises'
import path from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { constants, createGzip } from 'node:zlib'
import { modeOf } from '../../base/files/modes.js'
import { type GtidSet, noTransactions, union } from '../../model/server/gtid.js'
import type { Flavour } from '../../model/server/version.js'
import { LogScanner, magic, parseHeader } from '../binlog/headers.js'
import { scanFile } from '../binlog/scan-file.js'
import { oneOf, type StoredFile } from '../binlog/term.js'

const SECOND_MS = 1_000
/** Offsets in event headers have 32 bits. */
const WRAP = 2 ** 32

export class StoredLog {
  readonly name: string
  readonly #path: string
  readonly #flavour: Flavour
  readonly #descriptor: number
  readonly #scanner: LogScanner
  #transactions: GtidSet
  /** Received and not written yet. */
  #unwritten: Buffer[] = []
  /** End of what is written, bytes. */
  #end: number
  #syncing = false
  #unsynced = false
  lastGtid = ''

  private constructor(parts: {
    file: string
    flavour: Flavour
    descriptor: number
    scanner: LogScanner
    transactions: GtidSet
  }) {
    this.#path = parts.file
    this.name = path.basename(parts.file)
    this.#flavour = parts.flavour
    this.#descriptor = parts.descriptor
    this.#scanner = parts.scanner
    this.#transactions = parts.transactions
    this.#end = parts.scanner.offset
  }

  static create(file: string, flavour: Flavour): StoredLog {
    const descriptor = openSync(file, 'wx', modeOf('rows'))
    writeSync(descriptor, magic)
    return new StoredLog({ file, flavour, descriptor, scanner: new LogScanner(flavour), transactions: noTransactions })
  }

  /** Continues a file after its last complete transaction: what follows that is received again. */
  static async resume(file: string, flavour: Flavour): Promise<StoredLog> {
    let found = await scanWhole(file, flavour)
    const descriptor = openSync(file, 'r+')
    if (statSync(file).size < magic.length) writeSync(descriptor, magic, 0, magic.length, 0)
    ftruncateSync(descriptor, found.scanner.settled)
    if (found.scanner.offset > found.scanner.settled) found = await scanWhole(file, flavour)
    const log = new StoredLog({ file, flavour, descriptor, ...found })
    log.lastGtid = found.last
    return log
  }

  /** Where the next event belongs, bytes. */
  get offset(): number {
    return this.#scanner.offset
  }

  /** End of what can be read from the file, bytes. */
  get written(): number {
    return this.#end
  }

  get closed(): boolean {
    return this.#scanner.closed
  }

  get next(): string | undefined {
    return this.#scanner.next
  }

  /** The list of what precedes it has arrived. */
  get isIdentified(): boolean {
    return this.#scanner.previous !== undefined
  }

  get previous(): string {
    return this.#scanner.previous ?? ''
  }

  get transactions(): GtidSet {
    return this.#transactions
  }

  get lastAt(): number {
    return this.#scanner.lastTime * SECOND_MS
  }

  /** Takes the next event of the server's file; answers why it does not follow what is stored. */
  append(event: Buffer): string | undefined {
    const { end, size } = parseHeader(event)
    const ahead = (end - size - (this.offset % WRAP) + WRAP) % WRAP
    // Sent again after a reconnection.
    if (ahead > WRAP / 2) return undefined
    if (ahead > 0) return `${this.name}: ${ahead} bytes are missing at offset ${this.offset}`
    this.#unwritten.push(Buffer.from(event))
    const ended = this.#scanner.take(event)
    if (ended && ended.gtid !== '') {
      this.#transactions = union(this.#transactions, oneOf(this.#flavour, ended.gtid))
      this.lastGtid = ended.gtid
    }
    return undefined
  }

  /** Hands everything received to the operating system: it survives the end of this process. */
  write(): void {
    if (this.#unwritten.length === 0) return
    const bytes = this.#unwritten.length === 1 ? this.#unwritten[0] : Buffer.concat(this.#unwritten)
    this.#unwritten = []
    for (let at = 0; bytes && at < bytes.length; ) {
      const written = writeSync(this.#descriptor, bytes, at, bytes.length - at, this.#end)
      at += written
      this.#end += written
    }
    this.#unsynced = true
  }

  /** Hands it to the disk, beside everything else: it survives the loss of power. */
  sync(failed: (reason: string) => void): void {
    if (this.#syncing || !this.#unsynced) return
    this.#syncing = true
    this.#unsynced = false
    fdatasync(this.#descriptor, (error) => {
      this.#syncing = false
      if (error) failed(`${this.#path}: ${error.message}`)
    })
  }

  describe(): StoredFile {
    return {
      ...{ name: this.name, stored: this.name, size: this.offset, storedSize: this.offset, checksum: '' },
      ...{ closed: this.closed, previous: this.previous, transactions: this.#transactions },
      ...{ firstAt: this.#scanner.firstTime * SECOND_MS, lastAt: this.lastAt },
    }
  }

  close(): void {
    this.write()
    closeSync(this.#descriptor)
  }
}

async function scanWhole(file: string, flavour: Flavour) {
  let transactions = noTransactions
  let last = ''
  const scanner = await scanFile(file, flavour, ({ gtid }) => {
    if (gtid !== '') transactions = union(transactions, oneOf(flavour, gtid))
    last = gtid
    return true
  })
  return { scanner, transactions, last }
}

/** Replaces a closed file by its compressed form; answers its entry with checksum. */
export async function pack(folder: string, file: StoredFile, compress: boolean): Promise<StoredFile> {
  const from = path.join(folder, file.name)
  const hash = createHash('sha256')
  const hashing = new Transform({
    transform: (chunk: Buffer, _, next) => {
      hash.update(chunk)
      next(undefined, chunk)
    },
  })
  if (!compress) {
    for await (const chunk of createReadStream(from) as AsyncIterable<Buffer>) hash.update(chunk)
    return { ...file, storedSize: statSync(from).size, checksum: hash.digest('hex') }
  }
  const stored = `${file.name}.gz`
  const to = path.join(folder, stored)
  // An earlier process ended between the two.
  if (!existsSync(from)) {
    for await (const chunk of createReadStream(to) as AsyncIterable<Buffer>) hash.update(chunk)
    return { ...file, stored, storedSize: statSync(to).size, checksum: hash.digest('hex') }
  }
  const gzip = createGzip({ level: constants.Z_BEST_SPEED })
  await pipeline(createReadStream(from), gzip, hashing, createWriteStream(to, { mode: modeOf('rows') }))
  await syncFile(to)
  await rm(from)
  return { ...file, stored, storedSize: statSync(to).size, checksum: hash.digest('hex') }
}

async function syncFile(file: string): Promise<void> {
  const handle = await open(file, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
