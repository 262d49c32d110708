// Where a new server may be, what it needs, and what becomes of one that was interrupted.
import { expect } from 'chai'
import { unwrap } from '../../../../lib/base/result.js'
import {
  describeNewServer,
  judgeNewServer,
  judgeRoom,
  judgeStored,
  listPlaces,
  type NewServerScene,
  nextOf,
  sizeOf,
} from '../../../../lib/decide/backup/new-server.js'
import type { Backup } from '../../../../lib/model/backup.js'
import type { LocatedPoint } from '../../../../lib/model/operation/cluster-recovery.js'
import type { NewServerStage } from '../../../../lib/model/operation/recovery.js'
import { defaultSettings } from '../../../../lib/settings/table/settings.js'
import { viewInput } from '../../../support/http/view-input.js'

const { snapshot } = viewInput()

const scene = (orchestrator: 'local' | 'onpremise' = 'local', more: Partial<NewServerScene> = {}): NewServerScene => ({
  ...{ snapshot, memory: {}, settings: defaultSettings({ 'prov-orchestrator': orchestrator }) },
  ...more,
})

const point: LocatedPoint = {
  ...{ backup: 17, position: '0-1-90', last: { gtid: '0-1-90', at: 1_000 }, left: [], stored: { from: 0, to: 5_000 } },
  undone: { transactions: 0, tables: [], statements: [] },
}

describe('the place of a new server', () => {
  it('is a free port behind those of every cluster, beside the primary, on the machine of the manager', () => {
    const primary = snapshot.servers.find(({ id }) => id === snapshot.primary)
    const host = primary?.host ?? ''
    const places = unwrap(
      listPlaces(scene(), {}, [
        { host, port: 4_000 },
        { host: 'elsewhere', port: 9_000 },
      ]),
    )
    expect(places[0]).to.deep.equal({ host, port: 4_001 })
    expect(places).to.have.length(50)
  })

  it('never exceeds the last port', () => {
    const host = snapshot.servers.find(({ id }) => id === snapshot.primary)?.host ?? ''
    expect(unwrap(listPlaces(scene(), {}, [{ host, port: 65_534 }]))).to.deep.equal([{ host, port: 65_535 }])
  })

  it('must be named where the hosts are not known', () => {
    const refused = listPlaces(scene('onpremise'), {}, [])
    expect(refused).to.have.nested.property('failure.code', 'bad-request')
    const address = { host: '10.0.0.19', port: 3306 }
    expect(unwrap(listPlaces(scene('onpremise'), { address }, []))).to.deep.equal([address])
  })

  it('is no server of any cluster', () => {
    const address = { host: '10.0.0.19', port: 3306 }
    for (const taken of [[address], []]) {
      const [member] = snapshot.servers
      const asked = taken.length > 0 ? address : { host: member?.host ?? '', port: member?.port ?? 0 }
      expect(listPlaces(scene(), { address: asked }, taken)).to.have.nested.property('failure.code', 'server-exists')
    }
  })
})

describe('whether a cluster can get a new server', () => {
  it('not a group whose members fill each other', () => {
    for (const topology of ['galera', 'group-replication'] as const)
      expect(judgeNewServer(scene('local', { snapshot: { ...snapshot, topology } }))).to.have.nested.property(
        'failure.code',
        'unsupported',
      )
    const settings = defaultSettings({ 'prov-db-tags': ['wsrep'] })
    expect(judgeNewServer(scene('local', { settings }))).to.have.nested.property('failure.code', 'unsupported')
  })

  it('one after the other: not while one is being made', () => {
    const one = { server: 'db9', host: 'h', port: 1, user: 'ann', since: 0, backup: 17, begun: 1 }
    const judge = (stage: NewServerStage) =>
      judgeNewServer(scene('local', { memory: { newServers: { db9: { ...one, stage } } } })).ok
    expect((['adding', 'making', 'ready', 'removing'] as const).map(judge)).to.deep.equal([false, false, true, true])
  })
})

describe('what a new server needs', () => {
  it('a point until which everything is stored', () => {
    const judge = (at: number, more: Partial<LocatedPoint> = {}, completeAt?: number) =>
      judgeStored(
        { type: 'time', at },
        { ...point, ...more },
        { connected: true, files: 1, storedBytes: 1, ...(completeAt === undefined ? {} : { completeAt }) },
      ).ok
    expect(judge(5_000)).to.equal(true)
    expect(judge(5_001)).to.equal(false)
    // Nothing was written since: what is stored is complete until then.
    expect(judge(8_000, {}, 8_000)).to.equal(true)
    expect(judge(8_001, {}, 8_000)).to.equal(false)
    expect(judge(9_000, { next: { gtid: '0-1-91', at: 9_500 } })).to.equal(true)
  })

  it('room for two copies where the scratch server shares its disk', () => {
    const bytes = sizeOf([{ rawSize: 100 }, { rawSize: 20 }])
    expect(bytes).to.equal(180)
    expect(judgeRoom('the disk', { availableBytes: 359 }, { bytes, copies: 2 })).to.have.nested.property(
      'failure.code',
      'no-room',
    )
    expect(judgeRoom('the disk', { availableBytes: 360 }, { bytes, copies: 2 }).ok).to.equal(true)
  })
})

describe('the plan of a new server', () => {
  const chain = [{ id: 17, rawSize: 100, position: { gtid: '0-1-50', file: '', offset: 0 } } as Backup]
  const planned = { server: 'db9', host: 'h', port: 3310, chain }

  it('is another one for another address, backup or point', () => {
    const ids = [
      describeNewServer('shop', { ...planned, point }),
      describeNewServer('shop', { ...planned, point, port: 3311 }),
      describeNewServer('shop', { ...planned, point: { ...point, last: { gtid: '0-1-91', at: 1_000 } } }),
      describeNewServer('shop', planned),
      describeNewServer('shop', { ...planned, chain: [{ ...chain[0], id: 18 } as Backup] }),
    ].map(({ id }) => id)
    expect(new Set(ids).size).to.equal(ids.length)
    expect(ids[0]).to.equal('new-server/shop/h:3310/17/0-1-90')
    expect(ids[3]).to.equal('new-server/shop/h:3310/17/0-1-50')
  })
})

describe('what a later manager makes of a new server', () => {
  it('completes it while it may be begun again, removes what failed, and leaves what is ready', () => {
    const table = (['adding', 'making', 'ready', 'removing'] as const).map((stage) =>
      [0, 1, 2].map((begun) => nextOf({ stage, begun }, 2)),
    )
    expect(table).to.deep.equal([
      ['add', 'add', 'remove'],
      ['make', 'make', 'remove'],
      ['rest', 'rest', 'rest'],
      ['remove', 'remove', 'remove'],
    ])
  })
})
