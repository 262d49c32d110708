// Users without a manager behind them: every answer succeeds, or is the failure that a spec sets.
import type { UsersFace } from '../../../actors/protocol/manager/users.js'
import { ok } from '../../../lib/base/result.js'
import type { Answerer } from './fake-configurator.js'

export const fakeUsers = (answer: Answerer): UsersFace => ({
  add: async (request) => answer('addUser', request, undefined),
  update: async (request) => answer('updateUser', request, undefined),
  drop: async (request) => answer('dropUser', request, undefined),
  list: () => [{ user: 'admin', access: 'show', roles: [], grants: ['show'], added: false, signOn: false }],
  grants: () => ['show'],
  judgeCredentials: ({ username }) => ok(username),
  sendCredentials: async (request) => answer('sendCredentials', request, undefined),
  redeem: async () => answer('redeem', undefined, { user: 'ann@example.com', password: 'secret' }),
  sendVaultToken: async (request) => answer('sendVaultToken', request, undefined),
})
