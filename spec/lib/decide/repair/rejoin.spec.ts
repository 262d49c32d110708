// Servers that return or follow the wrong source: brought back when nothing of theirs would be lost, kept out otherwise.
import { expect } from 'chai'
import { planRejoin } from '../../../../lib/decide/repair/rejoin.js'
import { formatSet } from '../../../../lib/model/server/gtid.js'
import type { ServerSnapshot } from '../../../../lib/model/snapshot.js'
import {
  acknowledgedSource,
  acknowledgingReplica,
  crash,
  primary,
  replica,
  running,
  type SituationDraft,
  type StateDraft,
  server,
  silent,
  situation,
  stateOf,
} from '../../../support/simulator/situation.js'

const after: SituationDraft = { memory: { primary: 'db2', crashes: [crash()] } }
const fresh = primary(2, { executed: '0-1-100,0-2-130' })
const follower = replica(3, { source: 2 })
const closed = (state: StateDraft = {}) => server(1, { state: stateOf(1, state) })
const plan = (servers: readonly ServerSnapshot[], draft: SituationDraft = after) =>
  planRejoin(situation(servers, draft))
const wordsOf = (servers: readonly ServerSnapshot[], draft: SituationDraft = after) =>
  plan(servers, draft)?.commands.map((command) =>
    'server' in command ? `${command.type} ${command.server}` : command.type,
  )

describe('planRejoin', () => {
  it('fences an old primary and does nothing else, until a probe finds it read-only', () => {
    expect(wordsOf([primary(1), fresh, follower])).to.deep.equal(['fence db1'])
    expect(wordsOf([primary(1, { executed: '0-1-103' }), fresh, follower])).to.deep.equal(['fence db1'])
  })

  it('lets a closed old primary follow, its own transactions counted as replicated', () => {
    expect(wordsOf([closed(), fresh, follower])).to.deep.equal(['repoint db1', 'report'])
    expect(plan([closed(), fresh, follower])?.commands[0]).to.include({ source: 'db2', demote: true })
  })

  it('switches its source side off before it follows', () => {
    const waiting = closed({ semiSync: acknowledgedSource() })
    expect(wordsOf([waiting, fresh, follower])).to.deep.equal(['set-semi-sync db1', 'repoint db1', 'report'])
  })

  it('ends the events of its time as the primary: with its fence, and before it follows or not at all', () => {
    const runs = { eventScheduler: true }
    expect(wordsOf([primary(1, runs), fresh, follower])).to.deep.equal(['fence db1', 'set-events db1'])
    const found = plan([closed(runs), fresh, follower])
    expect(found?.commands[0]).to.deep.equal({ type: 'set-events', server: 'db1', on: false })
    expect(wordsOf([closed(runs), fresh, follower])).to.deep.equal(['set-events db1', 'repoint db1', 'report'])
    // The scheduler of a replica that follows the wrong server is its own.
    const orphan = server(1, { state: stateOf(1, { ...runs, executed: '0-1-100' }) })
    const words = wordsOf([orphan, fresh, follower], { memory: { primary: 'db2' } })
    expect(words ?? []).to.not.include('set-events db1')
  })

  it('lets it acknowledge where semi-sync is configured: a restart may have taken its side', () => {
    const wanted = { memory: { ...after.memory, semiSync: true } }
    expect(wordsOf([closed(), fresh, follower], wanted)).to.deep.equal(['set-semi-sync db1', 'repoint db1', 'report'])
    expect(plan([closed(), fresh, follower], wanted)?.commands[0]).to.include({ source: false, replica: true })
    const ready = closed({ semiSync: acknowledgingReplica })
    expect(wordsOf([ready, fresh, follower], wanted)).to.deep.equal(['repoint db1', 'report'])
  })

  it('saves what it has more, counts it, and keeps it out', () => {
    const ahead = plan([closed({ executed: '0-1-103' }), fresh, follower])
    const [tail, ...more] = ahead?.commands ?? []
    expect(more).to.deep.equal([])
    expect(tail?.type === 'save-tail' && formatSet(tail.extra)).to.equal('0-1:101-103')
    expect(ahead?.reason).to.include('3 transactions')
  })

  it('names of it what only this server can have written, also where the primary knows nothing of this server', () => {
    const filled = primary(2, { executed: '0-3-100' })
    const [tail] = plan([closed({ executed: '0-3-90,0-1-103' }), filled, follower])?.commands ?? []
    expect(tail?.type === 'save-tail' && tail.extraText).to.equal('0-1:101-103')
  })

  it('saves it once', () => {
    const outcome = { at: 0, verdict: 'diverged' } as const
    const memory = { primary: 'db2', crashes: [crash({ outcome })] }
    expect(plan([closed({ executed: '0-1-103' }), fresh, follower], { memory })).to.equal(undefined)
  })

  it('brings it back once the primary has what it had', () => {
    const merged = primary(2, { executed: '0-1-103,0-2-130' })
    expect(wordsOf([closed({ executed: '0-1-103' }), merged, follower])).to.deep.equal(['repoint db1', 'report'])
  })

  it('repoints a replica that still follows the old primary', () => {
    expect(wordsOf([primary(1, {}, silent()), fresh, replica(3)])).to.deep.equal([
      'check-login db2',
      'repoint db3',
      'report',
    ])
  })

  it('leaves a replica that runs where it is until its login at the new source is known to work', () => {
    const login = { at: 1, user: 'repl', message: 'error 1184' }
    const withLogin = (state: 'accepted' | 'denied' | 'unknown', draft = {}) => {
      const source = { ...fresh, login: { ...login, state, ...draft } }
      return [server(1, silent()), source, { ...replica(4, { source: 3 }), sourceId: 'db3' }, follower]
    }
    const settings = { 'replication-master-slave-never-relay': true }
    const given = (...of: Parameters<typeof withLogin>) => wordsOf(withLogin(...of), { ...after, settings })
    expect(given('accepted')).to.deep.equal(['check-login db2', 'repoint db4', 'report'])
    expect(given('unknown')).to.equal(undefined)
    expect(given('denied')).to.equal(undefined)
    expect(given('unknown', { unreached: true })).to.include('check-login db2')
    const { snapshot } = situation(withLogin('unknown'), { ...after, settings })
    const left = snapshot.findings.find(({ code }) => code === 'WARN0251')?.detail
    expect(left).to.include('it goes on with its present source').and.include('error 1184')
    // One that does not replicate loses nothing by a try.
    const stopped = [closed(), { ...fresh, login: { ...login, state: 'unknown' as const } }, follower]
    expect(wordsOf(stopped)).to.deep.equal(['repoint db1', 'report'])
  })

  it('does not touch a replica that received what the new primary is missing', () => {
    const richer = replica(3, { received: '0-1-108', applied: '0-1-100' })
    expect(plan([primary(1, {}, silent()), fresh, richer])).to.equal(undefined)
  })

  it('repoints the replicas of a dead relay to the relay’s source', () => {
    const dead = replica(2, { server: silent() })
    const orphan = replica(3, { source: 2, io: 'connecting' })
    const draft = { settings: { 'replication-multi-tier-slave': true } }
    expect(plan([primary(), dead, orphan], draft)?.commands[0]).to.include({
      type: 'repoint',
      server: 'db3',
      source: 'db1',
    })
  })

  it('repoints the replicas of a relay only where relays are not wanted', () => {
    const tiers = [primary(), replica(2), replica(3, { source: 2 })]
    expect(plan(tiers, {})?.commands[0]).to.deep.equal({ type: 'check-login', server: 'db1' })
    expect(plan(tiers, {})?.commands[1]).to.include({ server: 'db3', source: 'db1' })
    expect(plan(tiers, { settings: { 'replication-multi-tier-slave': true } })).to.equal(undefined)
  })

  it('brings back a server that lost its source, and leaves an empty one to its provisioning', () => {
    expect(
      wordsOf([primary(), replica(2), server(3, { state: stateOf(3, { executed: '0-1-90' }) })], {}),
    ).to.deep.equal(['repoint db3', 'report'])
    expect(plan([primary(), replica(2), server(3, { state: stateOf(3, { executed: '' }) })], {})).to.equal(undefined)
  })

  for (const [claim, servers, draft] of [
    ['the primary is down', [primary(1), primary(2, {}, silent()), replica(3, { source: 2, io: 'connecting' })], after],
    ['an operation is running', [primary(1), fresh, follower], { ...after, operation: running() }],
    ['autorejoin is off', [primary(1), fresh, follower], { ...after, settings: { autorejoin: false } }],
    ['it is in maintenance', [primary(1, {}, { maintenance: true }), fresh, follower], after],
    ['all is well', [primary(), replica(2), replica(3)], {}],
    ['a replica follows an outside source', [primary(), replica(2), replica(3, { source: 77 })], {}],
  ] as const satisfies readonly (readonly [string, readonly ServerSnapshot[], SituationDraft])[])
    it(`does nothing when ${claim}`, () => expect(plan(servers, draft)).to.equal(undefined))

  it('counts a delayed replica’s delay in', () => {
    const delayed = replica(3, { delaySeconds: 60, server: { delaySeconds: 60 } })
    expect(plan([primary(1, {}, silent()), fresh, delayed])?.commands[1]).to.include({
      type: 'repoint',
      delaySeconds: 60,
    })
  })
})
