// Keeps the series of the cluster and its servers: readings become points, points become blocks in files, and are read back.

import { compilePattern } from '../../../lib/base/pattern.js'
import { fail, ok, type Result } from '../../../lib/base/result.js'
import { MINUTE, now } from '../../../lib/base/time.js'
import { judgeCondition } from '../../../lib/decide/condition.js'
import { channelOf } from '../../../lib/decide/situation/channel.js'
import { hostPart } from '../../../lib/metrics/carbon.js'
import { diskUsedRatio, instanceNames, isLossless } from '../../../lib/metrics/samples.js'
import {
  BLOCK_MS,
  type Block,
  type Counted,
  clusterColumns,
  coarsen,
  countStatus,
  joinBlocks,
  pointsOf,
  probeColumns,
  Recorder,
  type Series,
  type SeriesColumn,
  type SeriesSpan,
  serverColumns,
  statusColumns,
  statusValues,
} from '../../../lib/metrics/series/index.js'
import type { Reading, SlowReading } from '../../../lib/model/server/reading.js'
import type { ServerId } from '../../../lib/model/server/server.js'
import { findServer } from '../../../lib/model/snapshot.js'
import { removeOldSeries, SeriesFile } from '../../../lib/store/index.js'
import type { SeriesReply, SeriesRequest } from '../../protocol/cluster.js'
import type { Cluster } from '../state/message/cluster.js'

/** A running cluster whose series are kept. */
export type Recorded = Pick<Cluster, 'init' | 'state' | 'tell'>

const probeSource = { first: 0, count: probeColumns.length }
const statusSource = { first: probeColumns.length, count: statusColumns.length }
const clusterSource = { first: 0, count: clusterColumns.length }

/** A disk that takes nothing is reported this often. */
const COMPLAIN_MS = 10 * MINUTE

export class SeriesWatch {
  readonly #actor: Recorded
  readonly #servers = new Map<ServerId, Kept>()
  readonly #cluster: Kept
  #complainedAt = Number.NEGATIVE_INFINITY
  #closing = false

  constructor(actor: Recorded) {
    this.#actor = actor
    this.#cluster = new Kept(actor.init.directory, 'cluster', clusterColumns)
    void removeOldSeries(actor.init.directory, now())
  }

  /** Of a fast probe. */
  noteProbe({ server: id, at, observation, state }: Reading): void {
    const { snapshot, settings } = this.#actor.state
    const server = findServer(snapshot, id)
    if (!server || this.#closing) return
    const isUp = observation === 'answered'
    const lag = isUp && state ? channelOf({ ...server, state }, settings)?.lagSeconds : undefined
    this.#of(id).recorder.note(probeSource, at, [Number(isUp), lag ?? Number.NaN])
  }

  /** Of a slow probe. */
  noteStatus(reading: SlowReading): void {
    const server = findServer(this.#actor.state.snapshot, reading.server)
    if (!server || this.#closing) return
    const kept = this.#of(reading.server)
    const counted = countStatus(reading)
    const values = statusValues(counted, kept.counted)
    values[values.length - 1] = diskUsedRatio(server) ?? Number.NaN
    kept.counted = counted
    kept.recorder.note(statusSource, reading.at, values)
  }

  /** The cluster as a whole, once a row is often enough; writes what gets no more points. */
  tick(): void {
    const { state } = this.#actor
    const at = now()
    if (!state.ready || this.#closing) return
    const { snapshot, memory } = state
    const { up, failable, healthy } = judgeCondition(snapshot, memory)
    const flags = [
      up,
      failable,
      healthy,
      isLossless(findServer(snapshot, snapshot.primary)),
      snapshot.operation !== undefined,
    ]
    this.#cluster.recorder.note(clusterSource, at, [...flags.map(Number), snapshot.findings.length])
    for (const [id, kept] of this.#servers) {
      this.#write(kept, kept.recorder.take(at))
      if (!findServer(snapshot, id)) this.#servers.delete(id)
    }
    this.#write(this.#cluster, this.#cluster.recorder.take(at))
  }

  /** The series of one server, or (no `server`) of the cluster and all of its servers. */
  async read({ names, server, hosts, span }: SeriesRequest): Promise<Result<SeriesReply>> {
    const { snapshot } = this.#actor.state
    const instances = instanceNames(snapshot.servers)
    const patterns = hosts?.flatMap((text) => {
      const pattern = compilePattern(text)
      return pattern.ok ? [pattern.value] : []
    })
    const fits = (instance: string): boolean => patterns?.some((pattern) => pattern.test(hostPart(instance))) ?? true
    const members = snapshot.servers.filter(
      (member) => (server === undefined || member.id === server) && fits(instances.get(member) ?? member.name),
    )
    if (server !== undefined && members.length === 0)
      return fail('unknown-server', `${snapshot.cluster} has no server ${server}`)
    const wanted = new Set(names)
    const series: Series[] = []
    const add = async (kept: Kept, of: Pick<Series, 'server' | 'instance'>): Promise<Result<void>> => {
      if (!kept.columns.some(({ name }) => wanted.has(name))) return ok(undefined)
      const blocks = await kept.read(span)
      if (!blocks.ok) return blocks
      for (const [column, { name, unit }] of kept.columns.entries())
        if (wanted.has(name))
          series.push({ name, unit, ...of, values: pointsOf(blocks.value, { span, columns: kept.columns, column }) })
      return ok(undefined)
    }
    const whole =
      server === undefined && hosts === undefined
        ? await add(this.#cluster, { server: null, instance: null })
        : ok(undefined)
    if (!whole.ok) return whole
    for (const member of members) {
      const added = await add(this.#of(member.id), {
        server: member.id,
        instance: instances.get(member) ?? member.name,
      })
      if (!added.ok) return added
    }
    return ok({ series })
  }

  /** What was to be written is written. */
  async written(): Promise<void> {
    await Promise.all([this.#cluster, ...this.#servers.values()].map((kept) => kept.settled()))
  }

  /** Writes what is known so far: the rest of a block is joined to it after a restart. */
  async close(): Promise<void> {
    this.#closing = true
    await Promise.all([this.#cluster, ...this.#servers.values()].map((kept) => kept.write(kept.recorder.open())))
  }

  #of(id: ServerId): Kept {
    const kept = this.#servers.get(id) ?? new Kept(this.#actor.init.directory, id, serverColumns)
    this.#servers.set(id, kept)
    return kept
  }

  #write(kept: Kept, blocks: readonly Block[]): void {
    if (blocks.length > 0)
      void kept.write(blocks).then((written) => written.ok || this.#complain(written.failure.message))
  }

  #complain(reason: string): void {
    if (now() - this.#complainedAt < COMPLAIN_MS) return
    this.#complainedAt = now()
    this.#actor.tell('noted', { level: 'WARN', text: `Series are not stored, charts will have a gap: ${reason}` })
  }
}

/** What is kept of one server or of the cluster: the newest points here, the others in a file. */
class Kept {
  readonly columns: readonly SeriesColumn[]
  readonly recorder: Recorder
  counted: Counted | undefined
  readonly #file: SeriesFile
  /** The block in which the recording began: its file may have the part before. */
  readonly #firstBlock = Math.floor(now() / BLOCK_MS)
  /** Blocks that are on their way to the file. */
  #leaving: readonly Block[] = []
  #written: Promise<unknown> = Promise.resolve()

  constructor(directory: string, name: string, columns: readonly SeriesColumn[]) {
    this.columns = columns
    this.recorder = new Recorder(columns)
    this.#file = new SeriesFile(directory, name, columns)
  }

  /** One write after the other. */
  write(blocks: readonly Block[]): Promise<Result<void>> {
    this.#leaving = [...this.#leaving, ...blocks]
    const write = this.#written.then(async () => {
      const written = await this.#file.write(blocks, ({ number }) => number === this.#firstBlock)
      this.#leaving = this.#leaving.filter((block) => !blocks.includes(block))
      return written
    })
    this.#written = write
    return write
  }

  settled(): Promise<unknown> {
    return this.#written
  }

  /** Stored blocks with those in memory in their place, oldest first. */
  async read(span: SeriesSpan): Promise<Result<readonly Block[]>> {
    const stored = await this.#file.read(span)
    if (!stored.ok) return stored
    const newest = [...this.#leaving, ...this.recorder.open()]
    const blocks = new Map(stored.value.map((block) => [block.number, block]))
    for (const block of newest) {
      const own = span.ring === 'coarse' ? coarsen(block, this.columns) : block
      blocks.set(block.number, joinBlocks(blocks.get(block.number), own))
    }
    return ok([...blocks.values()].sort((left, right) => left.number - right.number))
  }
}
