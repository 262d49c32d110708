// The archive pool: builds configuration archives off the main thread and hands them out.
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { Piscina } from 'piscina'
import { fail, ok, type Result } from '../../lib/base/result.js'
import { MINUTE, SECOND } from '../../lib/base/time.js'
import { type RuleSet, serverFolder } from '../../lib/configure/index.js'
import { addressText, type ServerAddress } from '../../lib/model/server.js'
import { ARCHIVE_NAME } from './build.js'
import { type ArchiveInput, type Batch, type BatchServer, digest, type Outcome } from './input.js'
import { type LoadedRules, readRules } from './read-rules.js'
import { readLabel } from './stitch.js'
import { createPreparer, type Wanted } from './wanted.js'
import type { WorkerStart } from './worker.js'

export interface ArchiveOptions {
  /** Folder of the database rules: `share/rules/database`. */
  readonly rulesDir: string
  /** The working folder that holds `{cluster}/{host}_{port}`. */
  readonly workingDir: string
  /** Threads at most; 2 when absent. They end when idle for 30 s. */
  readonly threads?: number
  /** Longest time of one batch of 16 servers, milliseconds. */
  readonly deadlineMs?: number
}

export interface BuildCount {
  readonly built: number
  readonly unchanged: number
}

/** An archive as it was at one moment. */
export interface Archive {
  readonly file: string
  /** The label of the archive's input: equal input, equal bytes. */
  readonly etag: string
  readonly size: number
  readonly bytes: Buffer
}

export interface ArchiveService {
  /** The rules in force: their tags are what `prov-db-tags` may name. */
  readonly rules: RuleSet
  /**
   * Builds what changed (everything with `force`) and answers when all of it is on disk. Builds run one after the
   * other. `archive-failed` names the servers that could not be built; the others are.
   */
  build(servers: readonly ArchiveInput[], options?: { readonly force?: boolean }): Promise<Result<BuildCount>>
  /** The archive on disk, whole; `archive-missing` when there is none. */
  file(cluster: string, server: ServerAddress): Promise<Result<Archive>>
  close(): Promise<void>
}

/** Reads and checks the rules; `bad-configuration` lists their faults with file and line. */
export async function createArchiveService(options: ArchiveOptions): Promise<Result<ArchiveService>> {
  const loaded = await readRules(options.rulesDir)
  return loaded.ok ? ok(new ArchivePool(options, loaded.value)) : loaded
}

/** Servers of one message to a thread: scheduling costs more than building. */
const BATCH_SIZE = 16

class ArchivePool implements ArchiveService {
  readonly rules: RuleSet
  readonly #workingDir: string
  readonly #deadlineMs: number
  readonly #prepare: (input: ArchiveInput) => Result<Wanted>
  readonly #pool: Piscina<Batch, readonly Outcome[]>
  /** Label of what is on disk, by folder. */
  readonly #labels = new Map<string, string>()
  /** The end of the builds so far: a later one must not be overtaken by an earlier one. */
  #last: Promise<unknown> = Promise.resolve()

  constructor(options: ArchiveOptions, rules: LoadedRules) {
    this.rules = rules.set
    this.#workingDir = options.workingDir
    this.#deadlineMs = options.deadlineMs ?? 2 * MINUTE
    this.#prepare = createPreparer(options.workingDir, rules.digest)
    this.#pool = new Piscina({
      filename: new URL('./worker.js', import.meta.url).href,
      minThreads: 0,
      maxThreads: options.threads ?? 2,
      idleTimeout: 30 * SECOND,
      workerData: { rules: rules.set } satisfies WorkerStart,
    })
  }

  build(servers: readonly ArchiveInput[], { force = false } = {}): Promise<Result<BuildCount>> {
    const next = this.#last.then(() => this.#buildNow(servers, force))
    this.#last = next
    return next
  }

  async #buildNow(servers: readonly ArchiveInput[], force: boolean): Promise<Result<BuildCount>> {
    const prepared = servers.map(this.#prepare)
    const wanted = prepared.flatMap((each) => (each.ok ? [each.value] : []))
    const changed = wanted.filter(
      ({ server }) => force || server.tree || this.#labels.get(server.directory) !== server.label,
    )
    const outcomes = (await Promise.all(batches(changed, force).map((batch) => this.#run(batch)))).flat()
    const failures = [
      ...prepared.flatMap((each) => (each.ok ? [] : [each.failure.message])),
      ...outcomes.flatMap((outcome) => (typeof outcome === 'object' ? [outcome.failed] : [])),
    ]
    if (failures.length > 0) {
      const count = `${failures.length} of ${servers.length}`
      return fail('archive-failed', `${count} archives could not be built: ${failures.join('; ')}`)
    }
    const built = outcomes.filter((outcome) => outcome === 'built').length
    return ok({ built, unchanged: servers.length - built })
  }

  /** One batch on a thread; past its deadline the thread is given up and its servers count as failed. */
  async #run(batch: Batch): Promise<readonly Outcome[]> {
    try {
      const outcomes = await this.#pool.run(batch, { signal: AbortSignal.timeout(this.#deadlineMs) })
      batch.servers.forEach(({ directory, label }, index) => {
        if (typeof outcomes[index] === 'string') this.#labels.set(directory, label)
      })
      return outcomes
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      return batch.servers.map(({ directory }) => ({ failed: `${directory}: ${reason}` }))
    }
  }

  async file(cluster: string, server: ServerAddress): Promise<Result<Archive>> {
    const file = path.join(this.#workingDir, serverFolder(cluster, server), ARCHIVE_NAME)
    try {
      const bytes = await readFile(file)
      return ok({ file, bytes, size: bytes.length, etag: readLabel(bytes) ?? digest(bytes) })
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : ''
      if (code === 'ENOENT') return fail('archive-missing', `${cluster} ${addressText(server)} has no archive`)
      return fail('file-unreadable', `${file}: ${error instanceof Error ? error.message : String(error)}`)
    }
  }

  async close(): Promise<void> {
    await this.#last
    await this.#pool.destroy()
  }
}

/** Servers of equal template together, at most `BATCH_SIZE` in one. */
function batches(wanted: readonly Wanted[], force: boolean): readonly Batch[] {
  const all: Batch[] = []
  const open = new Map<string, BatchServer[]>()
  for (const { key, template, server } of wanted) {
    const servers = open.get(key)
    if (servers !== undefined && servers.length < BATCH_SIZE) {
      servers.push(server)
      continue
    }
    const fresh = [server]
    open.set(key, fresh)
    all.push({ key, template, force, servers: fresh })
  }
  return all
}
