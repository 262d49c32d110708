import { effect } from '@preact/signals'
import { expect } from 'chai'
import { optionsOf } from '../../../http/dashboard/src/pages/fleet/facets.js'
import { renderMake, renderTrouble } from '../../../http/dashboard/src/pages/fleet/facts.js'
import { makeLines, stepFrom } from '../../../http/dashboard/src/pages/fleet/lines.js'
import { arrange, hasTerm, turnTerm } from '../../../http/dashboard/src/store/fleet/arrange.js'
import { fleet, notes, receive } from '../../../http/dashboard/src/store/fleet/fleet.js'
import { FleetRows } from '../../../http/dashboard/src/store/fleet/rows.js'
import { Samples } from '../../../http/dashboard/src/store/fleet/samples.js'
import type { FleetRow } from '../../../lib/model/fleet/row.js'

const row = (name: string, changes: Partial<FleetRow> = {}): FleetRow => ({
  ...{ name, state: 'healthy', primary: 'db1', topology: '', mode: 'automatic', flags: [] },
  ...{ up: 3, of: 3, lag: 0, semi: 'on', loss: 0, errors: 0, warnings: 0, worst: null, op: null },
  ...{ at: 0, wps: 0, tags: [] },
  ...changes,
})

describe('FleetRows', () => {
  it('changes the signal of the one cluster that a delta names', () => {
    const rows = new FleetRows()
    rows.replace([row('a'), row('b')])
    const seen: string[] = []
    const stop = effect(() => void seen.push(`a ${rows.row('a')?.value.lag}`))
    const other = effect(() => void seen.push(`b ${rows.row('b')?.value.lag}`))
    rows.apply([{ c: 'b', k: { lag: 7 } }])
    stop()
    other()
    expect(seen).to.deep.equal(['a 0', 'b 0', 'b 7'])
  })

  it('counts states and operations as they change, come and go', () => {
    const rows = new FleetRows()
    rows.replace([row('a'), row('b', { state: 'down' })])
    rows.apply([
      { c: 'a', k: { state: 'degraded', op: 'switchover' } },
      { c: 'b', k: null },
      { c: 'c', k: row('c') },
      { c: 'never', k: null },
    ])
    expect(rows.counts.value).to.deep.equal({
      ...{ all: 2, operations: 1, down: 0, broken: 0, unknown: 0, degraded: 1, healthy: 1 },
    })
    expect(rows.names()).to.deep.equal(['a', 'c'])
  })

  it('moves nothing for a change of the writes alone', () => {
    const rows = new FleetRows()
    rows.replace([row('a')])
    const before = rows.changes.value
    rows.apply([{ c: 'a', k: { wps: 12 } }])
    expect(rows.changes.value).to.equal(before)
    rows.apply([{ c: 'a', k: { wps: 13, lag: 1 } }])
    expect(rows.changes.value).to.equal(before + 1)
  })

  it('forgets clusters that a new snapshot does not have, and keeps the signals of the others', () => {
    const rows = new FleetRows()
    rows.replace([row('a'), row('b')])
    const kept = rows.row('a')
    rows.replace([row('a', { lag: 3 })])
    expect(rows.row('a')).to.equal(kept)
    expect(kept?.value.lag).to.equal(3)
    expect(rows.row('b')).to.equal(undefined)
    expect(rows.counts.value.all).to.equal(1)
  })
})

describe('receive', () => {
  const event = (type: string, data: unknown, id?: string) => ({ id, event: type, data: JSON.stringify(data) })

  it('applies a snapshot and what follows it in order, and keeps notes newest first', () => {
    receive([
      event('delta', { c: 'a', k: row('a', { lag: 99 }) }),
      event('snapshot', { rows: [row('a'), row('b')] }, 'x-1'),
      event('delta', { c: 'a', k: { lag: 2 } }, 'x-2'),
      event('note', { c: 'a', at: 1, kind: 'finding-opened', text: 'one' }),
      event('note', { c: 'a', at: 2, kind: 'finding-closed', text: 'two' }),
      event('what comes later', {}),
    ])
    expect(fleet.row('a')?.value.lag).to.equal(2)
    expect(fleet.counts.value.all).to.equal(2)
    expect(notes.value.map(({ text }) => text)).to.deep.equal(['two', 'one'])
  })
})

describe('Samples', () => {
  it('keeps the last sixty values of each cluster that is there', () => {
    const samples = new Samples()
    for (let round = 0; round < 70; round++)
      samples.take([row('a', { wps: round }), ...(round === 0 ? [row('b')] : [])])
    expect(samples.of('a')).to.have.length(60)
    expect(samples.of('a').at(-1)).to.equal(69)
    expect(samples.of('b')).to.deep.equal([])
  })
})

describe('arrange', () => {
  const rows = [
    row('shop10', { tags: ['eu', 'prod'] }),
    row('shop2', { state: 'degraded', lag: 12, tags: ['us'] }),
    row('mail', { state: 'down' }),
  ]
  const names = (wish: Partial<Parameters<typeof arrange>[1]>) =>
    arrange(rows, { filter: '', sort: '', grouped: false, ...wish }).groups.map((group) => group.names)

  it('puts those in trouble first, then names as people read them', () => {
    expect(names({})).to.deep.equal([['mail', 'shop2', 'shop10']])
    expect(names({ sort: 'name' })).to.deep.equal([['mail', 'shop2', 'shop10']])
    expect(names({ sort: '-lag' })[0]?.[0]).to.equal('shop2')
  })

  it('filters, and shows everything with the reason when the filter is wrong', () => {
    expect(names({ filter: 'lag>5 -state:down' })).to.deep.equal([['shop2']])
    const wrong = arrange(rows, { filter: 'color:red', sort: '', grouped: false })
    expect(wrong.shown).to.equal(3)
    expect(wrong.fault).to.match(/unknown: color/)
  })

  it('groups by tag, those without one at the end', () => {
    expect(arrange(rows, { filter: '', sort: '', grouped: true }).groups).to.deep.equal([
      { tag: 'eu', names: ['shop10'] },
      { tag: 'prod', names: ['shop10'] },
      { tag: 'us', names: ['shop2'] },
      { tag: '', names: ['mail'] },
    ])
  })
})

describe('turnTerm', () => {
  it('sets, replaces and removes a term of its kind', () => {
    expect(turnTerm('lag>5', 'state:down')).to.equal('lag>5 state:down')
    expect(turnTerm('state:down lag>5', 'state:healthy')).to.equal('lag>5 state:healthy')
    expect(turnTerm('lag>5 state:down', 'state:down')).to.equal('lag>5')
    expect(hasTerm('lag>5 state:down', 'state:down')).to.equal(true)
  })
})

describe('lines of the fleet', () => {
  const groups = [
    { tag: 'eu', names: ['a', 'b', 'c'] },
    { tag: '', names: ['d'] },
  ]
  const lines = makeLines(groups, { columns: 2, heads: true })

  it('are a heading for each group and its clusters side by side', () => {
    expect(lines.map((line) => (line.type === 'head' ? line.tag : line.names.join()))).to.deep.equal([
      'eu',
      'a,b',
      'c',
      '',
      'd',
    ])
  })

  it('lead to the next cluster by arrow keys, over headings', () => {
    expect(stepFrom(lines, { line: 1, at: 0 }, 'ArrowRight')).to.deep.equal({ line: 1, at: 1 })
    expect(stepFrom(lines, { line: 1, at: 1 }, 'ArrowRight')).to.deep.equal({ line: 2, at: 0 })
    expect(stepFrom(lines, { line: 1, at: 1 }, 'ArrowDown')).to.deep.equal({ line: 2, at: 0 })
    expect(stepFrom(lines, { line: 4, at: 0 }, 'ArrowUp')).to.deep.equal({ line: 2, at: 0 })
    expect(stepFrom(lines, { line: 2, at: 0 }, 'ArrowLeft')).to.deep.equal({ line: 1, at: 1 })
    expect(stepFrom(lines, { line: 4, at: 0 }, 'ArrowDown')).to.equal(undefined)
    expect(stepFrom(lines, { line: 1, at: 0 }, 'x')).to.equal(undefined)
  })
})

describe('what a tile says', () => {
  it('names the primary and the servers', () => {
    expect(renderMake(row('a', { primary: '', up: 2, mode: 'manual', flags: ['paused'] }))).to.equal(
      'no primary · 2 of 3 up · manual · paused',
    )
  })

  it('says nothing while nothing is wrong', () => {
    expect(renderTrouble(row('a', { lag: null, loss: null }))).to.equal('')
    expect(renderTrouble(row('a', { lag: 12, loss: 340, errors: 1, warnings: 2, worst: 'ERR00041' }))).to.equal(
      'ERR00041 +2 · lag 12 s · loses 340',
    )
  })

  it('offers the values of a facet by their number', () => {
    expect(optionsOf([row('a', { tags: ['x', 'y'] }), row('b', { tags: ['y'] })], ({ tags }) => tags)).to.deep.equal([
      { value: 'y', count: 2 },
      { value: 'x', count: 1 },
    ])
  })
})
