// One server of a recovery, whatever is asked.
import type { NewServersFace } from '../../../actors/protocol/manager/new-servers.js'
import { exampleNewServer, exampleNewServerPlan } from '../../../http/api/rows/recovery/new-server.js'
import { ok, type Result } from '../../../lib/base/result.js'
import type { Job } from '../../../lib/model/operation/job.js'

type Answer = <T>(name: string, given: unknown, value: T) => Result<T>

const job: Job = {
  ...{ id: 7, task: 'new-server', kind: 'database', service: 'db5678901234', name: '10.0.0.19', host: '10.0.0.19' },
  ...{ port: 3306, user: 'admin', state: 'done', startedAt: 1_000, endedAt: 2_000, result: 'done', lines: 1 },
}

export const fakeNewServers = (answer: Answer = (_, __, value) => ok(value)): NewServersFace => ({
  list: async (...given) => answer('newServers', given, [exampleNewServer]),
  plan: async (...given) => answer('planNewServer', given, exampleNewServerPlan),
  begin: async (...given) => answer('beginNewServer', given, { job }),
  remove: async (...given) => answer('removeNewServer', given, undefined),
  attach: async (...given) => answer('attachNewServer', given, undefined),
})
