// A manager that is not registered, whatever is asked.
import type { RegistrationFace } from '../../../actors/protocol/manager/registration.js'
import { ok, type Result } from '../../../lib/base/result.js'

type Answer = <T>(name: string, given: unknown, value: T) => Result<T>

export const fakeRegistration = (answer: Answer = (_, __, value) => ok(value)): RegistrationFace => ({
  register: async ({ uri, email, user }) =>
    answer('register', [{ uri, email, user }], { uri, state: 'pending', message: `${uri} waits` }),
  confirm: async ({ uri, email, user }) =>
    answer('confirmRegistration', [{ uri, email, user }], { uri, message: `${uri} is registered` }),
  status: () => ({ state: 'idle', message: 'This manager is not registered.' }),
  subscription: async (uri = 'acme.paris.a') => answer('subscription', [uri], { uri, plan: 'free' }),
  subscribe: async ({ uri, plan, user }) => answer('subscribe', [{ uri, plan, user }], { uri, plan }),
  plans: async () => answer('subscriptionPlans', [], [{ plan: 'support' }]),
  unregister: async ({ uri, user }) => answer('unregister', [{ uri, user }], { uri }),
})
