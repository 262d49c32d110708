// The timeline on disk: spans joined, order, bounds, torn files, restarts, clocks that go back.
import { readdirSync, readFileSync, statSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import fc from 'fast-check'
import { unwrap } from '../../../../lib/base/result.js'
import { DAY, HOUR } from '../../../../lib/base/time.js'
import type { TimelineEntry, TopologySeen } from '../../../../lib/model/timeline.js'
import { Timeline, type TimelineLimits } from '../../../../lib/store/index.js'
import { newDirectory } from '../../../support/machine/directories.js'

const START = 1_795_246_812_000
const usual: TimelineLimits = { days: 30, bytes: 4_194_304 }

const world = (limits: TimelineLimits = usual) => {
  const directory = path.join(newDirectory('timeline'), 'timeline')
  const clock = { now: START }
  const open = async () =>
    unwrap(
      await Timeline.open(
        directory,
        () => limits,
        () => clock.now,
      ),
    )
  const files = () =>
    readdirSync(directory)
      .toSorted()
      .map((name) => path.join(directory, name))
  return { directory, clock, open, files }
}

const note = (timeline: Timeline, at: number, text = 'something') => timeline.add({ at, kind: 'note', text })
const texts = (entries: readonly TimelineEntry[]) => entries.map(({ text }) => text)
const all = async (timeline: Timeline) => (await timeline.page({ limit: 1_000 })).entries

const seen = (at: number, ...states: readonly [string, string, string][]): TopologySeen => ({
  ...{ at, topology: 'master-slave', primary: states.find(([, role]) => role === 'primary')?.[0] ?? null },
  servers: states.map(([id, role, state]) => ({
    ...{ id, name: id, role, state, lag: 0 },
    sources: role === 'replica' ? ['db1'] : [],
  })),
})

describe('Timeline', () => {
  it('has its entries newest first, with numbers that rise over restarts', async () => {
    const { open } = world()
    const first = await open()
    note(first, START, 'one')
    note(first, START + 1, 'two')
    await first.close()
    const second = await open()
    note(second, START + 2, 'three')
    const entries = await all(second)
    expect(entries.map(({ id, text }) => [id, text])).to.deep.equal([
      ['e3', 'three'],
      ['e2', 'two'],
      ['e1', 'one'],
    ])
    expect(entries[0]).to.deep.include({ until: null, server: null, code: null, user: null, level: 'INFO', data: {} })
  })

  it('joins the begin, the steps and the end of a span, also over a restart', async () => {
    const { open } = world()
    const first = await open()
    first.add({ at: START, kind: 'operation', text: 'begins', data: { phase: 'running' } }, 'operation:1')
    first.amend('operation:1', {}, { command: 'freeze' })
    await first.close()
    const second = await open()
    expect([...second.open.keys()]).to.deep.equal(['operation:1'])
    second.amend('operation:1', {}, { command: 'make-writable' })
    second.end('operation:1', { until: START + 50, text: 'succeeded', data: { phase: 'succeeded' } })
    const [entry, ...others] = await all(second)
    expect(others).to.deep.equal([])
    expect(entry).to.deep.include({ at: START, until: START + 50, text: 'succeeded' })
    expect(entry?.data).to.deep.equal({
      phase: 'succeeded',
      steps: [{ command: 'freeze' }, { command: 'make-writable' }],
    })
  })

  it('has a span once, however often it begins, and again after its end', async () => {
    const { open } = world()
    const timeline = await open()
    for (let at = 0; at < 3; at += 1)
      timeline.add({ at: START + at, kind: 'finding', text: 'dead' }, 'finding:ERR1:db1')
    timeline.end('finding:ERR1:db1', { until: START + 5 })
    timeline.end('finding:ERR1:db1', { until: START + 9 })
    timeline.add({ at: START + 10, kind: 'finding', text: 'dead again' }, 'finding:ERR1:db1')
    expect((await all(timeline)).map(({ at, until }) => [at, until])).to.deep.equal([
      [START + 10, null],
      [START, START + 5],
    ])
  })

  it('gives pages that together are everything, once each', async () => {
    const { open } = world({ days: 30, bytes: 65_536 })
    const timeline = await open()
    for (let index = 0; index < 200; index += 1) {
      note(timeline, START + index, `note ${index}`)
      if (index % 7 === 0) await timeline.flush()
    }
    const pages: string[] = []
    let before: string | null = null
    do {
      const page: Awaited<ReturnType<Timeline['page']>> = await timeline.page({
        limit: 17,
        ...(before === null ? {} : { before }),
      })
      pages.push(...texts(page.entries))
      before = page.next
    } while (before !== null)
    expect(pages).to.deep.equal(Array.from({ length: 200 }, (_, index) => `note ${199 - index}`))
  })

  it('picks by time, number, kind and server', async () => {
    const { open } = world()
    const timeline = await open()
    note(timeline, START, 'a')
    timeline.add({ at: START + 1, kind: 'state', server: 'db1', text: 'b' })
    timeline.add({ at: START + 2, kind: 'state', server: 'db2', text: 'c' })
    const pick = async (query: object) => texts((await timeline.page({ limit: 9, ...query })).entries)
    expect(await pick({ before: START + 2 })).to.deep.equal(['b', 'a'])
    expect(await pick({ after: START })).to.deep.equal(['c', 'b'])
    expect(await pick({ before: 'e3', after: 'e1' })).to.deep.equal(['b'])
    expect(await pick({ kinds: ['note'] })).to.deep.equal(['a'])
    expect(await pick({ server: 'db2' })).to.deep.equal(['c'])
  })

  it('picks by user and by a part of the code, and says how far back a bounded search went', async () => {
    const { open, clock, files } = world({ days: 30, bytes: 131_072 })
    const timeline = await open()
    for (let index = 0; index < 60; index += 1) {
      clock.now += 1
      const user = index === 0 ? 'bob' : 'ann'
      timeline.add({ at: clock.now, kind: 'note', code: `act-${index}`, user, text: 'x'.repeat(500) })
      await timeline.flush()
    }
    expect(files().length).to.be.above(2)
    const find = async (query: object) => timeline.page({ limit: 9, ...query })
    const [bobs] = (await find({ user: 'bob' })).entries
    expect(bobs?.code).to.equal('act-0')
    expect((await find({ code: 'ACT-59' })).entries).to.have.length(1)
    const bounded = await find({ user: 'bob', files: 1 })
    expect(bounded).to.deep.include({ entries: [], next: null })
    expect(bounded.reach).to.be.within(START + 2, clock.now)
    expect((await find({ user: 'bob', files: 99 })).reach).to.equal(undefined)
  })

  it('goes on after a last line that was cut off, at whatever byte', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 2_000 }), async (cut) => {
        const { open, files } = world()
        const first = await open()
        for (let index = 0; index < 6; index += 1) note(first, START + index, `note ${index}`)
        first.add({ at: START + 7, kind: 'finding', text: 'lasts' }, 'finding:x:')
        await first.close()
        const [file = ''] = files()
        truncateSync(file, Math.max(0, statSync(file).size - cut))
        const second = await open()
        const kept = await all(second)
        const begun = note(second, START + 100, 'after')
        const entries = await all(second)
        expect(texts(entries)).to.deep.equal(['after', ...texts(kept)])
        expect(new Set(entries.map(({ id }) => id)).size).to.equal(entries.length)
        expect(entries[0]?.id).to.equal(begun?.id)
        await second.close()
        expect(texts(await all(await open()))).to.deep.equal(texts(entries))
      }),
      { numRuns: 60 },
    )
  })

  it('passes over foreign lines, and over a file without a head', async () => {
    const { open, files } = world()
    const first = await open()
    note(first, START, 'one')
    await first.close()
    const [file = ''] = files()
    const text = readFileSync(file, 'utf8')
    writeFileSync(file, `garbage\n{"type":"entry"}\n${text.split('\n').slice(1).join('\n')}`)
    const second = await open()
    note(second, START + 1, 'two')
    expect((await all(second)).map(({ id, text }) => [id, text])).to.deep.equal([
      ['e2', 'two'],
      ['e1', 'one'],
    ])
  })

  it('keeps its order when the clock goes back', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: -3 * DAY, max: 3 * DAY }), { maxLength: 30 }), async (offsets) => {
        const { open, clock } = world()
        let timeline = await open()
        for (const [index, offset] of offsets.entries()) {
          clock.now = START + offset
          note(timeline, clock.now, `note ${index}`)
          if (index % 3 === 0) await timeline.flush()
          if (index % 5 === 0) {
            await timeline.close()
            timeline = await open()
          }
        }
        clock.now = START
        const expected = offsets.map((_, index) => `note ${index}`).reverse()
        expect(texts(await all(timeline))).to.deep.equal(expected)
      }),
      { numRuns: 40 },
    )
  })

  it('stays below its size, keeps the newest, and what lasts', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 300, max: 900 }), fc.integer({ min: 1, max: 40 }), async (count, bundle) => {
        const bytes = 262_144
        const { open, files } = world({ days: 30, bytes })
        const timeline = await open()
        timeline.add({ at: START, kind: 'finding', text: 'lasts since the begin' }, 'finding:old:')
        for (let index = 0; index < count; index += 1) {
          note(timeline, START + index, `note ${index} ${'x'.repeat(1_000)}`)
          if (index % bundle === 0) await timeline.flush()
        }
        await timeline.flush()
        const size = files().reduce((sum, file) => sum + statSync(file).size, 0)
        expect(size).to.be.below(bytes + bytes / 16 + bundle * 1_300)
        const entries = await all(timeline)
        expect(entries[0]?.text).to.match(new RegExp(`^note ${count - 1} `))
        expect(entries.filter(({ text }) => text === 'lasts since the begin')).to.have.length(1)
        timeline.end('finding:old:', { until: START + count })
        await timeline.close()
        const again = await all(await open())
        expect(again.find(({ kind }) => kind === 'finding')?.until).to.equal(START + count)
      }),
      { numRuns: 8 },
    )
  })

  it('forgets what is too old, but not what still lasts', async () => {
    const { open, clock, files } = world({ days: 2, bytes: 4_194_304 })
    const timeline = await open()
    note(timeline, START, 'old')
    timeline.add({ at: START, kind: 'finding', text: 'lasts' }, 'finding:x:')
    await timeline.flush()
    const [oldest = ''] = files()
    clock.now = START + 3 * DAY
    expect(texts(await all(timeline))).to.deep.equal(['lasts'])
    note(timeline, clock.now, 'new')
    await timeline.flush()
    utimesSync(oldest, START / 1_000, START / 1_000)
    await timeline.sweep()
    expect(files()).to.have.length(1)
    expect(texts(await all(timeline))).to.deep.equal(['new', 'lasts'])
  })

  it('shows the topology as it was, and since when', async () => {
    const { open, clock } = world()
    const timeline = await open()
    timeline.record(seen(START, ['db1', 'primary', 'Master'], ['db2', 'replica', 'Slave']))
    timeline.record(seen(START + 5, ['db1', 'primary', 'Master'], ['db2', 'replica', 'Slave']))
    timeline.add({ at: START + 10, kind: 'finding', text: 'dead' }, 'finding:ERR1:db1')
    timeline.record(seen(START + 10, ['db1', 'primary', 'Failed'], ['db2', 'replica', 'Slave']))
    timeline.end('finding:ERR1:db1', { until: START + 20 })
    timeline.record(seen(START + 20, ['db1', 'standalone', 'Failed'], ['db2', 'primary', 'Master']))
    await timeline.flush()
    clock.now = START + 2 * DAY + HOUR
    timeline.record(seen(clock.now, ['db1', 'replica', 'Slave'], ['db2', 'primary', 'Master']))
    const states = async (time: number) => {
      const { topology, until, open: lasting } = await timeline.at(time)
      return [
        topology?.primary,
        topology?.servers.map(({ state, since }) => [state, since - START]),
        until,
        texts(lasting),
      ]
    }
    expect((await timeline.at(START - 1)).topology).to.equal(null)
    const before = [
      ['Master', 0],
      ['Slave', 0],
    ]
    expect(await states(START + 9)).to.deep.equal(['db1', before, START + 10, []])
    const during = [
      ['Failed', 10],
      ['Slave', 0],
    ]
    expect(await states(START + 15)).to.deep.equal(['db1', during, START + 20, ['dead']])
    const after = [
      ['Failed', 20],
      ['Master', 20],
    ]
    expect(await states(START + DAY)).to.deep.equal(['db2', after, clock.now, []])
    expect((await states(clock.now))[0]).to.equal('db2')
    await timeline.close()
    expect((await (await open()).at(clock.now)).topology?.servers[1]?.since).to.equal(START + 20)
  })

  it('says of a moment that no manager ran then', async () => {
    const { open } = world()
    const timeline = await open()
    timeline.record(seen(START, ['db1', 'primary', 'Master']))
    timeline.add({ at: START + 100, kind: 'manager', text: 'started', data: { downSince: START + 50 } })
    expect((await timeline.at(START + 60)).down).to.deep.equal({ from: START + 50, until: START + 100 })
    expect((await timeline.at(START + 40)).down).to.equal(null)
    expect((await timeline.at(START + 100)).down).to.equal(null)
  })

  it('says when it cannot write, and has it all once it can', async () => {
    const limits = () => usual
    const parent = path.join(newDirectory('timeline'), 'gone')
    const timeline = unwrap(await Timeline.open(path.join(parent, 'timeline'), limits, () => START))
    note(timeline, START, 'one')
    const failed = await timeline.flush()
    expect(failed.ok ? '' : failed.failure.code).to.equal('file-unwritable')
    writeFileSync(`${parent}.txt`, '')
    const { mkdirSync } = await import('node:fs')
    mkdirSync(parent)
    note(timeline, START + 1, 'two')
    expect(texts(await all(timeline))).to.deep.equal(['two', 'one'])
  })

  it('writes nothing of a cluster that is gone', async () => {
    const { open, directory } = world()
    const timeline = await open()
    note(timeline, START)
    timeline.discard()
    await timeline.flush()
    expect(() => readdirSync(directory)).to.throw()
  })
})
