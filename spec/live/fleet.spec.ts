// The fleet as a running manager shows it: rows of real actors, a stream that is cut and resumed without a lost event.
import { expect } from 'chai'
import type { FleetRow } from '../../lib/model/fleet/row.js'
import { watchAll } from '../bench/fleet.js'
import { type Fleet, startFleet } from '../support/canned/fleet.js'
import { ManagerProcess } from '../support/manager/manager-process.js'
import { eventually } from '../support/wait.js'

describe('the fleet of a running manager', () => {
  let fleet: Fleet
  let manager: ManagerProcess
  let headers: Record<string, string>
  const streams: AbortController[] = []

  before(async () => {
    fleet = await startFleet({ clusters: 3, replicas: 2 })
    manager = await ManagerProcess.create({ clusters: watchAll(fleet) })
    manager.start()
    await manager.alive()
    const { body } = await manager.post('/api/login', { username: 'admin', password: 'spec-password' })
    headers = { authorization: `Bearer ${(JSON.parse(body) as { token: string }).token}` }
  })
  afterEach(() => {
    for (const stream of streams.splice(0)) stream.abort()
  })
  after(async () => {
    await manager.destroy()
    await fleet.teardown()
  })

  const address = (path: string) => `http://127.0.0.1:${manager.httpPort}${path}`
  const list = async (query = '') =>
    (await (await fetch(address(`/api/fleet${query}`), { headers })).json()) as FleetRow[]

  /** Events as they come: names with their data, and the id of the latest. */
  const follow = async (since?: string) => {
    const end = new AbortController()
    streams.push(end)
    const more = since === undefined ? {} : { 'last-event-id': since }
    const response = await fetch(address('/api/fleet/events'), { headers: { ...headers, ...more }, signal: end.signal })
    const seen = { text: '', end }
    void (async () => {
      const decoder = new TextDecoder()
      for await (const chunk of response.body ?? []) seen.text += decoder.decode(chunk, { stream: true })
    })().catch(() => undefined)
    return {
      end,
      text: () => seen.text,
      ids: () => [...seen.text.matchAll(/^id: (\S+)\n/gm)].map(([, id = '']) => id),
    }
  }

  it('has a row for each cluster once its servers were probed', async () => {
    const texts = async () => (await list()).map(({ name, up, of }) => `${name} ${up}/${of}`).join(' ')
    await eventually(async () => (await texts()) === 'c1 3/3 c2 3/3 c3 3/3', 'all servers answer')
    await eventually(async () => (await list()).every(({ primary, at }) => primary !== '' && at > 0), 'all are known')
    expect((await list('?filter=c2')).map(({ name }) => name)).to.deep.equal(['c2'])
  })

  it('streams what happens to a cluster, and what was missed to a reader that comes back', async () => {
    const first = await follow()
    await eventually(() => first.text().includes('event: snapshot'), first.text)
    const [primary] = fleet.clusters[1] ?? []
    if (!primary) throw new Error('no primary')
    await fleet.set(primary, 'down')
    await eventually(() => /event: delta\ndata: \{"c":"c2","k":\{[^\n]*"state":"down"/.test(first.text()), first.text)
    // Rows and notes come in any order.
    await eventually(() => /event: note\ndata: \{"c":"c2"[^\n]*"kind":"finding-opened"/.test(first.text()), first.text)
    first.end.abort()
    const last = first.ids().at(-1)
    await fleet.set(primary, 'up')
    await eventually(async () => (await list('?filter=c2 -state:down')).length === 1, 'it takes writes again')
    const second = await follow(last)
    await eventually(() => /event: delta\ndata: \{"c":"c2","k":\{[^\n]*"up":3/.test(second.text()), second.text)
    expect(second.text()).not.to.contain('event: snapshot')
    const numbers = [last ?? '', ...second.ids()].map((id) => Number(id.split('-')[1]))
    expect(numbers).to.deep.equal(numbers.map((_, index) => (numbers[0] ?? 0) + index))
  })
})
