// Sessions of browsers of two instances on a real etcd: what one does holds at the other, and nothing is reported as done that is not.
import path from 'node:path'
import { expect } from 'chai'
import { FleetSessions } from '../../../../actors/manager/ownership/fleet-sessions.js'
import { unwrap } from '../../../../lib/base/result.js'
import { HOUR, MINUTE } from '../../../../lib/base/time.js'
import { Etcd } from '../../../../lib/lease/index.js'
import { BrowserSessions } from '../../../../lib/store/index.js'
import { newDirectory } from '../../../support/machine/directories.js'
import { EtcdServer } from '../../../support/machine/etcd.js'
import { loseReplies } from '../../../support/machine/lose-replies.js'

const START = 1_800_000_000_000
const password = { lifetimeMs: HOUR, fingerprintsOf: () => ['print'] }
const login = { user: 'ann', fingerprint: 'print', by: 'password', from: '10.0.0.1', lifetimeMs: HOUR } as const

describe('FleetSessions', () => {
  let server: EtcdServer
  let etcd: Etcd
  let fleets = 0
  before(async () => {
    server = await EtcdServer.create()
    etcd = server.client()
  })
  after(async () => {
    etcd?.close()
    await server?.end()
  })

  const newFile = () => path.join(newDirectory('sessions'), 'browser-sessions.json')
  const open = async (prefix: string, file = newFile(), client = etcd) => {
    const { browserSessions: browsers } = await BrowserSessions.open(file)
    const common = new FleetSessions({ etcd: client, prefix, browsers, log: () => undefined })
    browsers.share(common)
    return {
      ...{ file, browsers, common },
      begin: async (at = START) => (await browsers.begin({ ...login, at })).opened,
      /** The text that follows; else how it ended, or the failure. */
      present: async (text: string, at: number) => {
        const presented = await browsers.present({ ...password, text, at })
        if (!presented.ok) return presented.failure.code
        const { outcome } = presented.value
        return outcome.type === 'opened' ? outcome.opened.text : outcome.type === 'ended' ? outcome.why : outcome.type
      },
    }
  }
  const openTwo = async () => {
    fleets += 1
    const prefix = `/fleet${fleets}`
    const [one, two] = [await open(prefix), await open(prefix)]
    unwrap(await one.common.refresh())
    unwrap(await two.common.refresh())
    return { prefix, one, two }
  }

  it('a session of one is refreshed at the other, and a secret that was replaced there ends it at both', async () => {
    const { one, two } = await openTwo()
    const { text, session } = await one.begin()
    const next = await two.present(text, START + MINUTE)
    expect(next)
      .to.match(new RegExp(`^${session.id}\\.`))
      .and.not.equal(text)
    const last = await one.present(next, START + 2 * MINUTE)
    expect(last).to.match(new RegExp(`^${session.id}\\.`))
    expect(await two.present(text, START + 3 * MINUTE), 'who stole the first one').to.equal('reuse')
    expect(await one.present(last, START + 3 * MINUTE), 'the owner, too').to.equal('unknown')
    unwrap(await one.common.refresh())
    expect(one.browsers.get(session.id)).to.equal(undefined)
  })

  it('one secret at two instances at once gives one and the same', async () => {
    const { one, two } = await openTwo()
    const { text } = await one.begin()
    const at = START + MINUTE
    const [left, right] = await Promise.all([one.present(text, at), two.present(text, at)])
    expect(left)
      .to.equal(right)
      .and.match(/^[0-9a-f]{24}\./)
    expect(await two.present(left, at + MINUTE)).to.match(/^[0-9a-f]{24}\./)
  })

  it('knows its own write when the reply to it was lost: nobody stole the session', async () => {
    const lossy = await loseReplies(server.endpoint)
    const client = new Etcd({ endpoints: [lossy.endpoint, server.endpoint], user: '', password: '' })
    fleets += 1
    const one = await open(`/fleet${fleets}`, undefined, client)
    unwrap(await one.common.refresh())
    const { text, session } = await one.begin()
    lossy.lose('/v3/kv/txn')
    const next = await one.present(text, START + MINUTE)
    expect(lossy.lost).to.equal(1)
    expect(next).to.match(new RegExp(`^${session.id}\\.`))
    expect(await one.present(next, START + 2 * MINUTE)).to.match(new RegExp(`^${session.id}\\.`))
    client.close()
    lossy.close()
  })

  it('a logout at one ends it at the other, also one that this has not read yet', async () => {
    const { one, two } = await openTwo()
    const { text, session } = await one.begin()
    expect(unwrap(await two.browsers.match(text))?.id).to.equal(session.id)
    unwrap(await two.browsers.end(session.id))
    unwrap(await one.common.refresh())
    expect(one.browsers.get(session.id)).to.equal(undefined)
    expect(await one.present(text, START + MINUTE)).to.equal('unknown')
  })

  it('a user that this instance does not know yet keeps the session of another one', async () => {
    const { one, two } = await openTwo()
    const { text } = await one.begin()
    unwrap(await two.common.refresh())
    expect(await two.browsers.keepKnown(() => false)).to.deep.equal([])
    expect(await one.present(text, START + MINUTE)).to.match(/\./)
    expect(await one.browsers.keepKnown(() => false)).to.have.length(1)
  })

  it('the first instance leaves its sessions to all, and one that joins takes them in place of its own', async () => {
    fleets += 1
    const files = [0, 1].map(() => path.join(newDirectory('sessions'), 'browser-sessions.json'))
    const texts: string[] = []
    for (const file of files) {
      const { browserSessions } = await BrowserSessions.open(file)
      texts.push((await browserSessions.begin({ ...login, at: START })).opened.text)
      await browserSessions.close()
    }
    const [first = '', second = ''] = texts
    const one = await open(`/fleet${fleets}`, files[0])
    unwrap(await one.common.refresh())
    const two = await open(`/fleet${fleets}`, files[1])
    unwrap(await two.common.refresh())
    expect(two.browsers.derive('cookie')).to.deep.equal(one.browsers.derive('cookie'))
    const next = await two.present(first, START + MINUTE)
    expect(next).to.match(/\./)
    expect(await two.present(second, START + MINUTE)).to.equal('unknown')
    const again = await open(`/fleet${fleets}`, files[1])
    unwrap(await again.common.refresh())
    expect(await again.present(next, START + 2 * MINUTE), 'after a restart').to.match(/\./)
  })

  it('without etcd a refresh is refused, a login holds here alone, and an end is reported as not done; all of it is settled later', async () => {
    const { one, two } = await openTwo()
    const kept = await one.begin()
    const ended = await one.begin()
    unwrap(await two.common.refresh())
    await server.end()
    expect(await two.present(kept.text, START + MINUTE)).to.equal('store-unreachable')
    const refused = await two.browsers.end(ended.session.id)
    expect(!refused.ok && refused.failure.code).to.equal('store-unreachable')
    expect(two.browsers.get(ended.session.id)).to.equal(undefined)
    const alone = await two.begin()
    const next = await two.present(alone.text, START + MINUTE)
    expect(next).to.match(/\./).and.not.equal(alone.text)
    await server.start()
    expect(await one.present(next, START + 2 * MINUTE)).to.equal('unknown')
    unwrap(await two.common.refresh())
    unwrap(await one.common.refresh())
    expect(one.browsers.get(ended.session.id)).to.equal(undefined)
    expect(await one.present(next, START + 2 * MINUTE)).to.match(/\./)
    expect(await two.present(kept.text, START + 2 * MINUTE)).to.match(/\./)
  })
})
