// Recoveries of a cluster as jobs: proofs of backups, tables as they were, a server as it was.
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { readTerms } from '../../../lib/backup/binlog/term.js'
import { splitWords } from '../../../lib/backup/method/words.js'
import { type RecoveryOrder, type RecoveryReport, scratchRoot } from '../../../lib/backup/restore/recovery.js'
import type { Tools } from '../../../lib/backup/restore/replay.js'
import type { StoredCopy } from '../../../lib/backup/restore/restore.js'
import { removeScratches } from '../../../lib/backup/restore/scratch.js'
import { startRecovery } from '../../../lib/backup/restore/start-recovery.js'
import { modeOf } from '../../../lib/base/files/modes.js'
import { fail, ok, type Result } from '../../../lib/base/result.js'
import { isoTime, now, SECOND } from '../../../lib/base/time.js'
import { chooseChain, chooseServer } from '../../../lib/decide/backup/recovery.js'
import type { Backup } from '../../../lib/model/backup.js'
import type { RecoveryWish } from '../../../lib/model/operation/recovery.js'
import type { Flavour } from '../../../lib/model/server/version.js'
import type { ServerSnapshot } from '../../../lib/model/snapshot.js'
import type { Settings } from '../../../lib/settings/index.js'
import type { Asked, JobTicket } from '../../protocol/cluster.js'
import type { Cluster } from '../state/message/cluster.js'
import { targetOf } from '../state/message/wires.js'
import { isObserved, observing } from '../state/step/observed.js'
import type { Backups } from './backups.js'
import type { LogWatch } from './binlogs.js'
import type { JobQueue, JobRun } from './queue.js'

/** A running cluster that can be recovered. */
export interface Recovering extends Cluster {
  readonly queue: JobQueue
  readonly backups: Pick<Backups, 'list' | 'reread' | 'catalogueOf'>
  readonly logs: Pick<LogWatch, 'directory'>
}

const tasks = { prove: 'proof', dump: 'restore', load: 'pitr' } as const

export class Recovery {
  readonly #actor: Recovering

  constructor(actor: Recovering) {
    this.#actor = actor
  }

  /** At the start: scratch servers that a killed manager left are ended and removed. */
  async tidy(): Promise<void> {
    const { state, init } = this.#actor
    const left = await removeScratches(await scratchRoot(state.settings['monitoring-datadir'], init.name))
    if (left > 0)
      this.#actor.tell('noted', {
        level: 'INFO',
        text: `${left} scratch servers of interrupted recoveries were removed`,
      })
  }

  /** Begins it; answers when the job has ended (`wait`) or has been asked for. */
  async ask(wish: RecoveryWish, { user, asker, wait }: Asked & { readonly wait: boolean }): Promise<Result<JobTicket>> {
    const { state, queue } = this.#actor
    if (isObserved(state) && wish.purpose.type === 'load') return observing(state)
    const chain = chooseChain(this.#actor.backups.list(), wish)
    if (!chain.ok) return chain
    const on = chooseServer(state.snapshot, wish)
    if (!on.ok) return on
    const { id, name, host, port } = on.value
    const begun = queue.begin({
      service: { kind: 'database', id, name, host, port },
      ...{ task: tasks[wish.purpose.type], user, asker },
      deadlineMs: state.settings['backup-timeout'] * SECOND,
      work: (run) => this.#recover(chain.value, { wish, user, server: on.value }, run),
    })
    if (!begun.ok) return begun
    await begun.value.written
    if (!wait) return ok({ job: begun.value.job })
    const { job, result } = await begun.value.ended
    return result.ok ? ok({ job }) : result
  }

  async #recover(
    chain: readonly Backup[],
    { wish, user, server }: { readonly wish: RecoveryWish; readonly user: string; readonly server: ServerSnapshot },
    run: JobRun,
  ): Promise<Result<string>> {
    const copies = await openCopies(chain, this.#actor.backups, run.signal)
    if (!copies.ok) return copies
    // It stays out of every decision from now on: nothing may rejoin it to the primary.
    if (wish.purpose.type === 'load') this.#actor.tell('set-maintenance', { user, server: server.id, mode: 'on' })
    const order = await this.#order(copies.value, { wish, server, job: run.id })
    const recovered = await startRecovery(order, {
      ...{ signal: run.signal, log: run.log },
      progress: (bytes) => void run.progress({ bytes }),
    })
    if (!recovered.ok) return recovered
    const { proof } = recovered.value
    const newest = chain.at(-1)
    if (proof && newest) {
      for (const { name, passed, detail } of proof.checks) run.log(`${passed ? 'passed' : 'FAILED'} ${name}: ${detail}`)
      const kept = await this.#actor.backups.catalogueOf(newest).keep({ ...newest, proof }, run.signal)
      if (!kept.ok) return kept
      await this.#actor.backups.reread()
    }
    return proof?.result === 'refuted'
      ? fail('restore-failed', `backup ${newest?.id} is refuted: ${proof.checks.find(({ passed }) => !passed)?.detail}`)
      : ok(summary(newest, recovered.value))
  }

  async #order(
    copies: readonly StoredCopy[],
    { wish, server, job }: { readonly wish: RecoveryWish; readonly server: ServerSnapshot; readonly job: number },
  ): Promise<RecoveryOrder> {
    const { state, init } = this.#actor
    const { settings } = state
    const mariadb = copies[0]?.backup.flavour === 'mariadb'
    const root = await scratchRoot(settings['monitoring-datadir'], init.name)
    const recovered = await recoveredDirectory(this.#actor)
    const logs = path.resolve(this.#actor.logs.directory)
    const stamp = isoTime(now()).slice(0, 19).replaceAll(':', '')
    const target = targetOf(server, state)
    const { purpose } = wish
    return {
      ...{ cluster: init.name, copies, scratch: path.join(root, String(job)) },
      // What is stored is used, also when storing was switched off since.
      ...(settings['backup-binlogs'] || (await hasTerms(logs)) ? { logs } : {}),
      ...(wish.target ? { target: wish.target } : {}),
      tools: toolsOf(settings, mariadb ? 'mariadb' : 'mysql'),
      loadThreads: settings['backup-logical-load-threads'],
      loadOptions: splitWords(settings['backup-myloader-options']),
      purpose:
        purpose.type === 'prove'
          ? { type: 'prove', ...(server.observation === 'answered' ? { source: target } : {}) }
          : purpose.type === 'dump'
            ? { ...purpose, file: path.join(recovered, `${purpose.schema}-${stamp}.sql.gz`) }
            : {
                type: 'load',
                onto: target,
                saved: path.join(recovered, `before-${server.host}_${server.port}-${stamp}.sql.gz`),
              },
      deadlineMs: settings['backup-timeout'] * SECOND,
    }
  }
}

/** The programs that a recovery runs. */
export const toolsOf = (settings: Settings, flavour: Flavour): Tools => ({
  binlog: settings['backup-mysqlbinlog-path'] || (flavour === 'mariadb' ? 'mariadb-binlog' : 'mysqlbinlog'),
  client: settings['backup-mysqlclient-path'] || (flavour === 'mariadb' ? 'mariadb' : 'mysql'),
  dump: settings['backup-mysqldump-path'] || (flavour === 'mariadb' ? 'mariadb-dump' : 'mysqldump'),
  myloader: settings['backup-myloader-path'] || 'myloader',
})

/** Where dumps of recoveries are written: tables as they were, and what was replaced. */
export async function recoveredDirectory({ state, init }: Pick<Cluster, 'state' | 'init'>): Promise<string> {
  const folder = path.resolve(state.settings['monitoring-datadir'], 'backups', init.name, 'recovered')
  await mkdir(folder, { recursive: true, mode: modeOf('stateFolder') })
  return folder
}

async function hasTerms(logs: string): Promise<boolean> {
  const terms = await readTerms(logs)
  return terms.ok && terms.value.some(({ files }) => files.length > 0)
}

/** Each with its stored bytes. */
export async function openCopies(
  chain: readonly Backup[],
  backups: Pick<Backups, 'catalogueOf'>,
  signal: AbortSignal,
): Promise<Result<readonly StoredCopy[]>> {
  const copies: StoredCopy[] = []
  for (const backup of chain) {
    const source = await backups.catalogueOf(backup).source(backup, backup.files?.[0], signal)
    if (!source.ok) return source
    copies.push({ backup, source: source.value })
  }
  return ok(copies)
}

/** `backup 1795246812 restored in 4.2 s to 15:04:59 (0-1-93)`. */
function summary(backup: Backup | undefined, report: RecoveryReport): string {
  const { restoreMs, replayedTo, last, next, left, file } = report
  const to =
    replayedTo === undefined
      ? ''
      : `, replayed to ${isoTime(replayedTo)} (${last})${next ? '' : ', where the stored logs end'}`
  const tail = left.length === 0 ? '' : `; not part of this history: ${left.join(', ')}`
  const proven = report.proof ? ' and proven' : ''
  return `backup ${backup?.id} restored${proven} in ${(restoreMs / SECOND).toFixed(1)} s${to}${file ? `; ${file}` : ''}${tail}`
}
