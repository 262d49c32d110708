// Whole units of sizes and bytes, and what of them a plan covers.
import { expect } from 'chai'
import {
  overOf,
  readQuantities,
  type Terms,
  type Usage,
  underOf,
  unitsOfService,
  unitsOfStorage,
} from '../../../lib/price/family.js'

const GIB = 1024 ** 3
const usage: Usage = {
  ...{ databases: { all: 3, running: 3 }, proxies: { all: 2, running: 2 } },
  ...{ localBytes: 0, archivedBytes: 0 },
}
const terms: Terms = {
  plan: { dbu: 2, apu: 2, bku: 3 },
  database: { cores: 2, memoryMb: 8192, diskGb: 40, iops: 1000 },
  proxy: { cores: 1, memoryMb: 1024 },
}

describe('unitsOfService', () => {
  for (const [title, size, units] of [
    ['the smallest database is one unit', { cores: 1, memoryMb: 256, diskGb: 20, iops: 300 }, 1],
    ['cores decide', { cores: 3, memoryMb: 4096, diskGb: 20, iops: 300 }, 3],
    ['memory decides', { cores: 1, memoryMb: 4097, diskGb: 20, iops: 300 }, 2],
    ['disk decides', { cores: 1, memoryMb: 256, diskGb: 161, iops: 300 }, 5],
    ['operations decide', { cores: 1, memoryMb: 256, diskGb: 20, iops: 6000 }, 6],
  ] as const)
    it(title, () => expect(unitsOfService('dbu', size)).to.equal(units))

  it('counts no disk of a proxy', () => {
    expect(unitsOfService('apu', { cores: 1, memoryMb: 2049, diskGb: 9999, iops: 99_999 })).to.equal(2)
  })
})

describe('unitsOfStorage', () => {
  it('rounds up to whole units of 20 GiB', () => {
    expect([0, 1, 20 * GIB, 20 * GIB + 1].map(unitsOfStorage)).to.deep.equal([0, 1, 1, 2])
  })
})

describe('readQuantities', () => {
  it('counts the plan of every database and the units of those that run', () => {
    const { dbu } = readQuantities({ ...usage, databases: { all: 3, running: 2 } }, terms)
    expect([dbu.plan, dbu.billable, overOf(dbu), underOf(dbu)]).to.deep.equal([6, 4, 0, 2])
  })

  it('shows what is above the plan', () => {
    const { bku } = readQuantities({ ...usage, localBytes: 81 * GIB }, terms)
    expect([bku.plan, bku.billable, overOf(bku), underOf(bku)]).to.deep.equal([3, 5, 2, 0])
  })

  it('takes what is used as the plan where there is none', () => {
    const quantities = readQuantities(
      { ...usage, localBytes: 21 * GIB, archivedBytes: GIB },
      { ...terms, plan: { dbu: 0, apu: 0, bku: 0 } },
    )
    expect(Object.values(quantities).map((one) => [one.plan, one.billable])).to.deep.equal([
      [6, 6],
      [0, 0],
      [2, 2],
      [2, 2],
      [1, 1],
    ])
  })
})
