// A configuration repository with one commit, whatever is asked of it.
import type { RepositoryFace, RepositoryView } from '../../../actors/protocol/manager/repository.js'
import { ok, type Result } from '../../../lib/base/result.js'

const commit = {
  ...{ id: '3f786850e387550fdab836ed7e6dc881de23001b', author: 'ann', email: 'ann@manager.invalid', at: 1_000 },
  ...{ subject: 'demo: failover-mode from manual to automatic', body: '' },
}

const view: RepositoryView = {
  ...{ state: 'waiting', url: 'https://git.example.com/dba/fleet.git', head: commit.id, answeredAt: 2_000 },
  incoming: { commit, changes: [{ cluster: 'demo', change: 'edit', settings: ['failover-mode'] }] },
  ...{ queued: [], conflicts: [], remarks: [] },
}

type Answer = <T>(name: string, given: unknown, value: T) => Result<T>

export const fakeRepository = (answer: Answer = (_, __, value) => ok(value)): RepositoryFace => ({
  view: () => view,
  log: async (...given) => answer('repositoryLog', given, [commit]),
  synchronise: async () => answer('repositorySynchronise', [], view),
  apply: (changes, { caller }) =>
    changes.editSettings({ cluster: 'demo', ...caller }, { 'failover-mode': 'automatic' }),
  rollBack: (changes, { caller }) =>
    changes.editSettings({ cluster: 'demo', ...caller }, { 'failover-mode': 'manual' }),
  noteRollBack: () => undefined,
  settle: async (...given) => answer('repositorySettle', given, view),
})
