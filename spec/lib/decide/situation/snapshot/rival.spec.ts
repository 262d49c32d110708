// Which of two managers acts, by the locks that they hold on the servers.
import { expect } from 'chai'
import { SECOND } from '../../../../../lib/base/time.js'
import { judgeFailover } from '../../../../../lib/decide/failover/failover.js'
import { judgeRival } from '../../../../../lib/decide/situation/snapshot/rival.js'
import type { Presence } from '../../../../../lib/model/server/presence.js'
import { cutOff, primary, refused, replica, server, situation } from '../../../../support/simulator/situation.js'

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
