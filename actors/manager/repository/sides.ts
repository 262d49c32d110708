// Both sides of the configuration, what is here and what the repository has: read, pushed, and agreed on.
import { ok, type Result } from '../../../lib/base/result.js'
import { now, SECOND } from '../../../lib/base/time.js'
import type { Commit } from '../../../lib/git/client/parse.js'
import type { Remote, Repository } from '../../../lib/git/client/repository.js'
import { type FileSet, sameFiles } from '../../../lib/git/content/file-set.js'
import { permitFiles } from '../../../lib/git/content/judge-files.js'
import { authorOf, MANAGER, type NamedChange, renderMessage } from '../../../lib/git/content/message.js'
import { readSettingChanges } from '../../../lib/store/index.js'
import type { Clusters } from '../configuration/clusters.js'
import type { Attributions } from './attributions.js'
import { gatherFiles } from './gather.js'
import { baseRefOf } from './places.js'

export interface SidesParts {
  readonly clusters: Clusters
  readonly repository: Repository
  readonly attributions: Attributions
  /** Where several share the clusters: the name of this one, the same after a restart. */
  readonly instance: string
  /** Whether this instance pushes the files of the cluster. */
  readonly owns: (cluster: string) => boolean
}

/** Both sides as one step found them. */
export interface Meeting {
  readonly remote: Remote
  readonly head: string | undefined
  readonly local: FileSet
  readonly theirs: FileSet
  readonly base: FileSet
  /** Changes that are in the files by now. */
  readonly named: readonly NamedChange[]
  /** The working directory has never agreed with this repository. */
  readonly isFirst: boolean
}

/** What goes out: the new text of each file, undefined for one that is removed; and what its message says besides. */
export interface Outgoing {
  readonly changes: ReadonlyMap<string, string | undefined>
  readonly notes: readonly string[]
}

const WORK_REF = 'refs/manager/work'
/** Commits between two collections of what no commit needs. */
const TIDY_EVERY = 200

/** Recorded changes that are read at a start. */
const RECALLED = 200

export class Sides {
  readonly #parts: SidesParts
  #pushes = 0

  constructor(parts: SidesParts) {
    this.#parts = parts
  }

  /** The commit of what both sides last agreed on, by the address of the repository. */
  get baseRef(): string {
    return baseRefOf(this.#parts.clusters.server['git-url'])
  }

  /** Reads both sides. `head`: of the remote, already fetched. */
  async compare(remote: Remote, head: string | undefined): Promise<Result<Meeting>> {
    const { clusters, owns } = this.#parts
    const baseCommit = await this.#parts.repository.head(this.baseRef)
    const theirs = await this.read(head)
    const base = await this.read(baseCommit)
    if (!theirs.ok) return theirs
    if (!base.ok) return base
    const named = this.#parts.attributions.list()
    const gathered = await gatherFiles({
      ...{ configuration: clusters.configuration, instance: this.#parts.instance, owns },
      ...{ known: [base.value, theirs.value], remote: theirs.value },
    })
    if (!gathered.ok) return gathered
    const local = gathered.value
    const isFirst = baseCommit === undefined && head !== undefined && !sameFiles(local, theirs.value)
    // Who meets a repository with content pushes nothing over it unasked. Instances that share clusters push what they own.
    const before = baseCommit !== undefined ? base.value : this.#parts.instance === '' ? local : theirs.value
    return ok({
      remote,
      head,
      local,
      theirs: theirs.value,
      base: before,
      named,
      isFirst: isFirst && this.#parts.instance === '',
    })
  }

  /** One commit, pushed; its id. Failures: those of the repository; `secret-in-clear`. */
  async push({ remote, head, named }: Meeting, { changes, notes }: Outgoing): Promise<Result<string>> {
    const permitted = permitFiles(changes)
    if (!permitted.ok) return permitted
    const paths = [...changes.keys()]
    const made = await this.#parts.repository.commit({
      ...{ ref: WORK_REF, changes, author: authorOf(named), committer: MANAGER, at: now() },
      ...(head === undefined ? {} : { parent: head }),
      message: renderMessage(named, paths, notes),
    })
    if (!made.ok) return made
    const pushed = await this.#parts.repository.push(remote, made.value)
    if (!pushed.ok) return pushed
    if (++this.#pushes % TIDY_EVERY === 0) await this.#parts.repository.tidy()
    return made
  }

  /** What both sides agree on from now: what is here. */
  async remember({ local, theirs, head }: Meeting, pushed: string | undefined): Promise<void> {
    if (pushed === undefined) return
    // The remote commit itself where it has the same files: nothing is stored twice.
    if (pushed === head && sameFiles(local, theirs))
      return void (await this.#parts.repository.point(this.baseRef, pushed))
    await this.#parts.repository.commit({
      ...{ ref: this.baseRef, changes: local, author: MANAGER, committer: MANAGER, at: now() },
      message: 'The state that both sides agree on',
    })
  }

  /** The commit of this id with its author; undefined where it is not at hand. */
  async commitOf(id: string): Promise<Commit | undefined> {
    const log = await this.#parts.repository.log(id, { skip: 0, count: 1 })
    return log.ok ? log.value[0] : undefined
  }

  /** The files of a commit; none without one. Failures: those of the repository. */
  async read(commit: string | undefined): Promise<Result<FileSet>> {
    return commit === undefined ? ok(new Map()) : this.#parts.repository.read(commit, this.#parts.instance)
  }

  /** Changes that an earlier manager recorded and did not push. */
  async recall(): Promise<void> {
    const base = await this.#parts.repository.head(this.baseRef)
    const commit = base === undefined ? undefined : await this.commitOf(base)
    if (!commit) return
    const recorded = await readSettingChanges(this.#parts.clusters.server['monitoring-datadir']).catch(() => [])
    for (const record of recorded.slice(-RECALLED))
      if (record.at > commit.at + SECOND) this.#parts.attributions.noteSetting(record)
  }
}
