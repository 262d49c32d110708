// Silences of several owners: bounded by cluster and user, ended ones apart.
import { expect } from 'chai'
import { ENDED_SHOWN, Silences } from '../../../../actors/manager/alerts/silences.js'
import { type Holder, sharedBounds } from '../../../../lib/access/bound/index.js'
import { unwrap } from '../../../../lib/base/result.js'
import { HOUR, now } from '../../../../lib/base/time.js'
import { writeSilences } from '../../../../lib/store/index.js'
import { newDirectory } from '../../../support/machine/directories.js'

const { perUser, perCluster } = sharedBounds.silences
const at = Math.round(now())
const silence = (cluster: string, owner: string, endsAt = at + HOUR) => ({
  ...{ cluster, owner, reason: 'maintenance', codes: [], servers: [] },
  ...{ startsAt: at - 2 * HOUR, endsAt },
})
const stored = (count: number, { cluster = 'a', owner = 'eve', endsAt = at + HOUR } = {}) =>
  Array.from({ length: count }, (_, index) => ({
    ...silence(cluster, owner, endsAt),
    ...{ id: `${cluster}-${owner}-${index}`, createdAt: at },
  }))
const holder = (user: string, cluster: string): Holder => ({
  ...{ user, clusters: [cluster], isGlobal: false },
  mayName: () => false,
})
const admin: Holder = { user: 'admin', clusters: [], isGlobal: true, mayName: () => true }

describe('Silences', () => {
  const open = async (...kept: readonly (readonly ReturnType<typeof stored>[number][])[]) => {
    const directory = newDirectory('silences')
    unwrap(await writeSilences(directory, kept.flat()))
    const silences = new Silences(directory, () => undefined)
    await silences.open()
    return silences
  }
  const full = () =>
    open(...Array.from({ length: perCluster / perUser }, (_, index) => stored(perUser, { owner: `user-${index}` })))

  it('of one user of a cluster are a part of those of the cluster', async () => {
    const silences = await open(stored(perUser))
    const own = await silences.add(silence('a', 'eve'), holder('eve', 'a'))
    expect(own.ok ? '' : own.failure.message).to.match(/^silences: eve has all 50 of one user in a; end some/)
    expect((await silences.add(silence('a', 'ann'), holder('ann', 'a'))).ok).to.equal(true)
  })

  it('of the users of one cluster leave those of another, and of administrators, alone', async () => {
    const silences = await full()
    const late = await silences.add(silence('a', 'late'), holder('late', 'a'))
    expect(late.ok ? '' : late.failure.code).to.equal('bound-reached')
    expect((await silences.add(silence('b', 'bob'), holder('bob', 'b'))).ok).to.equal(true)
    const ofAdmin = [silence('a', 'admin'), silence('', 'admin')]
    for (const wanted of ofAdmin) expect((await silences.add(wanted, admin)).ok).to.equal(true)
  })

  it('of administrators on a cluster take nothing of its owner, over a restart', async () => {
    const directory = newDirectory('silences')
    const first = new Silences(directory, () => undefined)
    for (let count = 0; count < perUser; count += 1) unwrap(await first.add(silence('a', 'eve'), admin))
    const second = new Silences(directory, () => undefined)
    await second.open()
    expect((await second.add(silence('a', 'eve'), holder('eve', 'a'))).ok).to.equal(true)
  })

  it('make room when they end', async () => {
    const silences = await full()
    const [first] = silences.list('a')
    unwrap(await silences.drop('a', first?.id ?? ''))
    expect((await silences.add(silence('a', 'late'), holder('late', 'a'))).ok).to.equal(true)
  })

  it('that have ended do not count, and are shown up to a number, of each cluster a part', async () => {
    const ended = { endsAt: at - HOUR }
    const silences = await open(stored(10, { cluster: 'b', ...ended }), stored(2 * ENDED_SHOWN, ended))
    unwrap(await silences.add(silence('a', 'eve'), holder('eve', 'a')))
    expect(silences.list('a')).to.have.length(ENDED_SHOWN - 10 + 1)
    expect(silences.list('b')).to.have.length(10)
  })
})
