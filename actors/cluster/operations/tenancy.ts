// A cluster's life under an ownership: begins with what earlier owners left, proves itself before each step, leaves copies.
import { done, fail, type Result } from '../../../lib/base/result.js'
import { sleep } from '../../../lib/base/time.js'
import { limitOf, type Perform, type TripMs } from '../../../lib/effect/index.js'
import { onlyReads } from '../../../lib/effect/plan/progress.js'
import {
  ClusterCopy,
  dropFlags,
  Etcd,
  fetchCopy,
  isLeft,
  leaveCopy,
  restoreCopy,
  Tenure,
} from '../../../lib/lease/index.js'
import type { Standing } from '../../../lib/model/tenure.js'
import { keepCopies } from '../../../lib/store/index.js'
import type { ClusterInit } from '../../protocol/cluster.js'

/** Between two attempts to fetch what earlier owners left, and between two checks of a step that runs. */
const AGAIN_MS = 100
const CHECK_MS = 50

/** Written by its keeper itself, since its figures change all the time. */
const MEMORY = 'state.json'

export class Tenancy {
  readonly #cluster: string
  readonly #tenure: Tenure
  readonly #isArbitrated: boolean
  readonly #etcd: Etcd | undefined
  /** Of an owner. */
  readonly copy: ClusterCopy | undefined
  readonly #endCopies: () => void

  private constructor(init: ClusterInit, parts: { tenure: Tenure; etcd?: Etcd; copy?: ClusterCopy }) {
    const { tenure, etcd, copy } = parts
    this.#cluster = init.name
    this.#tenure = tenure
    this.#isArbitrated = init.tenure?.shared === undefined
    this.#etcd = etcd
    this.copy = copy
    this.#endCopies = copy
      ? keepCopies(init.directory, async (name, bytes) => {
          if (name === MEMORY || !isLeft(name)) return done
          return bytes === undefined ? copy.remove(name) : copy.put(name, Buffer.from(bytes).toString())
        })
      : () => undefined
  }

  /** Undefined where one manager has all clusters. Of an owner: its directory holds what earlier owners left. */
  static async open(init: ClusterInit, signal: AbortSignal): Promise<Tenancy | undefined> {
    const { tenure: given, name, directory } = init
    if (!given) return undefined
    const tenure = new Tenure(given.board, given.leaseMs)
    const { shared } = given
    if (!shared) return new Tenancy(init, { tenure })
    const etcd = new Etcd(shared.etcd)
    if (tenure.token === 0) {
      await dropFlags(etcd, shared.prefix, init)
      etcd.close()
      return new Tenancy(init, { tenure })
    }
    const isOwner = () => tenure.leftMs() > 0
    while (isOwner() && !signal.aborted) {
      const left = await fetchCopy(etcd, shared.prefix, name)
      if (left.ok) {
        const pieces = left.value?.pieces(tenure.token) ?? 0
        const copy = new ClusterCopy({
          etcd,
          prefix: shared.prefix,
          cluster: name,
          token: tenure.token,
          pieces,
          isOwner,
        })
        const restored = left.value ? await restoreCopy(directory, left.value, copy) : await leaveCopy(directory, copy)
        if (restored.ok) return new Tenancy(init, { tenure, etcd, copy })
        if (restored.failure.code.startsWith('file-')) throw new Error(restored.failure.message)
      }
      await sleep(AGAIN_MS, signal)
    }
    // It ended before this life began.
    etcd.close()
    tenure.lapse()
    return new Tenancy(init, { tenure })
  }

  /** Whether the cluster may be changed here now. */
  standing(): Standing {
    if (this.#tenure.token === 0) return 'standby'
    return this.#tenure.leftMs() > 0 ? 'owner' : 'unproven'
  }

  /** Where an arbitrator decides: since when it is known that no other instance sees the primary; 0: it is not. */
  confirmedAt(): number | undefined {
    return this.#isArbitrated ? this.#tenure.confirmedAt() : undefined
  }

  isOwner(): boolean {
    return this.standing() === 'owner'
  }

  /** Proves the ownership before each command that changes something, and ends the command with the ownership. */
  guard(perform: Perform, tripMs: TripMs): Perform {
    return async (command, signal) => {
      if (onlyReads(command) || command.type === 'report') return perform(command, signal)
      if (!this.#tenure.mayBegin(limitOf(command, tripMs).limitMs)) return this.#refuse()
      const settled = new AbortController()
      const ended = new AbortController()
      void this.#await(settled.signal, ended)
      try {
        return await perform(command, AbortSignal.any([signal, ended.signal]))
      } finally {
        settled.abort()
      }
    }
  }

  close(): void {
    this.#endCopies()
    this.#etcd?.close()
  }

  async #await(settled: AbortSignal, ended: AbortController): Promise<void> {
    while (!settled.aborted && this.isOwner()) await sleep(CHECK_MS, settled)
    if (!settled.aborted) ended.abort()
  }

  #refuse(): Result<never> {
    return fail('not-owner', `this instance cannot prove that it owns ${this.#cluster}: the next owner settles it`)
  }
}
