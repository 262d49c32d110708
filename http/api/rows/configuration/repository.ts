// The configuration in git: its state, its commits, and the decisions about changes of others.
import * as z from 'zod'
import type { ChangesFace } from '../../../../actors/protocol/manager/changes.js'
import type { ManagerFace } from '../../../../actors/protocol/manager/face.js'
import type { Decision } from '../../../../actors/protocol/manager/repository.js'
import { globalGrants } from '../../../../lib/access/grants.js'
import { fail, ok, type Result } from '../../../../lib/base/result.js'
import { wholeNumber } from '../../kit/input.js'
import { planChange } from '../../kit/plan/foreseen.js'
import { listed } from '../../kit/plan/planned.js'
import { usual } from '../../kit/refusals.js'
import { route } from '../../kit/route.js'

const commitSchema = z
  .object({
    id: z.string(),
    author: z.string(),
    email: z.string(),
    at: z.number(),
    subject: z.string(),
    body: z.string(),
  })
  .meta({ id: 'RepositoryCommit' })

const texts = z.array(z.string())

const repositorySchema = z
  .object({
    state: z.enum(['off', 'starting', 'current', 'waiting', 'refused', 'failed']),
    url: z.string(),
    head: z.string().optional(),
    answeredAt: z.number().optional(),
    pushedAt: z.number().optional(),
    problem: z.string().optional(),
    queued: texts,
    incoming: z
      .object({
        commit: commitSchema,
        changes: z.array(z.object({ cluster: z.string(), change: z.enum(['add', 'remove', 'edit']), settings: texts })),
      })
      .optional(),
    ...{ conflicts: texts, remarks: texts },
  })
  .meta({ id: 'ConfigurationRepository' })

const exampleCommit = {
  ...{ id: '3f786850e387550fdab836ed7e6dc881de23001b', author: 'ann', email: 'ann@manager.invalid' },
  ...{ at: 1795246812000, subject: 'shop: failover-mode from manual to automatic' },
  body: '2026-11-21T07:40:12.345Z ann: shop: failover-mode from manual to automatic',
}

const example = {
  ...{ state: 'current' as const, url: 'https://git.example.com/dba/fleet.git', head: exampleCommit.id },
  ...{ answeredAt: 1795246872000, pushedAt: 1795246812000, queued: [], conflicts: [], remarks: [] },
}

const commitParams = z.looseObject({
  commit: z.string().regex(/^[0-9a-f]{7,64}$/, 'expected the id of a commit, or at least 7 characters of it'),
})

const page = z.object({
  skip: wholeNumber({ min: 0, max: 1_000_000 }).default(0).describe('Commits left out, the newest first.'),
  count: wholeNumber({ min: 1, max: 500 }).default(50).describe('Commits that are listed.'),
})

const failing = usual(
  ...(['git-missing', 'git-failed', 'repository-away', 'repository-login', 'repository-moved'] as const),
  ...(['secret-in-clear', 'file-unreadable', 'wrong-state'] as const),
)

const changing = {
  ...failing,
  ...usual(
    ...([
      'bad-secret',
      'bad-configuration',
      'unknown-setting',
      'setting-without-effect',
      'wrong-value',
      'wrong-scope',
      'no-grant',
    ] as const),
    ...(['setting-grant', 'last-administrator', 'server-exists', 'cluster-exists', 'bad-name', 'unsupported'] as const),
    ...(['unknown-cluster', 'not-owner', 'file-unwritable', 'actor-gone', 'deadline-passed', 'mailbox-full'] as const),
    ...(['bad-request', 'store-unreachable', 'changed-elsewhere'] as const),
  ),
}

const rejectTexts = {
  texts: ['Give the repository what runs here again'],
  follows: ['The history of the repository keeps the rejected changes.', 'No setting of this manager changes.'],
}

export const repositoryRoutes = {
  'repository.show': route({
    methods: ['GET'],
    paths: ['/api/repository'],
    summary:
      'The git repository of the configuration (git-url): whether all changes are pushed, what waits, and what others changed.',
    grant: globalGrants,
    reply: { status: 200, type: 'json', schema: repositorySchema },
    failures: {},
    example: { reply: example },
    answer: ({ manager }) => ok(manager.repository.view()),
  }),

  'repository.commits': route({
    methods: ['GET'],
    paths: ['/api/repository/commits'],
    summary: 'The commits of the configuration, newest first: who changed what, and when.',
    grant: globalGrants,
    query: page,
    reply: { status: 200, type: 'json', schema: z.array(commitSchema) },
    failures: { ...failing, 'bad-request': [400] },
    example: { reply: [exampleCommit] },
    answer: ({ manager, query: { skip, count } }) => manager.repository.log(skip, count),
  }),

  'repository.push': route({
    methods: ['GET', 'POST'],
    paths: ['/api/repository/actions/push'],
    summary: 'Compare with the repository and push what changed now, without waiting for the next check.',
    grant: globalGrants,
    reply: { status: 200, type: 'json', schema: repositorySchema },
    failures: failing,
    example: { reply: example },
    plan: ({ manager }) =>
      listed('push-configuration', ok(undefined), {
        texts: [`Compare the configuration with ${manager.repository.view().url || 'no repository (git-url)'}`],
        follows: ['What changed here is pushed; what others changed waits for a decision.'],
      }),
    answer: ({ manager }) => manager.repository.synchronise(),
  }),

  'repository.apply': route({
    methods: ['GET', 'POST'],
    paths: ['/api/repository/actions/apply/:commit'],
    summary:
      'Apply what others changed in the repository, up to its newest commit: every change is validated first, and is recorded in the history of settings.',
    grant: globalGrants,
    params: commitParams,
    reply: { status: 200, type: 'json', schema: repositorySchema },
    failures: changing,
    example: { reply: example },
    plan: ({ manager, params: { commit }, caller }) =>
      planChange(manager, 'apply-commit', (changes) => manager.repository.apply(changes, { commit, caller })),
    answer: async ({ manager, params: { commit }, caller }) => {
      const made = await validated(manager, (changes) => manager.repository.apply(changes, { commit, caller }))
      return made.ok ? manager.repository.settle({ commit, caller }, 'applied') : made
    },
  }),

  'repository.reject': route({
    methods: ['GET', 'POST'],
    paths: ['/api/repository/actions/reject/:commit'],
    summary: 'Reject what others changed, up to the newest commit: a commit gives the repository what runs here again.',
    grant: globalGrants,
    params: commitParams,
    reply: { status: 200, type: 'json', schema: repositorySchema },
    failures: { ...failing, 'bad-request': [400] },
    example: { reply: example },
    plan: ({ manager, params: { commit } }) => {
      const { incoming } = manager.repository.view()
      const isNewest = incoming?.commit.id.startsWith(commit) ?? false
      const judged: Result<void> = isNewest
        ? ok(undefined)
        : fail('wrong-state', `${commit} is not the newest commit of others`)
      return listed('reject-commit', judged, rejectTexts)
    },
    answer: ({ manager, params: { commit }, caller }) => manager.repository.settle({ commit, caller }, 'rejected'),
  }),

  'repository.roll-back': route({
    methods: ['GET', 'POST'],
    paths: ['/api/repository/actions/roll-back/:commit'],
    summary:
      'Give the saved settings of all clusters the values of a commit again, secrets left out; the next commit names it.',
    grant: globalGrants,
    params: commitParams,
    reply: { status: 200, type: 'json', schema: repositorySchema },
    failures: { ...changing, ...usual('unknown-commit') },
    example: { reply: example },
    plan: ({ manager, params: { commit }, caller }) =>
      planChange(manager, 'roll-back', (changes) => manager.repository.rollBack(changes, { commit, caller })),
    answer: async ({ manager, params: { commit }, caller }) => {
      const decision: Decision = { commit, caller }
      const made = await validated(manager, (changes) => manager.repository.rollBack(changes, decision))
      if (!made.ok) return made
      manager.repository.noteRollBack(decision)
      return manager.repository.synchronise()
    },
  }),
}

/** Made on a copy first: a change that is refused leaves none of the others made. */
async function validated(
  manager: ManagerFace,
  change: (changes: ChangesFace) => Promise<Result<void>>,
): Promise<Result<void>> {
  const foreseen = await manager.foresee(change)
  return foreseen.ok ? change(manager) : foreseen
}
