// Whose a server is: the table of what may answer at an address.
import { expect } from 'chai'
import { MINUTE, SECOND } from '../../../../lib/base/time.js'
import { type Holding, judgeWhose, type Sighting } from '../../../../lib/decide/watching/instances.js'
import { isExpected, type ServerInstance } from '../../../../lib/model/server/instance.js'

const NOW = Date.UTC(2026, 0, 1)

const instance = (change: Partial<ServerInstance> = {}): ServerInstance => ({
  ...{ hostname: 'db-0', port: 3306, datadir: '/var/lib/mysql/', startedAt: NOW - 60 * MINUTE },
  ...change,
})
const holding = (cluster: string, change: Partial<Holding> = {}): Holding => ({
  ...{ cluster, server: `${cluster}:3306`, instance: instance(), since: NOW - 100 * MINUTE, at: NOW - 10 * SECOND },
  ...change,
})
const sighting = (change: Partial<Sighting> = {}): Sighting => ({
  ...{ cluster: 'lab', server: 'lab:3306', instance: instance(), uptimeSeconds: 3600 },
  ...change,
})

const judge = (sighted: Sighting, holdings: readonly Holding[], firstAt = NOW) =>
  judgeWhose(sighted, { holdings, now: NOW, firstAt })

describe('judgeWhose', () => {
  it('gives a cluster a server that no other cluster has', () => {
    expect(judge(sighting(), [])).to.deep.equal({
      ...{ type: 'own', revoked: [] },
      holding: { cluster: 'lab', server: 'lab:3306', instance: instance(), since: NOW, at: NOW },
    })
  })

  it('leaves a server to the cluster that has had it for longer', () => {
    const shop = holding('shop')
    expect(judge(sighting(), [shop])).to.deep.equal({ type: 'foreign', holder: shop })
    expect(judge(sighting({ since: NOW - 50 * MINUTE }), [shop])).to.have.property('type', 'foreign')
  })

  it('gives it back to the cluster that remembers it for longer, whichever asked first', () => {
    const late = holding('lab', { since: NOW - MINUTE })
    const asked = sighting({ cluster: 'shop', server: 'shop:3306', since: NOW - 100 * MINUTE })
    expect(judge(asked, [late])).to.deep.include({ type: 'own', revoked: [late] })
  })

  it('takes two servers for two where host name, port, data directory or uuid differ', () => {
    const uuids = [holding('shop', { instance: instance({ uuid: 'a' }) })]
    expect(judge(sighting({ instance: instance({ uuid: 'b' }) }), uuids)).to.have.property('type', 'own')
    for (const other of [{ hostname: 'db-1' }, { port: 3307 }, { datadir: '/data/' }])
      expect(judge(sighting({ instance: instance(other) }), [holding('shop')])).to.have.property('type', 'own')
  })

  describe('of a server with the names of one that was started at another time', () => {
    const restarted = sighting({ instance: instance({ startedAt: NOW }), uptimeSeconds: 0 })

    it('waits until the other cluster has seen the one that it has since then', () => {
      expect(judge(restarted, [holding('shop')])).to.have.property('type', 'unclear')
      const later = { ...restarted, uptimeSeconds: 5 }
      expect(judge(later, [holding('shop', { at: NOW - 10 * SECOND })])).to.have.property('type', 'unclear')
      expect(judge(later, [holding('shop', { at: NOW - SECOND })])).to.have.property('type', 'own')
    })

    it('does not wait where both ran before either was seen, as when the manager starts', () => {
      const old = sighting({ instance: instance({ startedAt: NOW - 30 * MINUTE }), uptimeSeconds: 1800 })
      expect(judge(old, [holding('shop')])).to.have.property('type', 'own')
    })

    it('waits for a minute at most where the cluster has had it, and without end where it has not', () => {
      const known = { ...restarted, since: NOW - 50 * MINUTE }
      const firstAt = NOW - MINUTE - 1
      expect(judge(known, [holding('shop')])).to.have.property('type', 'unclear')
      expect(judge(known, [holding('shop')], firstAt)).to.have.property('type', 'own')
      expect(judge(restarted, [holding('shop')], firstAt)).to.have.property('type', 'unclear')
    })

    it('does not wait for a younger cluster', () => {
      expect(judge({ ...restarted, since: NOW - 200 * MINUTE }, [holding('shop')])).to.have.property('type', 'own')
    })
  })

  describe('of another server than the one that answered before', () => {
    const before = { instance: instance({ datadir: '/old/' }), at: NOW - SECOND }

    it('refuses one that ran beside it', () => {
      expect(judge(sighting({ before }), [])).to.deep.equal({ type: 'changed', before: before.instance })
      const unsaid = { at: NOW - SECOND }
      expect(judge(sighting({ before: unsaid }), [])).to.deep.equal({ type: 'changed', before: undefined })
    })

    it('takes one that was started since for a restart, or a server in its place', () => {
      const young = sighting({ before, instance: instance({ startedAt: NOW }), uptimeSeconds: 1 })
      expect(judge(young, [])).to.have.property('type', 'own')
    })

    it('takes any in maintenance, and a member of the cluster whose address was swapped', () => {
      expect(judge(sighting({ before, maintenance: true }), [])).to.have.property('type', 'own')
      expect(judge(sighting({ before }), [holding('lab', { server: 'lab-2:3306' })])).to.have.property('type', 'own')
    })
  })
})

describe('a session for a server', () => {
  const expected = { instance: instance(), at: NOW - SECOND }

  it('is opened with the same one, by whole seconds of its start, and with one that was started since', () => {
    const found = (startedAt: number, uptimeSeconds: number) => ({ instance: instance({ startedAt }), uptimeSeconds })
    expect(isExpected(expected, found(NOW - 60 * MINUTE + 2 * SECOND, 3598), NOW)).to.equal(true)
    expect(isExpected(expected, found(NOW, 0), NOW)).to.equal(true)
    expect(isExpected(expected, found(NOW - 59 * MINUTE, 3540), NOW)).to.equal(false)
  })

  it('is not opened with one that says it is another, or does not say it any more', () => {
    expect(isExpected(expected, { instance: instance({ port: 1 }), uptimeSeconds: 3600 }, NOW)).to.equal(false)
    expect(isExpected(expected, { uptimeSeconds: 0 }, NOW)).to.equal(false)
    expect(isExpected({ at: NOW }, { instance: instance(), uptimeSeconds: 0 }, NOW)).to.equal(false)
    expect(isExpected({ at: NOW }, { uptimeSeconds: 0 }, NOW)).to.equal(true)
  })
})
