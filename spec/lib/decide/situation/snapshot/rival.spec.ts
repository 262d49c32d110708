// Which of two managers acts, by the locks that they hold on the servers.
import { expect } from 'chai'
import { SECOND } from '../../../../../lib/base/time.js'
import { judgeFailover } from '../../../../../lib/decide/failover/failover.js'
import { listRepairs, urgentFences } from '../../../../../lib/decide/repair/repair.js'
import {
  followRivalry,
  givesWay,
  isSteady,
  judgeRival,
  RIVAL_MS,
} from '../../../../../lib/decide/situation/snapshot/rival.js'
import type { Presence, Rivalry } from '../../../../../lib/model/server/presence.js'
import type { ServerSnapshot } from '../../../../../lib/model/snapshot.js'
import {
  crash,
  cutOff,
  NOW,
  primary,
  refused,
  replica,
  server,
  situation,
} from '../../../../support/simulator/situation.js'

const mine: Presence = { holds: true }
const theirs: Presence = { holds: false, other: '10.0.0.9' }
const noManager: Presence = { holds: false }

/** Servers with what was read of each; undefined: it does not answer. */
const fleet = (...presences: readonly (Presence | undefined)[]) =>
  presences.map((presence, index) =>
    presence
      ? server(index + 1, { ...primary(index + 1), presence })
      : server(index + 1, { ...refused, presence: theirs }),
  )

describe('judgeRival', () => {
  for (const [claim, presences, acts] of [
    ['is none without another manager', [mine, mine, mine], undefined],
    ['is none where only a session of the own manager holds a lock', [noManager, mine, mine], undefined],
    ['gives way when it only waits for the lock', [{ ...mine, waiting: '10.0.0.9' }, mine, mine], false],
    ['gives way when it holds fewer', [mine, theirs, mine], false],
    ['acts when it holds more', [mine, theirs, theirs], true],
    ['acts when it holds as many, and the lowest server id', [theirs, mine], true],
    ['gives way when it holds as many without the lowest server id', [mine, theirs], false],
    ['does not count servers that do not answer', [undefined, mine], undefined],
  ] as readonly (readonly [string, readonly (Presence | undefined)[], boolean | undefined])[])
    it(claim, () => {
      const rival = judgeRival(fleet(...presences))
      expect(rival).to.deep.equal(acts === undefined ? undefined : { hosts: ['10.0.0.9'], acts })
    })

  it('of two managers lets exactly one act, whatever they hold', () => {
    const other = (presence: Presence): Presence =>
      presence.holds ? { holds: false, other: 'a' } : presence.other ? { holds: true } : presence
    const choices = [mine, theirs]
    for (const one of choices)
      for (const two of choices)
        for (const three of choices) {
          const [us, them] = [[one, two, three], [one, two, three].map(other)]
          const yields = [judgeRival(fleet(...us))?.acts === true, judgeRival(fleet(...them))?.acts === true]
          expect(yields.filter(Boolean), JSON.stringify(us)).to.have.length(1)
        }
  })

  it('keeps the manager from a failover of its own, and a finding names the other one', () => {
    const dead = [
      server(1, refused),
      { ...replica(2, cutOff), presence: theirs },
      { ...replica(3, cutOff), presence: theirs },
    ]
    const judged = situation(dead)
    expect(judgeFailover(judged)).to.deep.include({ primaryDead: true, wouldFailOver: false })
    expect(judged.snapshot.findings.find(({ code }) => code === 'ERR00022')?.detail).to.include('10.0.0.9')
    expect(judgeFailover(situation(dead.map(({ presence: _, ...one }) => one))).wouldFailOver).to.equal(true)
  })

  it('does not take what the other manager closed for a person', () => {
    const closed = { ...primary(1, { readOnly: true }, { writableAt: Date.now() - SECOND }), presence: theirs }
    expect(situation([closed, replica(2)]).memory.closedByHand).to.equal(undefined)
  })
})

const [acting, waiting] = [
  { hosts: ['10.0.0.9'], acts: true },
  { hosts: ['10.0.0.9'], acts: false },
]

describe('what is remembered of another manager', () => {
  it('says when it was seen and when it acted, until it has been away for long enough', () => {
    expect(followRivalry(undefined, undefined, NOW)).to.equal(undefined)
    const acted = followRivalry(undefined, acting, NOW)
    expect(acted).to.deep.equal({ seenAt: NOW, actedAt: NOW })
    const watched = followRivalry(acted, waiting, NOW + SECOND)
    expect(watched).to.deep.equal({ seenAt: NOW + SECOND, actedAt: NOW })
    expect(followRivalry(watched, undefined, NOW + RIVAL_MS)).to.deep.equal(watched)
    expect(followRivalry(watched, undefined, NOW + SECOND + RIVAL_MS)).to.equal(undefined)
  })

  it('gives way while the other one acts, and for a while after, not to one that only waits', () => {
    expect(givesWay({ at: NOW })).to.equal(false)
    expect(givesWay({ at: NOW, rival: acting })).to.equal(true)
    expect(givesWay({ at: NOW, rival: waiting, rivalry: { seenAt: NOW } })).to.equal(false)
    for (const [actedAt, gives] of [
      [NOW - RIVAL_MS + 1, true],
      [NOW - RIVAL_MS, false],
    ] as const)
      expect(givesWay({ at: NOW, rival: waiting, rivalry: { seenAt: NOW, actedAt } })).to.equal(gives)
  })

  it('counts a server as steady without another manager, or when it has long been as it is', () => {
    const rivalry = { seenAt: NOW }
    const [recently, long] = [NOW - RIVAL_MS + 1, NOW - RIVAL_MS]
    const closed = (writableAt: number) => primary(1, { readOnly: true }, { writableAt })
    const open = (closedAt: number) => primary(1, {}, { closedAt })
    for (const [one, at, expected] of [
      [closed, recently, false],
      [closed, long, true],
      [open, recently, false],
      [open, long, true],
    ] as const) {
      expect(isSteady(one(at), { at: NOW, rivalry })).to.equal(expected)
      expect(isSteady(one(at), { at: NOW })).to.equal(true)
    }
  })
})

describe('beside another manager', () => {
  const beside: { readonly rivalry: Rivalry } = { rivalry: { seenAt: NOW - SECOND } }
  const commandsOf = (servers: readonly ServerSnapshot[], draft: Parameters<typeof situation>[1]) =>
    listRepairs(situation(servers, draft)).flatMap(({ commands }) => commands.map(({ type }) => type))
  const closed = (writableAt: number) => [primary(1, { readOnly: true }, { writableAt }), replica(2), replica(3)]
  const second = (closedAt: number) => [primary(), replica(2, { state: { readOnly: false }, server: { closedAt } })]

  it('a primary that was closed a moment ago is not opened, and is later', () => {
    const memory = { closedByHand: false, fenced: { db1: { at: NOW - SECOND } } }
    expect(commandsOf(closed(NOW - SECOND), { memory })).to.include('make-writable')
    expect(commandsOf(closed(NOW - SECOND), { memory, ...beside })).not.to.include('make-writable')
    expect(commandsOf(closed(NOW - RIVAL_MS), { memory, ...beside })).to.include('make-writable')
  })

  it('a server that was opened a moment ago is not closed, and is later', () => {
    expect(commandsOf(second(NOW - SECOND), {})).to.include('fence')
    expect(commandsOf(second(NOW - SECOND), beside)).not.to.include('fence')
    expect(commandsOf(second(NOW - RIVAL_MS), beside)).to.include('fence')
  })

  it('a primary that this manager itself replaced is closed at once when it wakes up', () => {
    const woken = [primary(1, {}, { closedAt: NOW - SECOND }), primary(2), replica(3, { source: 2 })]
    const judged = situation(woken, { memory: { primary: 'db2', crashes: [crash()] }, ...beside })
    expect(urgentFences(judged)).to.have.length(1)
  })

  it('while it acts, the server that takes writes is the primary, though this manager took the role from it', () => {
    const memory = { primary: 'db2', crashes: [crash()] }
    const servers = (presence: Presence) =>
      [
        primary(1, {}, { closedAt: NOW - SECOND }),
        server(2, { ...primary(2, { readOnly: true }), writableAt: NOW - SECOND }),
        replica(3, { source: 1 }),
      ].map((one) => ({ ...one, presence }))
    const believed = situation(servers(mine), { memory })
    expect(believed.snapshot.primary).to.equal('db2')
    expect(urgentFences(believed)).to.have.length(1)
    const followed = situation(servers(theirs), { memory })
    expect(followed.snapshot.primary).to.equal('db1')
    expect(followed.memory.primary).to.equal('db1')
    // It becomes the one that acts: nothing is closed or opened on what it believed before.
    const taken = situation(servers(mine), { memory: followed.memory, rivalry: { seenAt: NOW, actedAt: NOW } })
    expect(taken.snapshot.primary).to.equal('db1')
    expect(urgentFences(taken)).to.deep.equal([])
  })

  it('no server is taken for the primary that no replica follows and that never was one', () => {
    const closedOne = primary(1, { readOnly: true }, { writableAt: NOW - SECOND, presence: theirs })
    const stranger = { ...primary(3), presence: theirs }
    expect(situation([closedOne, replica(2), stranger]).snapshot.primary).to.equal('db1')
  })
})
