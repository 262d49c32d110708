// The archive pool: builds configuration archives off the main thread and returns them.
import { readFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import path from 'node:path'
import { Piscina } from 'piscina'
import { sharePath } from '../../lib/base/package-root.js'
import { fail, ok, type Result } from '../../lib/base/result.js'
import { MINUTE, SECOND } from '../../lib/base/time.js'
import { type Known, type RuleKind, type RuleSet, serverFolder } from '../../lib/configure/index.js'
import { addressText, type ServerAddress } from '../../lib/model/server/server.js'
import { type Material, readMaterial } from '../../lib/tls/index.js'
import { batches, countOutcomes, inParts, proxyTasks, unbuilt } from './batches.js'
import { ARCHIVE_NAME } from './build.js'
import type { Certified } from './certify.js'
import type { BuildCount, CertifyAction, CertifyTask } from './input.js'
import {
  type ArchiveInput,
  type Batch,
  type CertificateSource,
  digest,
  type Outcome,
  type ProxyArchiveInput,
  type Task,
} from './input.js'
import { type LoadedRules, readRules } from './read-rules.js'
import { readLabel } from './stitch.js'
import { TreeQueue } from './trees.js'
import { createPreparer, type Wanted } from './wanted.js'
import type { WorkerStart } from './worker.js'

export interface ArchiveOptions {
  /** Folder of the database rules: `share/rules/database`. */
  readonly rulesDir: string
  /** Folder of the rules of proxies; that of the package, `share/rules/proxy`, when absent. */
  readonly proxyRulesDir?: string
  /** The working folder that holds `{cluster}/{host}_{port}`. */
  readonly workingDir: string
  /** Most threads; when absent 2, and 1 where two would leave no processor to others. They end when idle for 5 s. */
  readonly threads?: number
  /** Longest time of one batch of some 16 servers, milliseconds. */
  readonly deadlineMs?: number
  /** Whether `init/` trees follow their archives without a request; true when absent. */
  readonly trees?: boolean
}

/** An archive as it was at one moment. */
export interface Archive {
  readonly file: string
  /** The label of the archive's input: equal input, equal bytes. */
  readonly etag: string
  readonly bytes: Buffer
}

export interface ArchiveService {
  /** The rules in force: their tags are what `prov-db-tags` may name. */
  readonly rules: RuleSet
  /** The rules of proxies: their tags are what `prov-proxy-tags` may name. */
  readonly proxyRules: RuleSet
  /** The options of each server software. */
  readonly known: Known
  /**
   * Builds what changed (everything with `force`) and returns when all of it is on disk. Builds run one after the
   * other. `archive-failed` names the servers that could not be built; the others are.
   */
  build(servers: readonly ArchiveInput[], options?: { readonly force?: boolean }): Promise<Result<BuildCount>>
  /** The same for proxies. */
  buildProxies(
    proxies: readonly ProxyArchiveInput[],
    options?: { readonly force?: boolean },
  ): Promise<Result<BuildCount>>
  /** The archive on disk, whole; `archive-missing` when there is none. */
  file(cluster: string, server: ServerAddress): Promise<Result<Archive>>
  /** Creates, rotates, retires or reloads the certificates of a cluster. Archives follow with the next build. */
  certify(request: CertifyRequest): Promise<Result<Certified>>
  /** The state of the cluster's certificates at their last maintenance. */
  certified(cluster: string): Certified | undefined
  /** The certificates of a cluster; undefined before its first archive. */
  certificates(cluster: string): Promise<Result<Material | undefined>>
  close(): Promise<void>
}

export interface CertifyRequest extends CertificateSource {
  readonly cluster: string
  readonly action: CertifyAction
}

/** Reads and checks the rules; `bad-configuration` lists their faults with file and line. */
export async function createArchiveService(options: ArchiveOptions): Promise<Result<ArchiveService>> {
  const database = await readRules(options.rulesDir)
  if (!database.ok) return database
  const proxy = await readRules(options.proxyRulesDir ?? sharePath('rules', 'proxy'), 'proxy')
  return proxy.ok ? ok(new ArchivePool(options, { database: database.value, proxy: proxy.value })) : proxy
}

/** Requests that are prepared before the main thread returns to its other work. */
const SLICE = 64

class ArchivePool implements ArchiveService {
  readonly rules: RuleSet
  readonly proxyRules: RuleSet
  readonly #proxyDigest: string
  readonly known: Known
  readonly #workingDir: string
  readonly #deadlineMs: number
  readonly #prepare: (input: ArchiveInput) => Result<Wanted>
  readonly #pool: Piscina
  readonly #trees: TreeQueue | undefined
  /** The state of the certificates, by cluster, and the source they were last checked against. */
  readonly #certified = new Map<string, { readonly source: string; readonly facts: Certified }>()
  /** The end of the work so far: a later build must not be overtaken by an earlier one. */
  #last: Promise<unknown> = Promise.resolve()

  constructor(options: ArchiveOptions, { database, proxy }: Readonly<Record<RuleKind, LoadedRules>>) {
    this.rules = database.set
    this.proxyRules = proxy.set
    this.#proxyDigest = proxy.digest
    this.known = database.known
    this.#workingDir = options.workingDir
    this.#deadlineMs = options.deadlineMs ?? 2 * MINUTE
    this.#prepare = createPreparer(options.workingDir, database.digest)
    this.#pool = new Piscina({
      filename: new URL('./worker.js', import.meta.url).href,
      minThreads: 0,
      maxThreads: options.threads ?? (availableParallelism() > 2 ? 2 : 1),
      idleTimeout: 5 * SECOND,
      // Files are added and removed; only little is kept.
      resourceLimits: { maxYoungGenerationSizeMb: 24 },
      workerData: { rules: { database: database.set, proxy: proxy.set } } satisfies WorkerStart,
    })
    // In turn with the builds: no two threads unpack into one folder.
    const unpack = (directories: readonly string[]) => this.#inTurn(() => this.#ask({ kind: 'unpack', directories }))
    this.#trees = options.trees === false ? undefined : new TreeQueue(unpack)
  }

  build(servers: readonly ArchiveInput[], { force = false } = {}): Promise<Result<BuildCount>> {
    return this.#inTurn(() => this.#buildNow(servers, force))
  }

  buildProxies(
    proxies: readonly ProxyArchiveInput[],
    { force = false }: { readonly force?: boolean } = {},
  ): Promise<Result<BuildCount>> {
    return proxies.length === 0
      ? Promise.resolve(ok({ built: 0, unchanged: 0 }))
      : this.#inTurn(() => this.#buildProxiesNow(proxies, force))
  }

  certify({ cluster, ...request }: CertifyRequest): Promise<Result<Certified>> {
    return this.#inTurn(async () => {
      const [result] = await this.#certifyAll([{ ...request, cluster, directory: this.#folder(cluster) }])
      if (result?.ok) this.#certified.set(cluster, { source: '', facts: result.value })
      return result ?? fail('internal', `no answer about the certificates of ${cluster}`)
    })
  }

  certified(cluster: string): Certified | undefined {
    return this.#certified.get(cluster)?.facts
  }

  certificates(cluster: string): Promise<Result<Material | undefined>> {
    return readMaterial(this.#folder(cluster))
  }

  async file(cluster: string, server: ServerAddress): Promise<Result<Archive>> {
    const file = path.join(this.#workingDir, serverFolder(cluster, server), ARCHIVE_NAME)
    try {
      const bytes = await readFile(file)
      return ok({ file, bytes, etag: readLabel(bytes) ?? digest(bytes) })
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : ''
      if (code === 'ENOENT') return fail('archive-missing', `${cluster} ${addressText(server)} has no archive`)
      return fail('file-unreadable', `${file}: ${reasonOf(error)}`)
    }
  }

  async close(): Promise<void> {
    this.#trees?.close()
    await this.#last
    await this.#pool.destroy()
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const next = this.#last.then(work)
    this.#last = next.catch(() => undefined)
    return next
  }

  async #buildNow(servers: readonly ArchiveInput[], force: boolean): Promise<Result<BuildCount>> {
    const { wanted, failures: unclear } = await this.#prepareAll(servers)
    const uncertified = await this.#ensureCertificates(wanted.map(({ input }) => input))
    const buildable = wanted.filter(({ input }) => !uncertified.has(input.cluster))
    const outcomes = (await Promise.all(batches(buildable, force).map((batch) => this.#run(batch)))).flat()
    const failures = [
      ...unclear,
      ...wanted.flatMap(({ input }) => {
        const reason = uncertified.get(input.cluster)
        return reason === undefined ? [] : [`${input.cluster} ${addressText(input.server)}: ${reason}`]
      }),
      ...outcomes.flatMap((outcome) => (typeof outcome === 'object' ? [outcome.failed] : [])),
    ]
    return failures.length > 0 ? unbuilt(failures, servers.length) : countOutcomes(outcomes)
  }

  async #buildProxiesNow(inputs: readonly ProxyArchiveInput[], force: boolean): Promise<Result<BuildCount>> {
    const carriers = inputs.flatMap(({ cluster, certificates, tags }) =>
      tags.includes('ssl') && certificates ? [{ cluster, certificates }] : [],
    )
    const uncertified = await this.#ensureCertificates(carriers)
    const [reason] = uncertified.values()
    if (reason !== undefined) return fail('archive-failed', reason)
    const proxies = proxyTasks(inputs, this.#workingDir)
    try {
      const task = { kind: 'proxies', rulesDigest: this.#proxyDigest, proxies, force } as const
      return countOutcomes((await this.#ask(task)) as readonly Outcome[])
    } catch (error) {
      return fail('archive-failed', reasonOf(error))
    }
  }

  async #prepareAll(servers: readonly ArchiveInput[]) {
    const wanted: Wanted[] = []
    const failures: string[] = []
    for (const [index, input] of servers.entries()) {
      if (index > 0 && index % SLICE === 0) await new Promise(setImmediate)
      const prepared = this.#prepare(input)
      if (prepared.ok) wanted.push(prepared.value)
      else failures.push(prepared.failure.message)
    }
    return { wanted, failures }
  }

  /** Maintains the certificates of clusters that are new or have other hosts; why they are unavailable, by cluster. */
  async #ensureCertificates(
    carriers: readonly Pick<ArchiveInput, 'cluster' | 'certificates'>[],
  ): Promise<ReadonlyMap<string, string>> {
    const due = new Map<string, CertifyTask>()
    const keys = new Map<string, string>()
    const seen = new Set<string>()
    for (const { cluster, certificates } of carriers) {
      if (certificates === undefined || seen.has(cluster)) continue
      seen.add(cluster)
      const key = JSON.stringify(certificates)
      if (this.#certified.get(cluster)?.source === key) continue
      keys.set(cluster, key)
      due.set(cluster, { ...certificates, cluster, directory: this.#folder(cluster), action: 'ensure' })
    }
    const tasks = [...due.values()]
    const results = await this.#certifyAll(tasks)
    const refused = new Map<string, string>()
    tasks.forEach(({ cluster }, index) => {
      const result = results[index]
      if (result?.ok) this.#certified.set(cluster, { source: keys.get(cluster) ?? '', facts: result.value })
      else refused.set(cluster, result?.failure.message ?? 'no answer')
    })
    return refused
  }

  async #certifyAll(tasks: readonly CertifyTask[]): Promise<readonly Result<Certified>[]> {
    const answers = await Promise.all(
      inParts(tasks).map(async (part) => {
        try {
          return (await this.#ask({ kind: 'certify', tasks: part })) as readonly Result<Certified>[]
        } catch (error) {
          return part.map(() => fail('archive-failed', reasonOf(error)))
        }
      }),
    )
    return answers.flat()
  }

  /** One batch on a thread; past its deadline the thread is given up and its servers count as failed. */
  async #run(batch: Batch): Promise<readonly Outcome[]> {
    try {
      const outcomes = (await this.#ask(batch)) as readonly Outcome[]
      batch.servers.forEach(({ directory, tree, context }, index) => {
        // What the local orchestrator runs a server on changes when that server starts, not before.
        if (outcomes[index] === 'built' && !tree && context.kind !== 'local') this.#trees?.add(directory)
      })
      return outcomes
    } catch (error) {
      return batch.servers.map(({ directory }) => ({ failed: `${directory}: ${reasonOf(error)}` }))
    }
  }

  #ask(task: Task): Promise<unknown> {
    return this.#pool.run(task, { signal: AbortSignal.timeout(this.#deadlineMs) })
  }

  #folder(cluster: string): string {
    return path.join(this.#workingDir, cluster)
  }
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
