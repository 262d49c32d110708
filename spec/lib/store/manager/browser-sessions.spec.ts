// Sessions of browsers at several instances: whatever the order of refreshes and failures, a stolen secret ends the session at its second use.
import path from 'node:path'
import { expect } from 'chai'
import fc from 'fast-check'
import { fail, ok, unwrap } from '../../../../lib/base/result.js'
import { HOUR, MINUTE } from '../../../../lib/base/time.js'
import { BrowserSessions, type PlacedSession, type SessionPlace } from '../../../../lib/store/index.js'
import { SESSIONS, SESSIONS_EACH } from '../../../../lib/store/manager/browser-sessions.js'
import { newDirectory } from '../../../support/machine/directories.js'
import { cases } from '../../../support/run/soak.js'

const START = 1_800_000_000_000
const wish = { lifetimeMs: 12 * HOUR, fingerprintsOf: () => ['print'] }
const away = fail('store-unreachable', 'away')

/** What all instances share, in memory; a write whose reply is lost has been done. */
class Common implements SessionPlace {
  isAway = false
  losesReply = false
  #revision = 1
  readonly #kept = new Map<string, PlacedSession>()

  async read(id: string) {
    return this.isAway ? away : ok(this.#kept.get(id))
  }

  async put({ session, revision }: PlacedSession) {
    if (this.isAway) return away
    if ((this.#kept.get(session.id)?.revision ?? 0) !== revision) return this.losesReply ? away : ok(0)
    this.#revision += 1
    this.#kept.set(session.id, { session, revision: this.#revision })
    return this.losesReply ? away : ok(this.#revision)
  }

  async end(id: string, read?: PlacedSession) {
    if (this.isAway) return away
    if (read && this.#kept.get(id)?.revision !== read.revision) return ok(0)
    this.#revision += 1
    this.#kept.delete(id)
    return this.losesReply ? away : ok(this.#revision)
  }

  all() {
    return { sessions: [...this.#kept.values()], revision: this.#revision }
  }
}

type Turn = 'reached' | 'away' | 'reply lost'

describe('BrowserSessions', () => {
  const open = async () => {
    const { browserSessions } = await BrowserSessions.open(path.join(newDirectory('sessions'), 'sessions.json'))
    let at = START
    return {
      browserSessions,
      begin: async (user: string, cluster: string) => {
        const holder = { user, clusters: [cluster], isGlobal: false, mayName: () => false }
        const login = { user, by: 'password', from: '192.0.2.1', lifetimeMs: wish.lifetimeMs } as const
        at += 1
        return (await browserSessions.begin({ ...login, holder, at })).opened.session.id
      },
    }
  }

  it('of one user end no session of a user of the same name in another cluster', async () => {
    const { browserSessions, begin } = await open()
    const other = await begin('bob', 'b')
    const first = await begin('bob', 'a')
    for (let count = 0; count < SESSIONS_EACH; count += 1) await begin('bob', 'a')
    expect([other, first].map((id) => browserSessions.get(id) !== undefined)).to.deep.equal([true, false])
  })

  it('of one cluster end before those of another, when they are too many in all', async () => {
    const { browserSessions, begin } = await open()
    const other = await begin('ann', 'b')
    const session = browserSessions.get(other)
    if (!session) throw new Error('no session')
    const crowd = Array.from({ length: SESSIONS }, (_, index) => ({
      session: {
        ...session,
        id: `${index}`.padStart(24, '0'),
        user: `user-${index}`,
        countsFor: 'a',
        usedAt: START + 9,
      },
      revision: 1,
    }))
    await browserSessions.adopt([{ session, revision: 1 }, ...crowd], 1)
    const last = await begin('late', 'a')
    expect([other, last].map((id) => browserSessions.get(id) !== undefined)).to.deep.equal([true, true])
    expect(crowd.filter(({ session: { id } }) => browserSessions.get(id))).to.have.length(SESSIONS - 2)
  })
})

describe('BrowserSessions of several instances', () => {
  let directory: string
  before(() => {
    directory = newDirectory('sessions')
  })

  it('never open for two holders of one secret, whatever happens between their uses', async () => {
    let runs = 0
    const step = fc.record({
      who: fc.constantFrom('owner', 'thief', 'reader'),
      instance: fc.integer({ min: 0, max: 1 }),
      turn: fc.constantFrom<Turn>('reached', 'reached', 'reached', 'away', 'reply lost'),
    })
    const turns = fc.constantFrom<Turn>('reached', 'away', 'reply lost')
    await fc.assert(
      fc.asyncProperty(turns, fc.array(step, { minLength: 4, maxLength: 14 }), async (first, steps) => {
        runs += 1
        const common = new Common()
        common.isAway = first === 'away'
        common.losesReply = first === 'reply lost'
        const open = async (name: string) => {
          const { browserSessions } = await BrowserSessions.open(path.join(directory, `${runs}-${name}.json`))
          browserSessions.share(common)
          return browserSessions
        }
        const instances = [await open('a'), await open('b')] as const
        const begun = await instances[0].begin({
          ...{ user: 'ann', fingerprint: 'print', by: 'password', from: '', at: START, lifetimeMs: wish.lifetimeMs },
        })
        const texts = { owner: begun.opened.text, thief: begun.opened.text }
        const opened = new Set<string>()
        let at = START
        let isEnded = false
        for (const { who, instance, turn } of steps) {
          at += MINUTE
          common.isAway = turn === 'away'
          common.losesReply = turn === 'reply lost'
          const browsers = instances[instance] ?? instances[0]
          if (who === 'reader') {
            const { sessions, revision } = common.all()
            if (turn === 'reached') unwrap(await browsers.adopt(sessions, revision))
            await browsers.bringIn()
            continue
          }
          const presented = await browsers.present({ ...wish, text: texts[who], at })
          const outcome = presented.ok ? presented.value.outcome : undefined
          if (outcome?.type === 'ended') isEnded = true
          if (outcome?.type !== 'opened') continue
          expect(isEnded && turn === 'reached', 'it opens once it has ended').to.equal(false)
          texts[who] = outcome.opened.text
          opened.add(who)
          expect(opened.size, 'holders for whom it has opened').to.equal(1)
        }
        await Promise.all(instances.map((one) => one.close()))
      }),
      { numRuns: cases({ commit: 150, soak: 3_000 }) },
    )
  })
})
