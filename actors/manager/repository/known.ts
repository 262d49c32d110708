// What is known of the repository of the configuration: as its view, its state in one word and its findings. Pure.
import type { Finding } from '../../../lib/model/finding.js'
import type { IncomingView, RepositoryView } from '../../protocol/manager/repository.js'

export interface Known {
  readonly head?: string
  readonly answeredAt?: number
  readonly pushedAt?: number
  readonly problem?: { readonly code: string; readonly message: string }
  readonly queued: readonly string[]
  readonly incoming?: IncomingView
  readonly conflicts: readonly string[]
  readonly remarks: readonly string[]
  /** Files of others that no setting can be read of. */
  readonly unreadable: readonly string[]
  /** This working directory has never agreed with the repository. */
  readonly isFirst: boolean
  /** Both sides were compared since the start. */
  readonly hasMet: boolean
}

export const nothing: Known = {
  ...{ queued: [], conflicts: [], remarks: [], unreadable: [] },
  ...{ isFirst: false, hasMet: false },
}

/** `url`: '' where the configuration is not kept in a repository. */
export function viewOf(known: Known, url: string): RepositoryView {
  const { problem, isFirst: _, unreadable: __, hasMet: ___, ...shown } = known
  return { ...shown, state: stateOf(known, url), url, ...(problem ? { problem: problem.message } : {}) }
}

function stateOf({ problem, incoming, hasMet }: Known, url: string): RepositoryView['state'] {
  if (url === '') return 'off'
  if (problem) return problem.code === 'secret-in-clear' ? 'refused' : 'failed'
  if (!hasMet) return 'starting'
  return incoming ? 'waiting' : 'current'
}

/** Changes that a finding names. */
const NAMED = 5

export function findingsOf({ problem, incoming, queued, unreadable }: Known): readonly Finding[] {
  const failed: readonly Finding[] = !problem
    ? []
    : problem.code === 'secret-in-clear'
      ? [{ code: 'WARN0395', detail: problem.message }]
      : [{ code: 'WARN0132', detail: `${problem.message} (${queued.length} files wait)` }]
  if (!incoming) return failed
  const waiting = [
    ...incoming.changes.map(({ cluster, change, settings }) =>
      [cluster || 'server', change === 'edit' ? settings.join(', ') : change].join(': '),
    ),
    ...unreadable.map((file) => `${file} is not readable as TOML`),
  ]
  const detail = `${incoming.commit.id.slice(0, 12)}: ${waiting.slice(0, NAMED).join('; ')}`
  return [...failed, { code: 'WARN0396', detail }]
}
