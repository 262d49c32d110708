// A configurator without clusters behind it: every answer has the shape of a real one, or is the failure that a spec sets.
import type { ConfiguratorFace } from '../../http/api/configurator-face.js'
import type { Result } from '../../lib/base/result.js'

/** Answers a call by its name with this value, or with a failure. */
export type Answerer = <T>(name: string, given: unknown, value: T) => Result<T>

const tagsAfter = { tags: ['row', 'ssd'], added: ['ssd'], dropped: [] }

export const fakeConfigurator = (answer: Answerer): ConfiguratorFace => ({
  tags: () => [{ id: 1, name: 'ssd', category: 'disk' }],
  addTag: async (wish) => answer('addTag', wish, tagsAfter),
  dropTag: async (wish) => answer('dropTag', wish, tagsAfter),
})
