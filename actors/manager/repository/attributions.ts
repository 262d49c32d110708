// Who changed what since the last commit: a commit names them.

import { type NamedChange, nameChange } from '../../../lib/git/content/message.js'
import type { SettingChangeRecord } from '../../../lib/model/operation/setting-change.js'

/** Changes that are kept for one message; more are left out, oldest first. */
export const MOST_NAMED = 1_000

/** Changes that are no change of a setting, by their line of the log. */
const named: Readonly<Record<string, string>> = {
  'cluster-added': 'added',
  'cluster-deleted': 'removed from the configuration',
  'settings-reloaded': 'configuration files read again',
}

export class Attributions {
  #changes: NamedChange[] = []

  noteSetting(record: SettingChangeRecord): void {
    this.note(nameChange(record))
  }

  /** A line of the log; most are no change of the configuration. */
  noteLine(code: string, fields: Readonly<Record<string, unknown>>, at: number): void {
    const what = named[code]
    if (what === undefined || fields.refused !== undefined) return
    this.note({ at, user: String(fields.user ?? ''), text: `${String(fields.cluster ?? 'server')}: ${what}` })
  }

  note(change: NamedChange): void {
    this.#changes = [...this.#changes, change].slice(-MOST_NAMED)
  }

  /** Oldest first. */
  list(): readonly NamedChange[] {
    return this.#changes
  }

  /** They are committed. */
  settle(committed: readonly NamedChange[]): void {
    const gone = new Set(committed)
    this.#changes = this.#changes.filter((change) => !gone.has(change))
  }
}
