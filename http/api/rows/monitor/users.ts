// Users of a cluster, added and changed while the service runs. A caller can grant no more than it holds itself.
import * as z from 'zod'
import type { Caller, ChangesFace, ManagerFace } from '../../../../actors/protocol/manager/face.js'
import type { CredentialsKind, CredentialsRequest } from '../../../../actors/protocol/manager/users.js'
import { roleNames } from '../../../../lib/access/roles.js'
import { grantsOf } from '../../../../lib/access/user-lists.js'
import { fail, ok, type Result } from '../../../../lib/base/result.js'
import { planChange } from '../../kit/plan/foreseen.js'
import { listed } from '../../kit/plan/planned.js'
import { noCluster, usual } from '../../kit/refusals.js'
import { route } from '../../kit/route.js'

const words = z.string().max(8_192).default('')

const userForm = z.object({
  username: z
    .string()
    .min(1)
    .max(128)
    .describe('no blank, colon or comma; not the name of a device or of what every object has'),
  password: z.string().max(1_024).default('').describe('no comma or control character, no blank at an end'),
  roles: words.describe(
    `of ${roleNames.join(', ')}; blanks between them; they give their grants when no grants are named; 400 for what is no role`,
  ),
  grants: words.describe('blanks between them; each the beginning of names; 400 for what begins none'),
})

const userName = userForm.pick({ username: true })

const changeFailures = {
  ...noCluster,
  'bad-request': [400, 'Error in request'],
  ...usual(
    'no-grant',
    'last-administrator',
    'file-unwritable',
    'wrong-value',
    'store-unreachable',
    'changed-elsewhere',
  ),
} as const

const request = { username: 'ann@example.com', password: 'secret', roles: '', grants: 'show db-show' } as const

const userView = z
  .object({
    user: z.string(),
    access: z.string().describe('words of the access lists, as they are written'),
    roles: z.array(z.string()),
    grants: z.array(z.string()).describe('what the words and roles come to'),
    added: z.boolean().describe('can be updated and dropped over the API; otherwise it is set in the configuration'),
    signOn: z.boolean().describe('has no password: logs in by single sign-on only'),
  })
  .meta({ id: 'User' })

export const userRoutes = {
  'users.list': route({
    methods: ['GET'],
    paths: ['/api/clusters/:cluster/users'],
    summary: 'The users of the cluster, with what they may do there.',
    grant: ['grant-show', 'cluster-grant'],
    reply: { status: 200, type: 'json', schema: z.array(userView) },
    failures: noCluster,
    example: {
      reply: [
        {
          ...{ user: 'ann@example.com', access: 'show db-show-process', roles: [] },
          ...{ grants: ['show', 'db-show-process'], added: true, signOn: false },
        },
      ],
    },
    answer: ({ manager, params }) => ok(manager.users.list(params.cluster)),
  }),

  'users.add': route({
    methods: ['GET', 'POST'],
    paths: ['/api/clusters/:cluster/users/add'],
    summary: 'Add a user of the cluster; without a password it logs in elsewhere (single sign-on).',
    grant: ['grant-add', 'cluster-grant'],
    body: userForm,
    reply: { status: 200, type: 'empty' },
    failures: { ...changeFailures, ...usual('wrong-state'), 'user-exists': [500, 'Error adding new user'] },
    example: { request },
    secrets: () => ['password'],
    plan: ({ manager, params, body, caller }) =>
      planChange(manager, 'add-user', (changes) => addUser(changes, { params, body, caller })),
    answer: ({ manager, params, body, caller }) => addUser(manager, { params, body, caller }),
  }),

  'users.update': route({
    methods: ['GET', 'POST'],
    paths: ['/api/clusters/:cluster/users/update'],
    summary:
      'Change grants and roles of a user of the cluster, and its password when one is given: that ends its sessions. 409 for the password of a user of `api-credentials`, which is changed there.',
    grant: ['grant-modify', 'cluster-grant'],
    body: userForm,
    reply: { status: 200, type: 'empty' },
    failures: { ...changeFailures, ...usual('wrong-state'), 'unknown-user': [500, 'Error updating user'] },
    example: { request },
    secrets: () => ['password'],
    plan: ({ manager, params, body, caller }) =>
      planChange(manager, 'update-user', (changes) => updateUser(changes, { params, body, caller })),
    answer: ({ manager, params, body, caller }) => updateUser(manager, { params, body, caller }),
  }),

  'users.drop': route({
    methods: ['GET', 'POST'],
    paths: ['/api/clusters/:cluster/users/drop'],
    summary: 'Drop a user of the cluster: refused from its next request on.',
    grant: ['grant-drop', 'cluster-grant'],
    body: userName,
    reply: { status: 200, type: 'empty' },
    failures: { ...changeFailures, 'unknown-user': [500, 'Error dropping user'] },
    example: { request: { username: request.username } },
    plan: ({ manager, params, body, caller }) =>
      planChange(manager, 'drop-user', (changes) => dropUser(changes, { params, body, caller })),
    answer: ({ manager, params, body, caller }) => dropUser(manager, { params, body, caller }),
  }),

  'users.send-credentials': route({
    methods: ['GET', 'POST'],
    paths: ['/api/clusters/:cluster/users/send-credentials'],
    summary:
      'Mail a user a token that sets another password of its account of the service (`sys`: for callers who hold all that the user holds, everywhere), or shows that of the databases (`db`: with cluster-grant wherever the account is used, or to the sponsor of a self-service cluster who asks for itself), once. It goes to the name, where that is an address, else to `mail-to` of the configuration files.',
    grant: ['grant-show', 'cluster-grant'],
    body: userName.extend({ type: z.enum(['sys', 'db']).default('sys') }),
    reply: { status: 200, type: 'empty' },
    failures: {
      ...changeFailures,
      ...usual('wrong-state', 'too-often'),
      'unknown-user': [500, 'Error sending email'],
      'mail-failed': [500, 'Error sending email'],
    },
    example: { request: { username: request.username, type: 'sys' } },
    plan: ({ manager, params, body, caller }) => {
      const judged = judgeSending(manager, { params, body, caller })
      const opens = body.type === 'db' ? 'shows the account of the databases' : `sets a password of ${body.username}`
      return listed('send-credentials', judged, [
        `Mail a token to ${judged.ok ? judged.value : ''} that ${opens}, once`,
      ])
    },
    answer: ({ manager, params, body, caller }) => {
      const judged = judgeSending(manager, { params, body, caller })
      return judged.ok ? manager.users.sendCredentials(requestOf({ params, body, caller })) : judged
    },
  }),

  'users.redeem': route({
    methods: ['POST'],
    paths: ['/api/one-time-credentials'],
    summary:
      'What a mailed token opens, once, within a day of the mail: it shows the account of the databases; of a user of the service it sets `password`, or one that is made and shown, and ends its sessions.',
    grant: 'none',
    body: z.object({
      token: z.string().min(1).max(256),
      password: z.string().max(1_024).default('').describe('of a user of the service; empty: one is made'),
    }),
    reply: { status: 200, type: 'json', schema: z.object({ user: z.string(), password: z.string() }), secret: true },
    failures: {
      ...noCluster,
      ...usual(
        'bad-request',
        'unknown-token',
        'file-unwritable',
        'store-unreachable',
        'changed-elsewhere',
        'not-owner',
      ),
    },
    example: { request: { token: 'once_…' }, reply: { user: 'ann@example.com', password: 'secret' } },
    answer: ({ manager, body }) => manager.users.redeem(body.token, body.password),
  }),
}

interface Given<Body> {
  readonly params: { readonly cluster: string }
  readonly body: Body
  readonly caller: Caller
}

/** The account of the databases. In self-service it is that of the sponsor's cluster alone. */
const mayHaveAccount = (
  { selfService }: ManagerFace,
  { params: { cluster }, body: { username }, caller }: Given<z.output<typeof userName>>,
): boolean =>
  caller.may('cluster-grant', cluster) || (username === caller.user && selfService.sponsors(caller.user, cluster))

type Sending = Given<z.output<typeof userName> & { readonly type: CredentialsKind }>

const requestOf = ({ params, body: { username, type }, caller }: Sending): CredentialsRequest => ({
  ...{ cluster: params.cluster, username, kind: type, ...requester(caller) },
})

/** The address that an account would be mailed to. */
const judgeSending = (manager: ManagerFace, given: Sending): Result<string> =>
  given.body.type === 'db' && !mayHaveAccount(manager, given)
    ? fail('no-grant', 'the account of the databases is sent by those with cluster-grant, or to the sponsor')
    : manager.users.judgeCredentials(requestOf(given))

const addUser = ({ users }: ChangesFace, { params: { cluster }, body, caller }: Given<z.output<typeof userForm>>) =>
  within(caller, cluster, grantsOf(body)) ?? users.add({ ...body, ...requester(caller), cluster })

const updateUser = ({ users }: ChangesFace, { params: { cluster }, body, caller }: Given<z.output<typeof userForm>>) =>
  within(caller, cluster, [...users.grants(cluster, body.username), ...grantsOf(body)]) ??
  users.update({ ...body, ...requester(caller), cluster })

const dropUser = ({ users }: ChangesFace, { params: { cluster }, body, caller }: Given<z.output<typeof userName>>) =>
  within(caller, cluster, users.grants(cluster, body.username)) ??
  users.drop({ ...body, ...requester(caller), cluster })

const requester = ({ user, may }: Caller) => ({ by: user, may })

/** The refusal of a caller with a missing grant; undefined when it holds all of them. */
function within(caller: Caller, cluster: string, grants: readonly string[]): Result<void> | undefined {
  const lacking = grants.find((grant) => !caller.may(grant, cluster))
  return lacking === undefined ? undefined : fail('no-grant', `you do not hold ${lacking} yourself`)
}
