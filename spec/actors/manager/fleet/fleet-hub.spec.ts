import { expect } from 'chai'
import { FleetHub } from '../../../../actors/manager/fleet/fleet-hub.js'
import type { FleetEvent } from '../../../../actors/protocol/manager/fleet.js'
import { fail, ok } from '../../../../lib/base/result.js'
import type { ClusterEvent } from '../../../../lib/model/event.js'
import type { FleetRow } from '../../../../lib/model/fleet/row.js'
import { fleetRowOf } from '../../../support/http/fleet-rows.js'
import { eventually } from '../../../support/wait.js'

/** Clusters whose rows a spec sets, in place of actors. */
class Clusters {
  readonly rows = new Map<string, FleetRow>()
  readonly versions = new Map<string, number>()
  readonly down = new Set<string>()
  readonly deaf = new Set<string>()
  readonly stopped = new Map<string, string>()
  pulls = 0
  readonly hub = new FleetHub({
    boot: 'boot',
    clusters: () => [...this.rows.keys()],
    view: async (name) => {
      this.pulls += 1
      const row = this.rows.get(name)
      if (!row || this.deaf.has(name)) return fail('deadline-passed', 'no answer')
      return ok({ bytes: Buffer.from(JSON.stringify(row)), etag: this.#etag(name), at: 0 })
    },
    isCurrent: (name, etag) => etag === this.#etag(name),
    isUp: (name) => !this.down.has(name) && !this.stopped.has(name),
    quarantined: () => this.stopped,
    configured: () => ({ mode: 'manual', flags: [], of: 3, tags: ['prod'] }),
  })

  set(name: string, changes: Partial<FleetRow> = {}): void {
    this.rows.set(name, fleetRowOf(name, { ...this.rows.get(name), ...changes }))
    this.versions.set(name, (this.versions.get(name) ?? 0) + 1)
  }

  #etag = (name: string): string => `1-${this.versions.get(name) ?? 0}`
}

const event = (cluster: string, changes: Partial<ClusterEvent>): ClusterEvent => ({
  ...{ id: 1, at: 5, cluster, kind: 'log', level: 'INFO', text: 'text' },
  ...changes,
})

describe('FleetHub', () => {
  const ends: AbortController[] = []
  afterEach(() => {
    for (const end of ends.splice(0)) end.abort()
  })

  const clustersOf = (...names: readonly string[]) => {
    const clusters = new Clusters()
    for (const name of names) clusters.set(name)
    return clusters
  }

  /** A reader that has its beginning. */
  const listen = async ({ hub }: Clusters, sees: (name: string) => boolean = () => true, since?: string) => {
    const heard: (readonly FleetEvent[])[] = []
    const snapshots: { rows: readonly FleetRow[]; id: string }[] = []
    const resets: string[] = []
    const end = new AbortController()
    ends.push(end)
    hub.follow(
      { since, sees, signal: end.signal },
      {
        reset: (reason) => resets.push(reason),
        snapshot: (rows, id) => snapshots.push({ rows, id }),
        events: (events) => heard.push(events),
      },
    )
    await hub.list(() => true)
    await new Promise((resolve) => setImmediate(resolve))
    const texts = () => heard.flat().map(({ kind, data }) => `${kind} ${JSON.stringify(data)}`)
    return { heard, snapshots, resets, end, texts, lastId: () => heard.flat().findLast(({ id }) => id)?.id }
  }

  it('lists the rows that the caller may see, with an etag that changes with them', async () => {
    const clusters = clustersOf('c1', 'c2')
    const all = await clusters.hub.list(() => true)
    expect(all.rows.map(({ name }) => name)).to.deep.equal(['c1', 'c2'])
    const again = await clusters.hub.list(() => true)
    expect(again).to.deep.equal(all)
    expect(again.rows).to.equal(all.rows)
    const one = await clusters.hub.list((name) => name === 'c2')
    expect(one.rows.map(({ name }) => name)).to.deep.equal(['c2'])
    expect(one.etag).not.to.equal(all.etag)
    clusters.set('c2', { lag: 5 })
    const changed = await clusters.hub.list(() => true)
    expect(changed.rows[1]?.lag).to.equal(5)
    expect(changed.etag).not.to.equal(all.etag)
  })

  it('reads a cluster again only when its version has changed', async () => {
    const clusters = clustersOf('c1', 'c2')
    await clusters.hub.list(() => true)
    await clusters.hub.list(() => true)
    expect(clusters.pulls).to.equal(2)
    clusters.set('c1')
    await clusters.hub.list(() => true)
    expect(clusters.pulls).to.equal(3)
  })

  it('gives a snapshot, then the keys that change, the same array to all who see them', async () => {
    const clusters = clustersOf('c1', 'c2')
    const [one, other] = [await listen(clusters), await listen(clusters)]
    expect(one.snapshots.map(({ rows }) => rows.length)).to.deep.equal([2])
    clusters.set('c1', { lag: 3, tags: ['prod'] })
    await eventually(() => one.heard.length > 0 && other.heard.length > 0, 'a delta')
    expect(one.texts()).to.deep.equal(['delta {"c":"c1","k":{"lag":3,"tags":["prod"]}}'])
    expect(one.heard[0]).to.equal(other.heard[0])
    expect(one.lastId()).to.match(/^boot-\d+$/)
  })

  it('sends what has not changed in its row to nobody', async () => {
    const clusters = clustersOf('c1')
    const reader = await listen(clusters)
    clusters.set('c1')
    clusters.set('c1')
    await eventually(() => clusters.pulls >= 2, 'a second pull')
    clusters.set('c1', { errors: 1 })
    await eventually(() => reader.heard.length > 0, 'a delta')
    expect(reader.texts()).to.deep.equal(['delta {"c":"c1","k":{"errors":1}}'])
  })

  it('shows a reader nothing of clusters that it may not see', async () => {
    const clusters = clustersOf('c1', 'c2')
    const reader = await listen(clusters, (name) => name === 'c1')
    expect(reader.snapshots[0]?.rows.map(({ name }) => name)).to.deep.equal(['c1'])
    clusters.set('c2', { lag: 9 })
    clusters.hub.note(event('c2', { kind: 'finding-opened', data: { code: 'ERR00012' } }))
    clusters.rows.delete('c2')
    clusters.set('c1', { lag: 1 })
    await eventually(() => reader.heard.length > 0, 'a delta')
    expect(reader.texts()).to.deep.equal(['delta {"c":"c1","k":{"lag":1}}'])
  })

  it('gives and takes clusters when grants change', async () => {
    const clusters = clustersOf('c1', 'c2')
    let seen = 'c1'
    const reader = await listen(clusters, (name) => name === seen)
    seen = 'c2'
    clusters.hub.accessChanged()
    expect(reader.texts()).to.have.lengthOf(2)
    expect(reader.texts()[0]).to.equal('delta {"c":"c1","k":null}')
    expect(reader.texts()[1]).to.contain('delta {"c":"c2","k":{"name":"c2"')
    expect(reader.heard.flat().map(({ id }) => id)).to.deep.equal([undefined, undefined])
  })

  it('adds a new cluster as a whole row, and says when one is gone', async () => {
    const clusters = clustersOf('c1')
    const reader = await listen(clusters)
    clusters.set('c2')
    await eventually(() => reader.texts().some((text) => text.includes('"c":"c2","k":{"name":"c2"')), 'the new cluster')
    clusters.rows.delete('c2')
    await eventually(() => reader.texts().includes('delta {"c":"c2","k":null}'), 'its end')
  })

  it('resumes after an event without losing or repeating one', async () => {
    const clusters = clustersOf('c1', 'c2')
    const first = await listen(clusters)
    clusters.set('c1', { lag: 1 })
    await eventually(() => first.heard.length > 0, 'a delta')
    first.end.abort()
    clusters.set('c1', { lag: 2 })
    clusters.hub.note(event('c2', { kind: 'operation', data: { phase: 'running', kind: 'switchover' } }))
    const second = await listen(clusters, () => true, first.lastId())
    expect(second.snapshots).to.deep.equal([])
    expect(second.resets).to.deep.equal([])
    expect(second.texts().sort()).to.deep.equal([
      'delta {"c":"c1","k":{"lag":2}}',
      'note {"c":"c2","at":5,"text":"text","kind":"operation-began","op":"switchover"}',
    ])
    const third = await listen(clusters, () => true, second.lastId())
    expect(third.texts()).to.deep.equal([])
  })

  it('starts a reader again whose id is unknown, of another start, or from before a change of grants', async () => {
    const clusters = clustersOf('c1')
    const first = await listen(clusters)
    clusters.set('c1', { lag: 1 })
    await eventually(() => first.heard.length > 0, 'a delta')
    for (const since of ['', 'boot-99999', 'other-1', 'boot-x', 'boot-1 OR 1']) {
      const reader = await listen(clusters, () => true, since)
      expect([since, reader.resets.length, reader.snapshots.length]).to.deep.equal([since, 1, 1])
    }
    clusters.set('c1', { lag: 2 })
    await eventually(() => first.heard.length > 1, 'another delta')
    clusters.hub.accessChanged()
    const [before] = first.heard[0] ?? []
    const reader = await listen(clusters, () => true, before?.id)
    expect(reader.resets).to.have.lengthOf(1)
  })

  it('starts a reader again that is too late for what is kept', async () => {
    const clusters = clustersOf('c1')
    const first = await listen(clusters)
    const id = first.snapshots[0]?.id
    first.end.abort()
    for (let count = 0; count < 12_000; count += 1) clusters.hub.note(event('c1', { kind: 'finding-opened' }))
    const late = await listen(clusters, () => true, id)
    expect([late.resets.length, late.snapshots.length]).to.deep.equal([1, 1])
  })

  it('notes findings and operations of the fleet, and shows a new reader the latest', async () => {
    const clusters = clustersOf('c1')
    for (let count = 0; count < 60; count += 1)
      clusters.hub.note(event('c1', { at: count, kind: 'finding-opened', data: { code: 'WARN0060' } }))
    clusters.hub.note(event('c1', { kind: 'step' }))
    const reader = await listen(clusters)
    const notes = reader.heard.flat().filter(({ kind }) => kind === 'note')
    expect(notes).to.have.lengthOf(50)
    expect(notes[0]).to.deep.equal({
      kind: 'note',
      data: { c: 'c1', at: 10, kind: 'finding-opened', text: 'text', code: 'WARN0060' },
    })
    clusters.hub.note(event('c1', { kind: 'operation', data: { phase: 'succeeded', kind: 'failover' } }))
    await eventually(() => reader.texts().some((text) => text.includes('"operation-ended","op":"failover"')), 'the end')
  })

  it('shows a cluster as unknown whose actor was stopped, is not running or does not answer', async () => {
    const clusters = clustersOf('stopped', 'down', 'deaf', 'fine')
    clusters.deaf.add('deaf')
    const reader = await listen(clusters)
    clusters.down.add('down')
    clusters.stopped.set('stopped', 'too many crashes')
    const stateOf = async (name: string) => (await clusters.hub.list(() => true)).rows.find((row) => row.name === name)
    expect(await stateOf('stopped')).to.include({ state: 'unknown', worst: 'ERR00118', mode: 'manual', of: 3, up: 0 })
    expect(await stateOf('down')).to.include({ state: 'healthy' })
    await eventually(() => reader.texts().some((text) => /"c":"down","k":\{"state":"unknown"/.test(text)), 'down')
    expect(await stateOf('deaf')).to.include({ state: 'unknown', primary: '' })
    expect(await stateOf('fine')).to.include({ state: 'healthy' })
    clusters.down.delete('down')
    await eventually(() => reader.texts().some((text) => /"c":"down","k":\{"state":"healthy"/.test(text)), 'its return')
  })
})
