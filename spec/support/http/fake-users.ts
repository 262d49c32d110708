// Users without a manager behind them: every answer succeeds, or is the failure that a spec sets.
import type { UsersFace } from '../../../actors/protocol/manager/users.js'
import type { Answerer } from './fake-configurator.js'

export const fakeUsers = (answer: Answerer): UsersFace => ({
  add: async (wish) => answer('addUser', wish, undefined),
  update: async (wish) => answer('updateUser', wish, undefined),
  drop: async (wish) => answer('dropUser', wish, undefined),
  list: () => [{ user: 'admin', access: 'show', roles: [], grants: ['show'], added: false, signOn: false }],
  grants: () => ['show'],
  sendCredentials: async (wish) => answer('sendCredentials', wish, undefined),
  sendVaultToken: async (wish) => answer('sendVaultToken', wish, undefined),
})
