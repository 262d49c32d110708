import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { changedKeys, type FleetRow } from '../../../../lib/model/fleet/row.js'
import { fleetRowOf } from '../../../support/http/fleet-rows.js'

describe('changedKeys', () => {
  it('holds what is different, and nothing when nothing is', () => {
    const row = fleetRowOf('c1', { tags: ['prod'] })
    expect(changedKeys(row, { ...row, tags: ['prod'], flags: [] })).to.deep.equal({})
    expect(changedKeys(row, { ...row, lag: null, tags: ['prod', 'eu'], state: 'down' })).to.deep.equal({
      ...{ lag: null, tags: ['prod', 'eu'], state: 'down' },
    })
  })
})

describe('FleetRow', () => {
  const bytesOf = (row: FleetRow) => Buffer.byteLength(JSON.stringify(row))

  it('takes at most 250 bytes with names of 10 and 4 characters and a tag, and 300 in trouble under load', () => {
    const row = fleetRowOf('orders-eu1', { primary: 'db-1', wps: 1_200, tags: ['prod'] })
    expect(bytesOf(row)).to.be.at.most(250)
    const busy = { lag: 3600, semi: 'none', loss: 120_000, errors: 2, warnings: 14, worst: 'WARN0234' } as const
    expect(
      bytesOf({ ...row, ...busy, state: 'degraded', topology: 'multi-master-ring', op: 'switchover' }),
    ).to.be.at.most(300)
  })

  it('takes at most 60 kB of a thousand clusters, packed', () => {
    const states = ['healthy', 'healthy', 'healthy', 'degraded', 'down'] as const
    const rows = Array.from({ length: 1_000 }, (_, index) =>
      fleetRowOf(`orders-${index}`, {
        ...{ state: states[index % states.length] ?? 'healthy', primary: `db-${index}-1`, lag: index % 7 },
        ...{
          at: 1_795_440_000_000 + index * 7_919,
          wps: (index * 7_907) % 5_000,
          loss: index % 13,
          warnings: index % 4,
        },
        tags: index % 2 === 0 ? ['prod', 'eu'] : ['test'],
      }),
    )
    expect(gzipSync(JSON.stringify(rows)).length).to.be.at.most(60_000)
  })
})
