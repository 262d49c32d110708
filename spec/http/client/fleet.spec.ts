// The fleet as the client shows it.
import { expect } from 'chai'
import { countStates, gradeOf, matches, problemOf } from '../../../http/client/fleet.js'
import { findings } from '../../../lib/model/findings.js'
import { fleetRowOf } from '../../support/http/fleet-rows.js'

const fleet = [
  fleetRowOf('calm2'),
  fleetRowOf('calm10'),
  fleetRowOf('warned', { state: 'degraded', warnings: 2, worst: 'WARN0234' }),
  fleetRowOf('dead', { state: 'down', errors: 1, worst: 'ERR00012' }),
  fleetRowOf('stopped', { state: 'unknown' }),
]

describe('countStates', () => {
  it('counts the clusters of each state, the worst first', () => {
    expect(countStates(fleet).map(({ state, count }) => `${count} ${state}`)).to.deep.equal([
      ...['1 down', '1 unknown', '1 degraded', '2 healthy'],
    ])
  })
})

describe('problemOf', () => {
  it('names a state and the reason for it', () => {
    expect(fleet.map(gradeOf)).to.deep.equal(['good', 'good', 'odd', 'bad', 'bad'])
    expect(problemOf(fleet[2] ?? fleetRowOf(''))).to.equal(`WARN0234 ${findings.WARN0234.sentence}`)
    expect(problemOf(fleetRowOf('c', { worst: 'WARN9999' }))).to.equal('WARN9999')
    expect(problemOf(fleetRowOf('c', { state: 'unknown' }))).to.equal('Its actor does not answer.')
    expect(problemOf(fleetRowOf('c', { op: 'switchover' }))).to.equal('switchover is running.')
    expect(problemOf(fleetRowOf('c', { flags: ['paused'] }))).to.equal('paused')
    expect(problemOf(fleetRowOf('c'))).to.equal('')
  })
})

describe('matches', () => {
  it('selects by the language of filters, and everything while a term is not complete', () => {
    const found = (filter: string) => fleet.filter((row) => matches(row, filter)).map(({ name }) => name)
    expect(found('CALM')).to.deep.equal(['calm2', 'calm10'])
    expect(found('state:degraded')).to.deep.equal(['warned'])
    expect(found('state:deg')).to.have.lengthOf(fleet.length)
  })
})
