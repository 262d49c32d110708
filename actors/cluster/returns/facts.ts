// What is known of a server that is to come back: its saved transactions, whose data it could get, what is installed.
import { askSnapshot } from '../../../lib/backup/hosts/index.js'
import { fail, ok, type Result } from '../../../lib/base/result.js'
import { MINUTE, now } from '../../../lib/base/time.js'
import { type CopyFacts, chooseCopy, describeCopy, isFollowed } from '../../../lib/decide/backup/stored-copy.js'
import { chooseSource, type Returning } from '../../../lib/decide/repair/returning.js'
import type { BackupFacts, ReturnFacts, ReturnSettings } from '../../../lib/decide/repair/way-back.js'
import { certainPart, executedByOrigin } from '../../../lib/decide/situation/history/holdings.js'
import type { Situation } from '../../../lib/decide/situation/situation.js'
import { findTool } from '../../../lib/effect/returns/kit/tools.js'
import type { Reports } from '../../../lib/effect/returns/kit/work.js'
import { readOldest } from '../../../lib/effect/returns/oldest.js'
import { readDataSize } from '../../../lib/effect/returns/size.js'
import { startReturnWork } from '../../../lib/effect/returns/start.js'
import type { Backup, BackupKind } from '../../../lib/model/backup.js'
import type { TailFacts } from '../../../lib/model/operation/way-back.js'
import { noTransactions } from '../../../lib/model/server/gtid.js'
import type { ServerId } from '../../../lib/model/server/server.js'
import { findServer, type ServerSnapshot } from '../../../lib/model/snapshot.js'
import type { Orchestrator } from '../../../lib/orchestrator/index.js'
import type { Backups } from '../backups/backups.js'
import type { HostTasks } from '../hosts/hosts.js'
import type { Cluster } from '../state/message/cluster.js'
import { effectSettings, targetOf } from '../state/message/wires.js'

/** A running cluster whose servers are brought back. */
export interface Knowing extends Cluster {
  readonly services: { readonly orchestrator: Orchestrator }
  readonly backups: Pick<Backups, 'list' | 'catalogueOf'>
  readonly hosts: Pick<HostTasks, 'reach' | 'request'>
}

/** The size of the data of a server is asked again after so long. */
const SIZE_MS = 10 * MINUTE

/** Those that a judgement reads; settings are read one by one. */
export const returnSettings = ({ settings }: Pick<Cluster['state'], 'settings'>): ReturnSettings => ({
  'autorejoin-flashback': settings['autorejoin-flashback'],
  'autorejoin-flashback-on-sync': settings['autorejoin-flashback-on-sync'],
  'autorejoin-flashback-on-unsync': settings['autorejoin-flashback-on-unsync'],
  'autorejoin-mysqldump': settings['autorejoin-mysqldump'],
  'autorejoin-logical-backup': settings['autorejoin-logical-backup'],
  'autorejoin-physical-backup': settings['autorejoin-physical-backup'],
  'autorejoin-zfs-flashback': settings['autorejoin-zfs-flashback'],
  'autorejoin-force-restore': settings['autorejoin-force-restore'],
  autoseed: settings.autoseed,
  'backup-load-script': settings['backup-load-script'],
})

export class Facts {
  readonly #actor: Knowing
  readonly #tails = new Map<string, TailFacts>()
  readonly #oldest = new Map<ServerId, string>()
  readonly #sizes = new Map<ServerId, { readonly at: number; readonly bytes: number }>()

  constructor(actor: Knowing) {
    this.#actor = actor
  }

  /** What needs no question: to decide whether anything is possible at all. */
  quick(returning: Returning, situation: Situation, source?: 'primary'): ReturnFacts {
    const { server, cause, reason, extra, crash, halt } = returning
    const { state } = this.#actor
    const donor = chooseSource(situation, server, source)
    const tail = this.#tails.get(this.tailOf(returning) ?? '')
    const { renewal, kind } = this.#actor.services.orchestrator
    const bytes = donor && this.#sizes.get(donor.id)?.bytes
    return {
      ...{ server: server.id, name: server.name, cause, reason, extra, certain: certainPart(extra, server) },
      flavour: server.state?.identity.flavour ?? 'mariadb',
      ...(crash ? { inSync: crash.inSync } : {}),
      ...(halt === undefined ? {} : { halt }),
      forkKnown: crash !== undefined && crash.oldFile !== '' && crash.newFile !== '',
      ...(tail ? { tail } : {}),
      ...(state.settings['autorejoin-backup-binlog'] ? {} : { unsaved: true }),
      ...(donor ? { source: sourceFacts(donor, situation, bytes) } : {}),
      renewal: renewal ? true : `the manager cannot rebuild servers here (prov-orchestrator = ${kind})`,
      backups: { logical: this.#backup('logical', server), physical: this.#backup('physical', server) },
      snapshots: true,
      tools: { flashback: true, dump: true },
    }
  }

  /** With what is saved, how large the source is, and which tools are installed. */
  async full(
    returning: Returning,
    situation: Situation,
    { source, signal }: { readonly source?: 'primary'; readonly signal: AbortSignal },
  ): Promise<ReturnFacts> {
    const directory = this.tailOf(returning)
    if (directory !== undefined) await this.readTail(directory, returning, signal)
    const donor = chooseSource(situation, returning.server, source)
    if (donor) await this.#size(donor)
    await this.#readOldest()
    const facts = this.quick(returning, situation, source)
    const [snapshots, binlog, dump, client] = await Promise.all([
      this.#snapshots(returning, facts.tail, signal),
      findTool('binlog', facts.flavour, effectSettings(this.#actor.state).binlogTool),
      findTool('dump', facts.flavour),
      findTool('client', facts.flavour),
    ])
    return { ...facts, snapshots, tools: { flashback: whyNot(binlog), dump: dump.ok ? whyNot(client) : whyNot(dump) } }
  }

  /** A host without a session of the manager answers when the work is ordered; without the setting it is not asked that much. */
  async #snapshots(
    { server, cause }: Returning,
    tail: TailFacts | undefined,
    signal: AbortSignal,
  ): Promise<true | string> {
    const reach = this.#actor.hosts.reach(server.id)
    if (!reach) return 'its host is not known'
    if (!reach.session && this.#actor.state.settings['autorejoin-zfs-flashback']) return true
    return whyNot(await askSnapshot(reach, snapshotBefore(cause, tail), signal))
  }

  /** Where its transactions are saved, as far as that is remembered. */
  tailOf({ server, crash }: Pick<Returning, 'server' | 'crash'>): string | undefined {
    const { tailFile, listed } = crash?.outcome ?? {}
    // A list without rows is as good as nothing: it is saved again before anything is removed.
    return this.#actor.state.memory.returns?.[server.id]?.tail ?? (listed ? undefined : tailFile)
  }

  async readTail(
    directory: string,
    { crash }: Pick<Returning, 'crash'>,
    signal: AbortSignal,
  ): Promise<Result<TailFacts>> {
    const known = this.#tails.get(directory)
    if (known) return ok(known)
    const position = crash && directory === crash.outcome?.tailFile ? Math.max(4, crash.oldPosition) : 4
    const quiet: Reports = { signal, log: () => undefined, progress: () => undefined }
    const { binlogTool } = effectSettings(this.#actor.state)
    const read = await startReturnWork({ type: 'read-tail', directory, position, binlogTool }, quiet)
    if (!read.ok) return read
    if (!('tail' in read.value)) return fail('internal', 'no facts of a saved binary log')
    this.#tails.set(directory, read.value.tail)
    return ok(read.value.tail)
  }

  /** What would be restored: the newest that fits, with those that it continues. */
  copyOf(kind: BackupKind, server: ServerSnapshot): readonly Backup[] | string {
    return chooseCopy(this.#actor.backups.list(), this.#copyFacts(kind, server))
  }

  /** The primary still has all binary logs that follow a copy. */
  follows(copy: Backup, server: ServerSnapshot): boolean {
    return isFollowed(copy, this.#copyFacts(copy.kind, server))
  }

  #backup(kind: BackupKind, server: ServerSnapshot): BackupFacts | string {
    return describeCopy(this.copyOf(kind, server), this.#copyFacts(kind, server))
  }

  #copyFacts(kind: BackupKind, server: ServerSnapshot): CopyFacts {
    const { snapshot, settings, memory } = this.#actor.state
    const primary = findServer(snapshot, snapshot.primary)
    const oldest = primary && this.#oldest.get(primary.id)
    return {
      ...{ kind, flavour: server.state?.identity.flavour ?? 'mariadb', stored: settings['backup-binlogs'] },
      has: primary ? executedByOrigin(primary, memory) : noTransactions,
      ...(oldest === undefined ? {} : { oldest }),
    }
  }

  /** Whether the primary still has the binary logs that follow a backup. */
  async #readOldest(): Promise<void> {
    const { snapshot } = this.#actor.state
    const primary = findServer(snapshot, snapshot.primary)
    if (!primary || this.#actor.backups.list().length === 0) return
    const read = await readOldest(targetOf(primary, this.#actor.state))
    if (read.ok) this.#oldest.set(primary.id, read.value)
  }

  /** As the database estimates it. */
  async #size(server: ServerSnapshot): Promise<void> {
    const known = this.#sizes.get(server.id)
    if (known && now() - known.at < SIZE_MS) return
    const bytes = await readDataSize(targetOf(server, this.#actor.state))
    if (bytes.ok) this.#sizes.set(server.id, { at: now(), bytes: bytes.value })
  }
}

/** A snapshot that holds none of the transactions that only the server has. */
export const snapshotBefore = (cause: Returning['cause'], tail: TailFacts | undefined): number | undefined =>
  cause === 'diverged' ? tail?.since : undefined

const whyNot = (found: Result<unknown>): true | string => (found.ok ? true : found.failure.message)

const sourceFacts = ({ id, name }: ServerSnapshot, { snapshot }: Situation, bytes: number | undefined) => ({
  server: id,
  name,
  isPrimary: findServer(snapshot, snapshot.primary)?.id === id,
  ...(bytes === undefined ? {} : { bytes }),
})
