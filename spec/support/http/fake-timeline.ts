// A timeline with one entry, whatever is asked of it.
import type { TimelineFace } from '../../../actors/protocol/manager/timeline.js'
import { ok, type Result } from '../../../lib/base/result.js'
import type { Moment, TimelineEntry } from '../../../lib/model/timeline.js'

export const timelineEntry: TimelineEntry = {
  ...{ id: 'e7', at: 1_000, until: 2_000, kind: 'operation', server: null, level: 'INFO', code: 'switchover' },
  ...{ text: 'Switchover succeeded', user: 'ann', data: { steps: [] } },
}

const moment: Moment = {
  time: 1_500,
  topology: {
    ...{ at: 1_000, topology: 'master-slave', primary: 'db1' },
    servers: [{ id: 'db1', name: 'db1', role: 'primary', state: 'Master', sources: [], lag: null, since: 1_000 }],
  },
  ...{ until: null, open: [timelineEntry], down: null },
}

type Answer = <T>(name: string, given: unknown, value: T) => Result<T>

export const fakeTimeline = (answer: Answer = (_, __, value) => ok(value)): TimelineFace => ({
  page: async (...given) => answer('timelinePage', given, { entries: [timelineEntry], next: null }),
  at: async (...given) => answer('timelineAt', given, moment),
  merged: async (...given) =>
    answer('timelineMerged', given, { entries: [{ cluster: 'demo', ...timelineEntry }], next: null }),
})
