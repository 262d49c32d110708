// What the pages of access are made of: grants as words, tokens, who did what, the slides of a wall.
import { expect } from 'chai'
import { auditKinds, auditQuery, readAudit } from '../../../http/dashboard/src/model/access/audit.js'
import { groupByArea, groupClusters, impliedBy, wordsOf } from '../../../http/dashboard/src/model/access/grants.js'
import { readTokens, readUsers } from '../../../http/dashboard/src/model/access/users.js'
import { keyOfSlide, nextPlace, type Place, slidesOf } from '../../../http/dashboard/src/pages/slides/order.js'
import { fleetRowOf } from '../../support/http/fleet-rows.js'

describe('grants', () => {
  it('stand by area, in their order', () => {
    expect(groupByArea(['db-start', 'cluster-create', 'db-stop', 'show'])).to.deep.equal([
      { name: 'db', grants: ['db-start', 'db-stop'] },
      { name: 'cluster', grants: ['cluster-create'] },
      { name: 'other', grants: ['show'] },
    ])
  })

  it('that begin with a chosen one are given with it, and are no words of their own', () => {
    const chosen = new Set(['cluster-create', 'cluster-create-monitor', 'db-stop'])
    expect(impliedBy('cluster-create-monitor', chosen)).to.equal('cluster-create')
    expect(impliedBy('cluster-create', chosen)).to.equal(undefined)
    expect(wordsOf(chosen)).to.equal('cluster-create db-stop')
  })

  it('of clusters with the same set stand once', () => {
    const held = { sets: [['show'], ['show', 'db-stop']], clusters: { b: 1, a: 0, c: 1 } }
    expect(groupClusters(held)).to.deep.equal([
      { grants: ['show', 'db-stop'], clusters: ['b', 'c'] },
      { grants: ['show'], clusters: ['a'] },
    ])
  })
})

describe('replies of users and tokens', () => {
  it('render with every optional field absent', () => {
    expect(readUsers([{ user: 'ann' }, {}, null])).to.deep.equal([
      { name: 'ann', roles: [], grants: [], access: '', isAdded: false, isSignOn: false },
    ])
    expect(readTokens([{ id: '1' }, {}])).to.deep.equal([
      { id: '1', user: '', label: '', grants: [], clusters: [], state: 'live' },
    ])
    expect(readUsers(undefined)).to.deep.equal([])
  })

  it('call a token revoked before they call it expired', () => {
    expect(readTokens([{ id: '1', revoked: true, expired: true }])[0]?.state).to.equal('revoked')
    expect(readTokens([{ id: '1', expired: true }])[0]?.state).to.equal('expired')
  })
})

describe('the audit', () => {
  it('asks for what people did, by what was typed', () => {
    expect(auditQuery({ user: ' ann ', cluster: '', action: 'switch' })).to.deep.equal({
      ...{ user: 'ann', cluster: undefined, code: 'switch', before: undefined, limit: '100' },
      kind: auditKinds.join(','),
    })
  })

  it('keeps the cluster of an entry, none for the manager, and how far back was searched', () => {
    const entry = { id: 'e1', at: 5, kind: 'login', text: 'ann logged in', user: 'ann' }
    const page = readAudit({
      entries: [
        { ...entry, cluster: 'shop' },
        { ...entry, cluster: null },
      ],
      next: null,
      reach: 3,
    })
    expect(page.entries.map(({ cluster }) => cluster)).to.deep.equal(['shop', undefined])
    expect([page.next, page.reach]).to.deep.equal([undefined, 3])
  })
})

describe('slides', () => {
  const rows = [
    fleetRowOf('calm'),
    fleetRowOf('down', { state: 'down' }),
    fleetRowOf('moving', { op: 'switchover' }),
    ...Array.from({ length: 5 }, (_none, index) => fleetRowOf(`shop-${index}`)),
  ]
  const all = slidesOf(rows, { filter: '', onlyTrouble: false })

  it('are the fleet, then two of each cluster, those in trouble first, the fleet again after five', () => {
    expect(all.slice(0, 5).map(keyOfSlide)).to.deep.equal([
      ...['fleet', 'servers down', 'readiness down', 'servers moving', 'readiness moving'],
    ])
    expect(all.map(keyOfSlide).filter((key) => key === 'fleet')).to.have.length(2)
    expect(new Set(all.map(keyOfSlide)).size).to.equal(1 + 2 * rows.length)
  })

  it('are only those in trouble when asked so, and only those that a filter keeps', () => {
    const troubled = slidesOf(rows, { filter: '', onlyTrouble: true })
    expect(troubled.map(keyOfSlide).slice(1)).to.deep.equal([
      ...['servers down', 'readiness down', 'servers moving', 'readiness moving'],
    ])
    expect(slidesOf(rows, { filter: 'calm', onlyTrouble: false })).to.have.length(3)
  })

  it('each come once in a round, and then the fleet', () => {
    let place: Place | undefined
    const seen: string[] = []
    for (let index = 0; index <= all.length; index++) {
      place = nextPlace(all, place)
      seen.push(keyOfSlide(place.slide))
    }
    expect(seen).to.deep.equal([...all.map(keyOfSlide), 'fleet'])
  })

  it('go on at the same place when the cluster that is shown leaves them', () => {
    const place = { index: 1, slide: { type: 'servers', cluster: 'down' } } as const
    const rest = slidesOf(rows.slice(2), { filter: '', onlyTrouble: false })
    expect(keyOfSlide(nextPlace(rest, place).slide)).to.equal('servers moving')
    expect(keyOfSlide(nextPlace([], place).slide)).to.equal('fleet')
  })
})
