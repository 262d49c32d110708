// The order of a fleet: what needs a person first.
import { expect } from 'chai'
import {
  countTroubles,
  matches,
  problemOf,
  sortByTrouble,
  troubleOf,
  type WireBrief,
} from '../../../http/client/fleet.js'

const well = (name: string, changes: Partial<WireBrief> = {}): WireBrief => ({
  ...{ name, topology: 'master-slave', primary: 'db1', isDown: false, isHealthy: true, isFailable: true },
  ...{ servers: 3, answering: 3, errors: 0, warnings: 0, worst: null, operation: null },
  ...changes,
})

describe('sortByTrouble', () => {
  const fleet = [
    well('calm2'),
    well('calm10'),
    well('warned', { warnings: 2, worst: { number: 'WARN0060', desc: 'Semi-sync is off.' } }),
    well('few', { errors: 1 }),
    well('many', { errors: 3 }),
    well('risky', { isFailable: false }),
    well('moving', { operation: { id: 'switchover-1', kind: 'switchover' } }),
    well('dead', { isDown: true, errors: 1 }),
    { name: 'stopped', unavailable: 'it was stopped after crashes' },
  ]

  it('begins with what is down, then errors by their number, and ends with the healthy by name', () => {
    expect(sortByTrouble(fleet).map(({ name }) => name)).to.deep.equal([
      ...['stopped', 'dead', 'many', 'few', 'moving', 'risky', 'warned', 'calm2', 'calm10'],
    ])
  })

  it('counts the clusters of each condition', () => {
    expect(countTroubles(fleet).map(({ word, count }) => `${count} ${word}`)).to.deep.equal([
      ...['1 unavailable', '1 down', '2 errors', '1 changing', '1 at risk', '1 warnings', '2 healthy'],
    ])
  })

  it('names a condition and the reason for it', () => {
    expect(fleet.map((brief) => troubleOf(brief).grade)).to.include.members(['good', 'odd', 'bad'])
    expect(problemOf(well('warned', { worst: { number: 'WARN0060', desc: 'Semi-sync is off.' } }))).to.equal(
      'WARN0060 Semi-sync is off.',
    )
    expect(problemOf({ name: 'stopped', unavailable: 'why' })).to.equal('why')
  })

  it('is searched by every word, in names, conditions and findings', () => {
    const found = (words: string) => fleet.filter((brief) => matches(brief, words)).map(({ name }) => name)
    expect(found('CALM')).to.deep.equal(['calm2', 'calm10'])
    expect(found('warn semi')).to.deep.equal(['warned'])
    expect(found('')).to.have.lengthOf(fleet.length)
    expect(found('calm2 warn')).to.deep.equal([])
  })
})
