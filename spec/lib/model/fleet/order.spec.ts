import { expect } from 'chai'
import { parseOrder, sortByTrouble, sortKeys } from '../../../../lib/model/fleet/order.js'
import { fleetRowOf } from '../../../support/http/fleet-rows.js'

const fleet = [
  fleetRowOf('calm10', { lag: 3 }),
  fleetRowOf('calm2', { lag: null }),
  fleetRowOf('warned', { state: 'degraded', warnings: 2, lag: 9 }),
  fleetRowOf('few', { state: 'broken', errors: 1 }),
  fleetRowOf('many', { state: 'broken', errors: 3 }),
  fleetRowOf('moving', { op: 'switchover' }),
  fleetRowOf('dead', { state: 'down', errors: 1 }),
  fleetRowOf('stopped', { state: 'unknown' }),
]

const ordered = (sort: string): string => {
  const compare = parseOrder(sort)
  return compare
    ? fleet
        .toSorted(compare)
        .map(({ name }) => name)
        .join(' ')
    : 'unknown'
}

describe('sortByTrouble', () => {
  it('begins with what is down, then errors by their number, and ends with the healthy by name', () => {
    const names = 'dead many few stopped warned moving calm2 calm10'
    expect(
      sortByTrouble(fleet)
        .map(({ name }) => name)
        .join(' '),
    ).to.equal(names)
    expect(ordered('trouble')).to.equal(names)
  })
})

describe('parseOrder', () => {
  it('sorts by numbers in either direction, what is unknown last', () => {
    expect(ordered('lag')).to.equal('dead few many moving stopped calm10 warned calm2')
    expect(ordered('-lag')).to.equal('warned calm10 dead few many moving stopped calm2')
  })

  it('sorts by several keys, equal rows by name', () => {
    expect(ordered('-errors,name')).to.equal('many dead few calm2 calm10 moving stopped warned')
    expect(ordered('name')).to.equal('calm2 calm10 dead few many moving stopped warned')
    expect(ordered('')).to.equal('calm2 calm10 dead few many moving stopped warned')
  })

  it('knows its keys, and no others', () => {
    for (const key of sortKeys) expect(parseOrder(`-${key}`)).to.be.a('function')
    for (const key of ['size', 'lag;drop', '__proto__', 'toString']) expect(parseOrder(key)).to.equal(undefined)
  })
})
