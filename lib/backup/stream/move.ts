// Moves the bytes of one transfer: opens its ends, joins them by their stages, and reports.
import { Writable } from 'node:stream'
import { ok, type Result } from '../../base/result.js'
import { now, SECOND } from '../../base/time.js'
import type { Encryption } from '../../model/backup.js'
import { openPlace } from '../place/places.js'
import type { EndHooks, OpenSink, OpenSource } from './end/end.js'
import { openDirectorySink, openDirectorySource, openProgramSink, openProgramSource } from './end/program.js'
import { openReceiveSource } from './end/receive.js'
import { openSendSink } from './end/send.js'
import { Joints } from './joint.js'
import { readKeys } from './keys.js'
import { failureOf, need, StreamFailure } from './kit/failed.js'
import {
  CHUNK_BYTES,
  type StoredSink,
  type StoredSource,
  type TransferProgress,
  type TransferReport,
  type TransferSink,
  type TransferSource,
  type TransferSpec,
} from './kit/spec.js'
import { createDecryption, createEncryption } from './stage/age.js'
import { openCompression, openDecompression, type Stage, streamStage } from './stage/compress.js'
import { Fingerprint } from './stage/fingerprint.js'
import { Meter } from './stage/meter.js'

export interface MoveHooks extends Omit<EndHooks, 'signal'> {
  readonly progress: (progress: TransferProgress) => void
}

/** A transfer in which nothing moves for so long is ended, milliseconds. */
const STALL_MS = 600 * SECOND

export class Move {
  readonly #spec: TransferSpec
  readonly #hooks: EndHooks
  readonly #progress: MoveHooks['progress']
  readonly #joints = new Joints()
  readonly #meter: Meter
  /** Of what is read from a place; of what is written to one, or of the raw bytes where no place is an end. */
  readonly #read: Fingerprint | undefined
  readonly #written: Fingerprint | undefined
  #encryption: Encryption | undefined

  constructor(spec: TransferSpec, { progress, ...hooks }: MoveHooks) {
    const { source, sink, limit } = spec
    this.#spec = spec
    this.#hooks = { ...hooks, signal: this.#joints.signal }
    this.#progress = progress
    this.#meter = new Meter(limit)
    if (source.type === 'stored') this.#read = new Fingerprint({ ...source, name: source.path })
    if (source.type !== 'stored' || sink.type === 'stored') this.#written = new Fingerprint()
  }

  limit(bytesPerSecond: number | undefined): void {
    this.#meter.limit(bytesPerSecond)
  }

  /** Ends it with this failure. */
  stop(reason: StreamFailure): void {
    this.#joints.stop(reason)
  }

  /** Once. Nothing of it runs any more when it settles. */
  async run(): Promise<Result<TransferReport>> {
    const startedAt = now()
    const watch = setInterval(this.#watcher(), SECOND)
    const deadline = setTimeout(() => {
      this.stop(new StreamFailure('deadline-passed', `the transfer was not done within ${this.#spec.deadlineMs} ms`))
    }, this.#spec.deadlineMs)
    try {
      this.#joints.add(this.#open())
      await this.#joints.settled()
      return ok(this.#report(now() - startedAt))
    } catch (error) {
      return failureOf(error)
    } finally {
      clearInterval(watch)
      clearTimeout(deadline)
    }
  }

  async #open(): Promise<void> {
    const { source, sink } = this.#spec
    const keys = sink.type === 'stored' ? await this.#sinkKeys(sink) : []
    const { stream, program } = await this.#openSource(source)
    const first = program ? [this.#joints.heed(program)] : []
    const out = source.type === 'stored' ? await this.#undo(source) : []
    const before = [...first, ...this.#heedAll(out)]
    this.#meter.hold = () => Promise.all(before)
    const into = sink.type === 'stored' ? await this.#wrap(sink, keys) : []
    const all = [...before, ...this.#heedAll(into)]
    const written = this.#written
    if (written) written.hold = () => Promise.all(all)
    const stages = [...out, streamStage(this.#meter), ...into, ...(written ? [streamStage(written)] : [])]
    if (sink.type === 'stored' && written) {
      this.#joints.join(stream, stages)
      this.#joints.add(this.#store(sink, written))
    } else if (sink.type !== 'stored') {
      const to = await this.#openSink(sink)
      if (to.program) void this.#joints.heed(to.program).catch(() => undefined)
      if (to.arrived) this.#joints.add(to.arrived)
      this.#joints.join(stream, to.before ? [...stages, streamStage(to.before)] : stages, to.stream)
    }
  }

  #heedAll(stages: readonly Stage[]): readonly Promise<void>[] {
    return stages.flatMap(({ program }) => {
      if (!program) return []
      const ended = this.#joints.heed(program)
      ended.catch(() => undefined)
      return [ended]
    })
  }

  async #sinkKeys({ encryption }: StoredSink): Promise<readonly string[]> {
    if (!encryption) return []
    const { recipient } = need(await readKeys(encryption.keyFile))
    this.#encryption = { format: 'age', key: recipient }
    return [recipient, ...(encryption.recipients ?? [])]
  }

  async #wrap({ compression }: StoredSink, keys: readonly string[]): Promise<readonly Stage[]> {
    const compress = openCompression(compression, this.#hooks.line)
    const encrypt = keys.length === 0 ? undefined : streamStage(await createEncryption(keys))
    return [compress, encrypt].filter((stage) => stage !== undefined)
  }

  async #undo({ compression, encryption, path }: StoredSource): Promise<readonly Stage[]> {
    const keys = encryption ? need(await readKeys(encryption.keyFile)) : undefined
    const decrypt = keys && streamStage(createDecryption(keys.identities, path))
    const read = this.#read && streamStage(this.#read)
    return [read, decrypt, openDecompression(compression, this.#hooks.line)].filter((stage) => stage !== undefined)
  }

  async #openSource(source: TransferSource): Promise<OpenSource> {
    switch (source.type) {
      case 'program':
        return openProgramSource(source, this.#hooks)
      case 'directory':
        return openDirectorySource(source, this.#hooks)
      case 'receive':
        return openReceiveSource(source, this.#hooks)
      case 'stored':
        return { stream: need(await openPlace(source.place).get(source.path, this.#joints.signal)) }
    }
  }

  async #openSink(sink: Exclude<TransferSink, StoredSink>): Promise<OpenSink> {
    switch (sink.type) {
      case 'program':
        return openProgramSink(sink, this.#hooks)
      case 'directory':
        return openDirectorySink(sink, this.#hooks)
      case 'send':
        return openSendSink(sink, this.#hooks)
      case 'discard':
        return { stream: new Writable({ write: (_, __, callback) => callback() }) }
    }
  }

  async #store({ place, path, tags }: StoredSink, bytes: Fingerprint): Promise<void> {
    need(await openPlace(place).put(path, bytes, { signal: this.#joints.signal, ...(tags ? { tags } : {}) }))
  }

  /** Reports once a second, and ends what does not move; before the first byte and after the last one the deadline alone holds. */
  #watcher(): () => void {
    let [raw, moved, at] = [0, 0, now()]
    let movedAt = at
    return () => {
      const { bytes, ended } = this.#meter
      const storedBytes = (this.#written ?? this.#read)?.bytes ?? 0
      const time = now()
      this.#progress({ rawBytes: bytes, storedBytes, rate: ((bytes - raw) * SECOND) / Math.max(1, time - at) })
      if (bytes + storedBytes !== moved || bytes === 0 || ended) movedAt = time
      ;[raw, moved, at] = [bytes, bytes + storedBytes, time]
      const stallMs = this.#spec.stallMs ?? STALL_MS
      if (time - movedAt >= stallMs)
        this.stop(new StreamFailure('transfer-stalled', `no byte moved for ${stallMs} ms, after ${bytes} bytes`))
    }
  }

  #report(durationMs: number): TransferReport {
    const print = this.#written ?? this.#read
    const { bytes: rawBytes, head, tail } = this.#meter
    return {
      ...{ rawBytes, storedBytes: print?.bytes ?? 0, checksum: print?.checksum ?? '', chunks: print?.chunks ?? [] },
      ...{ chunkBytes: CHUNK_BYTES, head, tail, durationMs },
      programs: this.#joints.ended.map(({ file, status, lastLines }) => ({ file, status, lastLines })),
      ...(this.#encryption ? { encryption: this.#encryption } : {}),
    }
  }
}
