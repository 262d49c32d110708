// The configuration in git: what changed here is pushed, what others pushed is compared, one step at a time.
import path from 'node:path'
import type { LogCode, WriteLog } from '../../../lib/base/log-codes.js'
import { done, fail, ok, type Result } from '../../../lib/base/result.js'
import type { Secret } from '../../../lib/base/secret.js'
import { now, SECOND } from '../../../lib/base/time.js'
import { REMOTE_REF, type Remote, Repository } from '../../../lib/git/client/repository.js'
import { type Compared, compareStates, editsBetween, type ScopeEdit } from '../../../lib/git/content/compare.js'
import { permitFiles } from '../../../lib/git/content/judge-files.js'
import type { Finding } from '../../../lib/model/finding.js'
import { isModuleLogged } from '../../../lib/model/log-module.js'
import type { SettingChangeRecord } from '../../../lib/model/operation/setting-change.js'
import type { Settings } from '../../../lib/settings/table/index.js'
import type { ChangesFace } from '../../protocol/manager/changes.js'
import type { ManagerFace } from '../../protocol/manager/face.js'
import type {
  CommitView,
  Decision,
  IncomingView,
  RepositoryFace,
  RepositoryView,
} from '../../protocol/manager/repository.js'
import { applyEdits, withoutSecrets } from './apply-edits.js'
import { Attributions } from './attributions.js'
import { findingsOf, type Known, nothing, viewOf } from './known.js'
import { REPOSITORY_FOLDER, remoteOf } from './places.js'
import { type Meeting, type Outgoing, Sides, type SidesParts } from './sides.js'

export interface RepositoryParts extends Omit<SidesParts, 'repository' | 'attributions'> {
  readonly log: WriteLog<'info' | 'warn'>
  /** What settings are changed with; every change is validated before one is made. */
  readonly changes: () => Pick<ManagerFace, 'foresee'> & ChangesFace
}

/** Pushes of others in between, in one go. */
const ATTEMPTS = 4
/** After a failure: doubled each time, up to the interval of the checks. */
const RETRY_MS = 2 * SECOND

export class ConfigurationRepository implements RepositoryFace {
  readonly #parts: RepositoryParts
  readonly #closing = new AbortController()
  readonly #attributions = new Attributions()
  readonly #repository: Repository
  readonly #sides: Sides
  #known: Known = nothing
  /** What the changes that wait for a decision come to. */
  #edits: readonly ScopeEdit[] = []
  /** A commit that git-changes would have applied. */
  #refused: string | undefined
  /** Something here may differ from what was pushed. */
  #isDirty = true
  #isOpen = false
  #failures = 0
  #timer: NodeJS.Timeout | undefined
  /** Steps run one after the other. */
  #turn: Promise<unknown> = Promise.resolve()

  constructor(parts: RepositoryParts) {
    this.#parts = parts
    this.#repository = new Repository(
      path.join(this.#settings['monitoring-datadir'], REPOSITORY_FOLDER),
      this.#closing.signal,
    )
    this.#sides = new Sides({ ...parts, repository: this.#repository, attributions: this.#attributions })
  }

  start(): void {
    if (this.#remote()) this.#schedule(0)
  }

  /** What runs is ended; the next manager does it again. */
  async close(): Promise<void> {
    clearTimeout(this.#timer)
    this.#closing.abort()
    await this.#turn.catch(() => undefined)
  }

  /** The configuration is another one; it is pushed when the changes of this moment are complete. */
  adopted(): void {
    this.#isDirty = true
    if (!this.#remote()) this.#reset()
    else this.#schedule(this.#settings['monitoring-ticker'] * SECOND)
  }

  noteSetting(record: SettingChangeRecord): void {
    this.#attributions.noteSetting(record)
  }

  noteLine(code: string, fields: Readonly<Record<string, unknown>>): void {
    this.#attributions.noteLine(code, fields, now())
  }

  view(): RepositoryView {
    return viewOf(this.#known, this.#settings['git-url'])
  }

  findings(): readonly Finding[] {
    return this.#remote() ? findingsOf(this.#known) : []
  }

  /** Compares and pushes now. Failures: those of the repository; `secret-in-clear`, `file-unreadable`. */
  synchronise(): Promise<Result<RepositoryView>> {
    this.#isDirty = true
    return this.#inTurn(async () => {
      const met = await this.#step()
      return met.ok ? ok(this.view()) : met
    })
  }

  /** Newest first. Failures: those of the repository; `wrong-state` before it was read. */
  async log(skip: number, count: number): Promise<Result<readonly CommitView[]>> {
    const { head } = this.#known
    return head === undefined ? this.#notRead() : this.#repository.log(head, { skip, count })
  }

  async apply(changes: ChangesFace, { commit, caller }: Decision): Promise<Result<void>> {
    const edits = await this.#editsOf(commit)
    return edits.ok ? applyEdits(changes, { edits: edits.value, caller, key: this.#key }) : edits
  }

  async rollBack(changes: ChangesFace, { commit, caller }: Decision): Promise<Result<void>> {
    const edits = await this.#editsBackTo(commit)
    return edits.ok ? applyEdits(changes, { edits: edits.value, caller, key: this.#key }) : edits
  }

  /** After the changes of `apply`, or without them: both sides agree on what is here, and it is pushed. */
  settle({ commit, caller }: Decision, verdict: 'applied' | 'rejected'): Promise<Result<RepositoryView>> {
    return this.#inTurn(async () => {
      const judged = this.#judgeIncoming(commit)
      if (!judged.ok) return judged
      const id = judged.value.slice(0, 12)
      this.#parts.log('info', verdict === 'applied' ? 'repository-applied' : 'repository-rejected', {
        commit: judged.value,
        user: caller.user,
      })
      if (verdict === 'rejected')
        this.#attributions.note({ at: now(), user: caller.user, text: `the changes up to ${id} are rejected` })
      const pointed = await this.#repository.point(this.#sides.baseRef, judged.value)
      if (!pointed.ok) return pointed
      this.#isDirty = true
      const met = await this.#step()
      return met.ok ? ok(this.view()) : met
    })
  }

  /** The message of the next commit names the roll-back. */
  noteRollBack({ commit, caller }: Decision): void {
    this.#attributions.note({ at: now(), user: caller.user, text: `rolled back to ${commit.slice(0, 12)}` })
  }

  #judgeIncoming(commit: string): Result<string> {
    const { incoming } = this.#known
    if (!incoming) return fail('wrong-state', 'no change in the repository waits for a decision')
    const { id } = incoming.commit
    return id.startsWith(commit)
      ? ok(id)
      : fail('wrong-state', `the repository is at ${id} now: read its changes again`)
  }

  async #editsOf(commit: string): Promise<Result<readonly ScopeEdit[]>> {
    const judged = this.#judgeIncoming(commit)
    const [broken] = this.#known.unreadable
    if (judged.ok && broken !== undefined) return fail('bad-configuration', `${broken}: not readable as TOML`)
    return judged.ok ? ok(this.#edits) : judged
  }

  /** Secrets stay: servers have the present ones by now. */
  async #editsBackTo(commit: string): Promise<Result<readonly ScopeEdit[]>> {
    const { head } = this.#known
    if (head === undefined) return this.#notRead()
    if (!(await this.#repository.isWithin(commit, head)))
      return fail('unknown-commit', `${commit} is not in the history of the repository`)
    const [then, present] = [await this.#sides.read(commit), await this.#sides.read(head)]
    if (!then.ok) return then
    if (!present.ok) return present
    const edits = editsBetween(present.value, then.value, this.#instance).map(withoutSecrets)
    return ok(edits.filter(({ change, values }) => change !== 'edit' || values.size > 0))
  }

  get #key(): Secret | undefined {
    return this.#parts.clusters.configuration.key
  }

  get #settings(): Settings {
    return this.#parts.clusters.server
  }

  #remote(): Remote | undefined {
    return remoteOf(this.#settings)
  }

  #reset(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#know(nothing)
  }

  #schedule(ms: number): void {
    if (this.#closing.signal.aborted) return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.#inTurn(() => this.#tick()), ms)
    this.#timer.unref()
  }

  async #tick(): Promise<Result<void>> {
    if (!this.#remote()) return done
    const met = await this.#step()
    const everyMs = this.#settings['git-monitoring-ticker'] * SECOND
    this.#failures = met.ok ? 0 : this.#failures + 1
    this.#schedule(met.ok ? everyMs : Math.min(RETRY_MS * 2 ** (this.#failures - 1), everyMs))
    // Not within this turn: it takes turns of its own.
    if (met.ok) void this.#applyByPolicy()
    return met.ok ? done : met
  }

  /** Of `git-changes`: what is valid and removes nothing is applied; a commit that is not waits for a person. */
  async #applyByPolicy(): Promise<void> {
    const { incoming, isFirst } = this.#known
    if (this.#settings['git-changes'] !== 'apply' || !incoming || isFirst) return
    const { id, author } = incoming.commit
    if (id === this.#refused || incoming.changes.some(({ change }) => change === 'remove')) return
    const decision: Decision = { commit: id, caller: { user: `${author} (git)`, may: () => true } }
    const changes = this.#parts.changes()
    const foreseen = await changes.foresee((rehearsed) => this.apply(rehearsed, decision))
    const made = foreseen.ok ? await this.apply(changes, decision) : foreseen
    const settled = made.ok ? await this.settle(decision, 'applied') : made
    if (settled.ok) return
    this.#refused = id
    this.#log('warn', 'repository-refused', { commit: id, author, problem: settled.failure.message })
    this.#know({ ...this.#known, remarks: [...this.#known.remarks, `not applied: ${settled.failure.message}`] })
  }

  /** One comparison with what follows from it; what it found is known afterwards. */
  async #step(): Promise<Result<void>> {
    const remote = this.#remote()
    if (!remote) return done
    const met = await this.#meet(remote)
    if (this.#closing.signal.aborted) return met
    const { problem: before } = this.#known
    if (met.ok) {
      if (before) this.#log('info', 'repository-back', { url: remote.url })
      const { problem: _, ...rest } = this.#known
      this.#know({ ...rest, queued: [], answeredAt: Math.round(now()), hasMet: true })
      return done
    }
    const { code, message } = met.failure
    if (before?.message !== message) this.#log('warn', 'repository-failed', { code, problem: message })
    this.#know({ ...this.#known, problem: { code, message } })
    return met
  }

  async #meet(remote: Remote): Promise<Result<void>> {
    if (!this.#isOpen) {
      const opened = await this.#repository.open()
      if (!opened.ok) return opened
      await this.#sides.recall()
      this.#isOpen = true
    }
    for (let attempt = 1; ; attempt++) {
      const agreed = await this.#agree(remote)
      if (agreed.ok || agreed.failure.code !== 'repository-moved' || attempt === ATTEMPTS) return agreed
    }
  }

  async #agree(remote: Remote): Promise<Result<void>> {
    const listed = await this.#repository.remoteHead(remote)
    if (!listed.ok) {
      await this.#noteQueued(remote)
      return listed
    }
    const head = listed.value
    if (!this.#isDirty && this.#known.hasMet && head === this.#known.head) return done
    if (head !== undefined && head !== (await this.#repository.head(REMOTE_REF))) {
      const fetched = await this.#repository.fetch(remote)
      if (!fetched.ok) return fetched
    }
    const meeting = await this.#compare(remote, head)
    if (!meeting.ok) return meeting
    const compared = compareStates({ ...meeting.value, remote: meeting.value.theirs, instance: this.#instance })
    return this.#settle(meeting.value, compared)
  }

  /** Reads both sides; what changes from here on is read by the next step. */
  async #compare(remote: Remote, head: string | undefined): Promise<Result<Meeting>> {
    this.#isDirty = false
    const meeting = await this.#sides.compare(remote, head)
    if (!meeting.ok) this.#isDirty = true
    return meeting
  }

  /** Pushes what goes out, and notes what comes in. */
  async #settle(meeting: Meeting, compared: Compared): Promise<Result<void>> {
    const { local, head, isFirst } = meeting
    const { conflicts, ignored, unreadable } = compared
    const outgoing = head === undefined ? new Map(local) : isFirst ? new Map<string, string>() : compared.outgoing
    this.#know({ ...this.#known, queued: [...outgoing.keys()] })
    const notes = conflicts.map((each) => `Kept, although it was changed in the repository too: ${each}`)
    const pushed = outgoing.size === 0 ? ok(head) : await this.#push(meeting, { changes: outgoing, notes })
    if (!pushed.ok) {
      this.#isDirty = true
      return pushed
    }
    // What changed no file (a value until restart) is in no commit.
    this.#attributions.settle(meeting.named)
    if (!isFirst) await this.#sides.remember(meeting, pushed.value)
    const incoming = await this.#incoming(head, compared)
    const remarks = [
      ...ignored.map((file) => `${file}: a change there has no effect, the manager writes it`),
      ...unreadable.map((file) => `${file}: not readable as TOML, what runs here is kept`),
      ...(isFirst
        ? ['this working directory and the repository have never agreed: nothing is pushed before a decision']
        : []),
    ]
    const { incoming: _, ...known } = this.#known
    this.#know({
      ...known,
      ...(pushed.value === undefined ? {} : { head: pushed.value }),
      ...(incoming ? { incoming } : {}),
      conflicts: conflicts.length > 0 ? conflicts : known.conflicts,
      ...{ remarks, unreadable, isFirst },
    })
    return done
  }

  async #push(meeting: Meeting, outgoing: Outgoing): Promise<Result<string>> {
    const pushed = await this.#sides.push(meeting, outgoing)
    if (!pushed.ok) return pushed
    this.#know({ ...this.#known, pushedAt: Math.round(now()) })
    const user = meeting.named.at(-1)?.user ?? ''
    this.#log('info', 'repository-pushed', { commit: pushed.value, files: outgoing.changes.size, user })
    return pushed
  }

  async #incoming(
    head: string | undefined,
    { incoming: edits, unreadable }: Compared,
  ): Promise<IncomingView | undefined> {
    const commit =
      head === undefined || edits.length + unreadable.length === 0 ? undefined : await this.#sides.commitOf(head)
    this.#edits = commit ? edits : []
    if (!commit) return undefined
    const known = this.#known.incoming?.commit.id
    if (known !== commit.id) this.#log('info', 'repository-changed', { commit: commit.id, author: commit.author })
    const changes = edits.map(({ scope, change, values }) => ({ cluster: scope, change, settings: [...values.keys()] }))
    return { commit, changes }
  }

  /** What waits while the remote is away. */
  async #noteQueued(remote: Remote): Promise<void> {
    if (!this.#isDirty) return
    const met = await this.#compare(remote, await this.#repository.head(REMOTE_REF))
    this.#isDirty = true
    if (!met.ok) return
    const { outgoing } = compareStates({ ...met.value, remote: met.value.theirs, instance: this.#instance })
    const permitted = permitFiles(outgoing)
    this.#know({ ...this.#known, queued: permitted.ok ? [...outgoing.keys()] : [] })
  }

  get #instance(): string {
    return this.#parts.instance
  }

  #know(known: Known): void {
    this.#known = known
  }

  #log(level: 'info' | 'warn', code: LogCode, fields: Readonly<Record<string, unknown>>): void {
    if (isModuleLogged(this.#settings, 'git', level === 'warn' ? 'WARN' : 'INFO')) this.#parts.log(level, code, fields)
  }

  #notRead(): Result<never> {
    const why =
      this.#settings['git-url'] === ''
        ? 'git-url is not set: there is no repository'
        : 'the repository has not been read yet'
    return fail('wrong-state', why)
  }

  #inTurn<T>(work: () => Promise<Result<T>>): Promise<Result<T>> {
    const turn = this.#turn.then(work).catch((error: unknown): Result<T> => fail('git-failed', String(error)))
    this.#turn = turn
    return turn
  }
}
