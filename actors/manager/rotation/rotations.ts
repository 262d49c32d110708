// Rotates the passwords of clusters: generates them, records each step before it is taken, and resumes a rotation that a
// killed manager left unfinished. The servers are changed by the cluster's actor, the settings here.

import path from 'node:path'
import type { WriteLog } from '../../../lib/base/log-codes.js'
import { done, type Failure, fail, ok, type Result } from '../../../lib/base/result.js'
import { reveal, secret } from '../../../lib/base/secret.js'
import { isoTime, MINUTE, now, SECOND, sleep } from '../../../lib/base/time.js'
import { beginRotation, cancelRotation, leftSecond } from '../../../lib/decide/upkeep/rotation.js'
import type { Finding } from '../../../lib/model/finding.js'
import { changesOf, isRotating, type LoginChanges, type Rotation } from '../../../lib/model/operation/rotation.js'
import { decryptSecret, encryptSecret, isEncrypted } from '../../../lib/settings/secret/secrets.js'
import type { Settings } from '../../../lib/settings/table/index.js'
import { readRotation, writeRotation } from '../../../lib/store/index.js'
import type { Asked, ClusterProtocol } from '../../protocol/cluster.js'
import type { ActorRef } from '../../protocol/envelope.js'
import type { JudgeAsker } from '../../protocol/line.js'
import type { Clusters } from '../configuration/clusters.js'
import { adoptLogins, freshLogins, holdsOld, judgeAdopted, parseLogins } from './rotation-logins.js'

export interface RotationParts {
  readonly clusters: Clusters
  readonly cluster: (name: string) => ActorRef<ClusterProtocol> | undefined
  readonly log: WriteLog<'info' | 'warn' | 'error'>
  readonly onFindings: (cluster: string) => void
  /** Whether a user may still have what it asked for; undefined until the gateway is open. */
  readonly judgeAsker: () => JudgeAsker | undefined
}

/** Longest time of one step: every replica first applies what it has received. */
const STEP_MS = 5 * MINUTE
const PERMIT_MS = 30 * SECOND
/** Interval between two checks of what a step waits for. */
const PAUSE_MS = 500

interface Cancel {
  readonly user: string
  readonly revoked?: string
  readonly answer: Promise<Result<Rotation>>
  readonly settle: (result: Result<Rotation>) => void
}

interface Run {
  readonly rotation: Rotation
  /** Only while it runs. */
  readonly logins?: LoginChanges
}

export class Rotations {
  readonly #parts: RotationParts
  readonly #runs = new Map<string, Run>()
  readonly #driving = new Map<string, Promise<void>>()
  readonly #beginning = new Set<string>()
  readonly #cancels = new Map<string, Cancel>()
  readonly #closing = new AbortController()

  constructor(parts: RotationParts) {
    this.#parts = parts
  }

  /** Reads an unfinished rotation and resumes it. */
  async start(clusters: readonly string[]): Promise<void> {
    await Promise.all(clusters.map((cluster) => this.#recall(cluster)))
  }

  /** The latest rotation of the cluster, ended or not. */
  latest(cluster: string): Rotation | undefined {
    return this.#runs.get(cluster)?.rotation
  }

  /**
   * Returns when the passwords are recorded and the rotation has started, or (`wait`) when it has ended. Failures:
   * `wrong-state` (a credential that cannot be kept over a restart, a server that is down), `operation-running`,
   * `unsupported`, `step-failed`, and those of the servers.
   */
  async begin(cluster: string, { wait, ...by }: Asked & { readonly wait: boolean }) {
    const started = await this.#once(cluster, () => this.#begin(cluster, by))
    if (!started.ok) return started
    const driven = this.#drive(cluster)
    if (!wait) return started
    await driven
    const { phase, message } = this.latest(cluster) ?? started.value
    if (phase === 'succeeded') return ok(this.latest(cluster) ?? started.value)
    if (phase === 'cancelled') return fail('step-failed', 'it was cancelled: the old passwords are in force')
    return fail(phase === 'stopped' ? 'step-failed' : 'actor-gone', message ?? 'the manager is ending')
  }

  /**
   * Stops a rotation early; returns when that is recorded, see `cancelRotation`. Failures: `wrong-state` (none is in progress), `file-unwritable`, `actor-gone`.
   */
  cancel(cluster: string, user: string): Promise<Result<Rotation>> {
    return this.#cancel(cluster, { user })
  }

  #cancel(cluster: string, by: Pick<Cancel, 'user' | 'revoked'>): Promise<Result<Rotation>> {
    const run = this.#runs.get(cluster)
    if (!run?.logins || !isRotating(run.rotation))
      return Promise.resolve(fail('wrong-state', `no passwords of ${cluster} are being rotated`))
    if (run.rotation.cancelledBy !== undefined) return Promise.resolve(ok(run.rotation))
    const waiting = this.#cancels.get(cluster)
    if (waiting) return waiting.answer
    let settle: Cancel['settle'] = () => undefined
    const answer = new Promise<Result<Rotation>>((resolve) => {
      settle = resolve
    })
    this.#cancels.set(cluster, { ...by, answer, settle })
    void this.#drive(cluster)
    return answer
  }

  findings(cluster: string): readonly Finding[] {
    const rotation = this.latest(cluster)
    const isEnded = rotation !== undefined && !isRotating(rotation)
    const { id, revoked } = rotation ?? {}
    const ended: readonly Finding[] = revoked === undefined ? [] : [{ code: 'WARN0392', detail: `${id}: ${revoked}.` }]
    if (isEnded && rotation.message !== undefined)
      return [...ended, { code: 'WARN0322', detail: `${rotation.message}.` }]
    return rotation?.waitsFor === undefined ? ended : [...ended, { code: 'WARN0321', detail: `${rotation.waitsFor}.` }]
  }

  forget(cluster: string): void {
    this.#runs.delete(cluster)
  }

  close(): void {
    this.#closing.abort()
  }

  async #once(cluster: string, work: () => Promise<Result<Rotation>>): Promise<Result<Rotation>> {
    if (this.#beginning.has(cluster) || isRotating(this.latest(cluster)))
      return fail('operation-running', `the passwords of ${cluster} are being rotated: ${this.latest(cluster)?.phase}`)
    this.#beginning.add(cluster)
    try {
      return await work()
    } finally {
      this.#beginning.delete(cluster)
    }
  }

  /** The accounts that a rotation would change, or why it could not begin; nothing is changed. */
  async plan(cluster: string): Promise<Result<{ readonly users: readonly string[] }>> {
    if (this.#beginning.has(cluster) || isRotating(this.latest(cluster)))
      return fail('operation-running', `the passwords of ${cluster} are being rotated: ${this.latest(cluster)?.phase}`)
    const permitted = await this.#permit(cluster)
    return permitted.ok ? ok({ users: changesOf(permitted.value.logins).map(({ user }) => user) }) : permitted
  }

  async #permit(cluster: string) {
    const actor = this.#parts.cluster(cluster)
    const settings = this.#parts.clusters.settings(cluster)
    if (!actor || !settings) return fail('unknown-cluster', `no cluster ${cluster}`)
    const kept = this.#judgeSettings(cluster)
    if (!kept.ok) return kept
    const logins = freshLogins(settings)
    if (!logins.ok) return logins
    const left = leftSecond(this.latest(cluster))
    const permitted = await actor.ask('permit-rotation', { logins: logins.value, left }, { deadlineMs: PERMIT_MS })
    return permitted.ok ? ok({ logins: logins.value, permit: permitted.value }) : permitted
  }

  async #begin(cluster: string, { user: owner, asker }: Asked): Promise<Result<Rotation>> {
    const permitted = await this.#permit(cluster)
    if (!permitted.ok) return permitted
    const { logins, permit } = permitted.value
    const at = now()
    const rotation = beginRotation(permit, {
      ...{ id: `rotation-${isoTime(at).replace(/[-:.Z]/g, '')}`, owner, startedAt: at, ...(asker ? { asker } : {}) },
      users: changesOf(logins).map(({ user }) => user),
    })
    const written = await this.#write(cluster, { rotation, logins })
    if (!written.ok) return written
    this.#parts.log('info', 'passwords-rotating', { cluster, user: owner, accounts: rotation.users })
    return ok(rotation)
  }

  /** New passwords that are lost with a restart would lock the manager out. */
  #judgeSettings(cluster: string): Result<void> {
    const { configuration, server } = this.#parts.clusters
    if (!configuration.clusters.has(cluster)) return fail('unknown-cluster', `no cluster ${cluster}`)
    return server['monitoring-save-config']
      ? done
      : fail('wrong-state', 'monitoring-save-config is off: new passwords would be lost with a restart')
  }

  #drive(cluster: string): Promise<void> {
    const run = (): Promise<void> =>
      this.#run(cluster).finally(() => {
        this.#driving.delete(cluster)
        this.#cancels.get(cluster)?.settle(fail('wrong-state', 'the rotation has ended meanwhile'))
        this.#cancels.delete(cluster)
      })
    const driving = this.#driving.get(cluster) ?? run()
    this.#driving.set(cluster, driving)
    return driving
  }

  async #run(cluster: string): Promise<void> {
    const { signal } = this.#closing
    for (;;) {
      this.#judge(cluster)
      await this.#takeCancel(cluster)
      const run = this.#runs.get(cluster)
      if (signal.aborted || !run?.logins || !isRotating(run.rotation)) return
      const { rotation, logins } = run
      const stepped = await this.#step(cluster, { rotation, logins })
      if (signal.aborted || !this.#runs.has(cluster)) return
      const next = stepped.ok ? stepped.value : stopped(rotation, stepped.failure)
      const isOver = !isRotating(next)
      const ended = isOver ? { ...next, endedAt: now() } : next
      const moved = JSON.stringify(ended) !== JSON.stringify(rotation)
      const written = moved ? await this.#write(cluster, { rotation: ended, logins }) : done
      if (written.ok && isOver) this.#tellEnd(cluster, ended)
      if (!written.ok || !moved || ended.waitsFor !== undefined) await sleep(PAUSE_MS, signal)
    }
  }

  /** Before each step: one whose user may not have it any more is cancelled, like on request. */
  #judge(cluster: string): void {
    const { rotation } = this.#runs.get(cluster) ?? {}
    if (!rotation?.asker || !isRotating(rotation) || rotation.cancelledBy !== undefined) return
    const revoked = this.#parts.judgeAsker()?.(rotation.asker, cluster)
    if (revoked !== undefined) void this.#cancel(cluster, { user: 'the manager', revoked })
  }

  /** Recorded on disk before the next step. */
  async #takeCancel(cluster: string): Promise<void> {
    const cancel = this.#cancels.get(cluster)
    const run = this.#runs.get(cluster)
    if (!cancel || !run?.logins || !isRotating(run.rotation)) return
    this.#cancels.delete(cluster)
    const settings = this.#parts.clusters.settings(cluster)
    const adopted = settings === undefined || !holdsOld(settings, run.logins)
    const cancelled = cancelRotation({ rotation: run.rotation, logins: run.logins }, { ...cancel, adopted })
    const written = await this.#write(cluster, cancelled)
    const { user: owner, phase } = { ...cancel, ...cancelled.rotation }
    const why = cancel.revoked === undefined ? {} : { reason: cancel.revoked }
    if (written.ok) this.#parts.log('info', 'passwords-cancelled', { cluster, user: owner, phase, ...why })
    cancel.settle(written.ok ? ok(cancelled.rotation) : written)
  }

  async #step(cluster: string, run: Required<Run>): Promise<Result<Rotation>> {
    if (run.rotation.phase === 'adopting') return this.#adopt(cluster, run)
    const settings = this.#parts.clusters.settings(cluster)
    const { phase, settling } = run.rotation
    const uses = phase !== 'admitting' && !settling
    const adopted = settings && uses ? judgeAdopted(settings, run.logins) : done
    if (!adopted.ok) return adopted
    const actor = this.#parts.cluster(cluster)
    const stepped = await actor?.ask('step-rotation', run, { deadlineMs: STEP_MS })
    if (stepped === undefined) return ok({ ...run.rotation, waitsFor: 'the cluster is being restarted' })
    // An actor that crashed or is busy is asked again.
    if (stepped.ok || stepped.failure.code === 'unsupported') return stepped
    return ok({ ...run.rotation, waitsFor: stepped.failure.message })
  }

  /** The settings get the new passwords, on disk first; from then on every new session uses them. */
  async #adopt(cluster: string, { rotation, logins }: Required<Run>): Promise<Result<Rotation>> {
    const kept = this.#judgeSettings(cluster)
    if (!kept.ok) return ok({ ...rotation, waitsFor: kept.failure.message })
    const { waitsFor: _, ...rest } = rotation
    const edited = await this.#parts.clusters.edit(cluster, (settings) => adoptLogins(settings, logins), {
      settled: true,
      rotates: true,
    })
    if (edited.ok || edited.failure.code === 'unsupported')
      return edited.ok ? ok({ ...rest, phase: 'renewing' }) : edited
    return ok({ ...rotation, waitsFor: edited.failure.message })
  }

  #tellEnd(cluster: string, { owner: user, phase, message, users: accounts }: Rotation): void {
    const fields = { cluster, user, accounts, ...(message === undefined ? {} : { reason: message }) }
    if (phase === 'succeeded') this.#parts.log('info', 'passwords-rotated', fields)
    else if (phase === 'cancelled') this.#parts.log('info', 'passwords-taken-back', fields)
    else this.#parts.log('error', 'passwords-not-rotated', fields)
  }

  /** On disk first, then in memory. */
  async #write(cluster: string, { rotation, logins }: Run): Promise<Result<void>> {
    const settings = this.#parts.clusters.settings(cluster)
    if (!settings) return fail('unknown-cluster', `no cluster ${cluster}`)
    const { key } = this.#parts.clusters.configuration
    const text = logins && isRotating(rotation) ? JSON.stringify(logins) : undefined
    const secrets = text !== undefined && key ? encryptSecret(secret(text), key) : text
    const written = await writeRotation(directoryOf(settings, cluster), {
      rotation,
      ...(secrets === undefined ? {} : { secrets }),
    })
    if (!written.ok) {
      this.#parts.log('error', 'rotation-unwritten', { cluster, reason: written.failure.message })
      return written
    }
    const before = this.latest(cluster)
    this.#runs.set(cluster, { rotation, ...(text !== undefined && logins ? { logins } : {}) })
    if (before?.waitsFor !== rotation.waitsFor || before?.phase !== rotation.phase) this.#parts.onFindings(cluster)
    return written
  }

  async #recall(cluster: string): Promise<void> {
    const settings = this.#parts.clusters.settings(cluster)
    if (!settings) return
    const { value: stored, damage } = await readRotation(directoryOf(settings, cluster))
    for (const reason of damage) this.#parts.log('error', 'rotation-unread', { cluster, reason })
    if (!stored) return
    const { rotation, secrets = '' } = stored
    if (!isRotating(rotation)) {
      this.#runs.set(cluster, { rotation })
      return this.#parts.onFindings(cluster)
    }
    const logins = this.#open(secrets)
    if (!logins.ok) {
      const ended = { ...stopped(rotation, logins.failure), endedAt: now() }
      this.#runs.set(cluster, { rotation: ended })
      this.#tellEnd(cluster, ended)
      return this.#parts.onFindings(cluster)
    }
    this.#runs.set(cluster, { rotation, logins: logins.value })
    this.#parts.log('info', 'passwords-rotating', { cluster, user: rotation.owner, phase: rotation.phase })
    void this.#drive(cluster)
  }

  #open(secrets: string): Result<LoginChanges> {
    const { key } = this.#parts.clusters.configuration
    if (!isEncrypted(secrets)) return parseLogins(secrets)
    if (!key) return fail('bad-secret', 'the passwords are encrypted and the key is missing')
    const opened = decryptSecret(secrets, key)
    return opened.ok ? parseLogins(reveal(opened.value)) : opened
  }
}

function stopped({ waitsFor: _, ...rotation }: Rotation, { message }: Failure): Rotation {
  return { ...rotation, phase: 'stopped', message }
}

const directoryOf = (settings: Settings, cluster: string): string => path.join(settings['monitoring-datadir'], cluster)
