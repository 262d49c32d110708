// The timeline page: what it reads, its days and filters, and its lanes.
import { expect } from 'chai'
import { type Entry, readMoment, readTimeline } from '../../../http/dashboard/src/model/cluster/timeline.js'
import {
  entryBefore,
  groupByDay,
  joinOlder,
  kindGroups,
  kindsOf,
  lastedAt,
  momentAddress,
  momentOf,
  turnGroup,
} from '../../../http/dashboard/src/pages/cluster/timeline/days.js'
import { layLanes, MOST_ROWS, rangeOf, ticksOf } from '../../../http/dashboard/src/pages/cluster/timeline/lanes.js'

const SECOND = 1_000
const start = Date.parse('2026-11-24T12:00:00Z')

const wire = (id: number, more: object) => ({
  ...{ id: `e${id}`, at: start + id * SECOND, until: null, kind: 'note', server: null, level: 'INFO' },
  ...{ code: null, text: `entry ${id}`, user: null, data: {} },
  ...more,
})

const read = (...wires: readonly object[]): readonly Entry[] => readTimeline({ entries: wires, next: null }).entries

describe('readTimeline', () => {
  it('reads a span with its end, one that lasts, and an entry without duration', () => {
    const [ended, open, none] = read(
      wire(1, { kind: 'operation', until: start + 9 * SECOND }),
      wire(2, { kind: 'finding', level: 'WARN' }),
      wire(3, { kind: 'login' }),
    )
    expect(ended).to.include({ lasts: false, until: start + 9 * SECOND })
    expect(open).to.include({ lasts: true, tone: 'warning' }).and.not.have.property('until')
    expect(none).to.include({ lasts: false }).and.not.have.property('until')
  })

  it('reads steps without the kind of their operation, and a failed one as an error', () => {
    const steps = [
      { at: start, level: 'INFO', text: 'failover repoint: db2 follows db3', state: 'done', tookMs: 12 },
      { at: start + 20, level: 'INFO', text: 'route-writes: refused', state: 'failed' },
    ]
    const [entry] = read(wire(1, { kind: 'operation', code: 'failover', data: { steps } }))
    expect(entry?.steps).to.deep.equal([
      { at: start, text: 'repoint: db2 follows db3', tone: 'plain', state: 'done', tookMs: 12 },
      { at: start + 20, text: 'route-writes: refused', tone: 'error', state: 'failed' },
    ])
  })

  it('reads both values of a setting, the empty one too', () => {
    const data = { name: 'failover-limit', before: { value: '' }, after: { value: 5 } }
    const [entry] = read(wire(1, { kind: 'setting', data }))
    expect(entry?.change).to.deep.equal({ name: 'failover-limit', before: '', after: '5' })
  })

  it('says states in the words of pages, and leaves names of settings as they are', () => {
    const [state, setting] = read(
      wire(1, { kind: 'state', text: 'Server db2 is Slave (was StandAlone)' }),
      wire(2, { kind: 'setting', text: 'ann changed autorejoin-slave-positional-heartbeat' }),
    )
    expect(state?.text).to.equal('Server db2 is Replica (was StandAlone)')
    expect(setting?.text).to.equal('ann changed autorejoin-slave-positional-heartbeat')
  })

  it('leaves out what has neither id nor moment, and takes any other absence', () => {
    expect(readTimeline({ entries: [{}, { id: 'e1', at: 5 }, 'x'], next: 'e1' })).to.deep.equal({
      entries: [{ id: 'e1', at: 5, kind: 'note', lasts: false, tone: 'plain', text: '', steps: [] }],
      next: 'e1',
    })
    expect(readTimeline(undefined)).to.deep.equal({ entries: [] })
  })
})

describe('readMoment', () => {
  it('names the sources of each server and says its state in the words of pages', () => {
    const moment = readMoment({
      ...{ time: start, until: null, open: [wire(1, { kind: 'finding' })], down: null },
      topology: {
        ...{ at: start - 5, topology: 'master-slave', primary: 'a' },
        servers: [
          { id: 'a', name: 'db1', role: 'primary', state: 'Failed', sources: [], lag: null, since: start - 5 },
          { id: 'b', name: 'db2', role: 'replica', state: 'SlaveLate', sources: ['a', 'z'], lag: 31, since: start - 9 },
        ],
      },
    })
    expect(moment).to.include({ form: 'primary-replica', recordedAt: start - 5 })
    expect(moment).not.to.have.any.keys('until', 'down')
    expect(moment?.servers.map(({ word, condition, sources }) => [word, condition, sources])).to.deep.equal([
      ['Down', 'down', []],
      ['Replica late', 'late', ['db1', 'z']],
    ])
    expect(moment?.servers.map(({ lag }) => lag)).to.deep.equal([undefined, 31])
    expect(moment?.open.map(({ id }) => id)).to.deep.equal(['e1'])
  })

  it('has no servers where nothing so old is kept, and says when no manager ran', () => {
    const down = { from: start, until: start + SECOND }
    expect(readMoment({ time: start, topology: null, until: start, open: [], down })).to.deep.equal({
      ...{ time: start, until: start, servers: [], open: [], down },
    })
    expect(readMoment('')).to.equal(undefined)
  })
})

describe('the list of a timeline', () => {
  it('turns groups of kinds on and off in the address', () => {
    const [findings, , states] = kindGroups
    if (!findings || !states) throw new Error('no groups')
    expect(kindsOf('finding,nothing,state')).to.deep.equal(['finding', 'state'])
    expect(turnGroup(states, ['finding'])).to.equal('finding,state,primary')
    expect(turnGroup(states, ['finding', 'primary'])).to.equal('finding')
    expect(turnGroup(findings, ['finding'])).to.equal(undefined)
  })

  it('begins a day where the day changes', () => {
    const day = 24 * 3_600 * SECOND
    const days = groupByDay(read(wire(3, { at: start + day }), wire(2, {}), wire(1, {})))
    expect(days.map(({ entries }) => entries.map(({ id }) => id))).to.deep.equal([['e3'], ['e2', 'e1']])
  })

  it('finds the place of a moment, and what lasted then', () => {
    const [late, span, early] = read(
      wire(9, {}),
      wire(5, { kind: 'job', until: start + 8 * SECOND }),
      wire(1, { kind: 'finding' }),
    )
    const entries = [late, span, early].flatMap((entry) => entry ?? [])
    expect(entryBefore(entries, start + 7 * SECOND)).to.equal('e5')
    expect(entryBefore(entries, start)).to.equal(undefined)
    expect(entries.map((entry) => lastedAt(entry, start + 7 * SECOND))).to.deep.equal([false, true, true])
    expect(entries.map((entry) => lastedAt(entry, start + 9 * SECOND))).to.deep.equal([false, false, true])
  })

  it('links to a moment with the filter, and takes milliseconds only', () => {
    expect(momentAddress('a/b', 5, { kind: 'job', at: '3' })).to.equal('/c/a%2Fb/timeline?kind=job&at=5')
    expect(['12', 'x', '', '1e3', '-1', undefined].map(momentOf)).to.deep.equal([12, ...Array(5).fill(undefined)])
  })

  it('shows no entry twice when an older page overlaps', () => {
    const joined = joinOlder(read(wire(3, {}), wire(2, {})), read(wire(2, {}), wire(1, {})))
    expect(joined.map(({ id }) => id)).to.deep.equal(['e3', 'e2', 'e1'])
  })
})

describe('layLanes', () => {
  const range = { from: start, to: start + 100 * SECOND }

  it('puts what overlaps below each other, and what follows into the same row', () => {
    const entries = read(
      wire(0, { kind: 'finding', until: start + 40 * SECOND }),
      wire(20, { kind: 'operation', until: start + 30 * SECOND }),
      wire(50, { kind: 'finding' }),
    )
    const [lane] = layLanes(entries, range, [])
    expect(lane?.bars.map(({ row, x, width, lasts }) => [row, x, width, lasts])).to.deep.equal([
      [0, 0, 40, false],
      [1, 20, 10, false],
      [0, 50, 50, true],
    ])
    expect(lane?.rows).to.equal(2)
  })

  it('has the cluster first, each server then, and one that left at the end only where it has entries', () => {
    const lanes = layLanes(read(wire(1, { server: 'gone' }), wire(2, { server: 'b' })), range, ['a', 'b'])
    expect(lanes.map(({ server, points }) => [server, points.length])).to.deep.equal([
      ['a', 0],
      ['b', 1],
      ['gone', 1],
    ])
  })

  it('gives points a row of their own above spans', () => {
    const [lane] = layLanes(read(wire(1, {}), wire(2, { kind: 'finding' })), range, [])
    expect([lane?.rows, lane?.points.length, lane?.bars[0]?.row]).to.deep.equal([2, 1, 1])
  })

  it('stays within so many rows and within the range', () => {
    const entries = read(...Array.from({ length: 9 }, (_none, index) => wire(index - 5, { kind: 'finding' })))
    const [lane] = layLanes(entries, range, [])
    expect(lane?.rows).to.equal(MOST_ROWS)
    expect(lane?.bars.every(({ x, width }) => x >= 0 && x + width <= 100.5)).to.equal(true)
  })

  it('reaches from the oldest entry to the end of the list, with round moments in it', () => {
    const range = rangeOf(read(wire(60, {}), wire(0, { kind: 'finding' })), start + 120 * SECOND)
    expect(range).to.deep.equal({ from: start - 1_200, to: start + 121_200 })
    const ticks = ticksOf(range ?? { from: 0, to: 0 })
    expect(ticks.map(({ at }) => (at - start) / SECOND)).to.deep.equal([0, 30, 60, 90, 120])
    expect(rangeOf([], start)).to.equal(undefined)
  })

  it('never draws more than eight moments, whatever the range', () => {
    for (const ms of [1, 1e3, 1e5, 1e7, 1e9, 1e11])
      expect(ticksOf({ from: start, to: start + ms }).length, String(ms)).to.be.at.most(8)
  })
})
