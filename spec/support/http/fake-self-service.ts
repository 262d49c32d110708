// Self-service that is off, for every user: creations succeed, or end with the failure that a spec sets.
import type { SelfServiceFace, SelfServiceStatus } from '../../../actors/protocol/manager/self-service.js'
import { ok, type Result } from '../../../lib/base/result.js'

export const selfServiceOff: SelfServiceStatus = {
  ...{ enabled: false, reason: 'hosted-self-service-clusters is off', orchestrator: 'local', identity: 'ann' },
  ...{ maxClustersPerUser: 3, used: 0, clusters: [], remaining: 3 },
  ...{ defaultDbu: 2, defaultApu: 1, defaultBku: 0, neededDbu: 4, neededApu: 1 },
  ...{ domain: '', subDomain: '', zone: '', prices: { currency: 'EUR', dbu: '0', apu: '0', bku: '0' } },
}

type Answer = <T>(name: string, given: unknown, value: T) => Result<T>

export const fakeSelfService = (answer: Answer = (_, __, value) => ok(value)): SelfServiceFace => ({
  status: async () => selfServiceOff,
  create: async ({ name, form, caller: { user } }) => answer('createInSelfService', { name, form, user }, undefined),
  sponsors: () => false,
  clear: async () => ok(undefined),
})
