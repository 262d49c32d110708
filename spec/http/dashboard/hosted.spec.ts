// What the pages of statements and of the registration make of replies.
import { expect } from 'chai'
import {
  monthBeside,
  readClusterMonth,
  readServiceMonth,
  renderAmount,
  renderUnits,
  renderUsed,
} from '../../../http/dashboard/src/model/hosted/price.js'
import {
  mayConfirm,
  mayRegister,
  missingOf,
  nextStepOf,
  readPlans,
  readRegistration,
  registrationStates,
} from '../../../http/dashboard/src/model/hosted/registration.js'
import { addTick, perFamily, renderStatement, unitFamilies } from '../../../lib/price/index.js'

const none = perFamily(() => ({ plan: 0, billable: 0, tariff: { price: 0, overPct: 150, underPct: 80 } }))
const at = Date.parse('2026-11-16T00:00:00Z')

/** Six units for a minute, as the manager renders it. */
function statement() {
  const tariff = { price: 400_000, overPct: 150, underPct: 80 }
  const sample = {
    ...{ cluster: 'demo', term: 0, readings: { ...none, dbu: { plan: 6, billable: 6, tariff } } },
    ...{ partners: ['ops@partner.example'], sponsors: ['ann@shop.example'] },
  }
  const tick = (wall: number) => ({
    instant: { wall, steady: wall, boot: '' },
    ...{ currency: 'EUR', samples: [sample], known: new Set(['demo']) },
  })
  const ledger = addTick(addTick({}, tick(at - 60_000)), tick(at))['2026-11']
  return renderStatement(ledger ?? { month: '2026-11', currency: 'EUR', final: false, clusters: {} }, {
    ...{ at, prices: perFamily(() => 0) },
  })
}

describe('a statement', () => {
  it('of a cluster has the families that were used, each with its title', () => {
    const month = readClusterMonth({ ...statement(), cluster: statement().clusters.demo })
    expect(month).to.deep.include({ month: '2026-11', isFinal: false, currency: 'EUR' })
    expect(month?.statement.families.map(({ title, unit, usedNow }) => [title, unit, usedNow])).to.deep.equal([
      ['database servers', 'DBU', 6],
    ])
    expect(month?.statement).to.deep.include({ sponsors: ['ann@shop.example'], partners: ['ops@partner.example'] })
    expect(month && renderUsed(month.statement)).to.equal('6 DBU')
  })

  it('of the service has its clusters, and its months newest first', () => {
    const month = readServiceMonth({ statement: statement(), months: ['2026-10', '2026-11'] })
    expect(month?.clusters.map(({ cluster }) => cluster)).to.deep.equal(['demo'])
    expect(month?.months).to.deep.equal(['2026-11', '2026-10'])
    expect(month?.rate).to.equal(month?.clusters[0]?.rate)
  })

  it('has a title for every family that the manager counts', () => {
    const units = unitFamilies.map((family) => ({ family, unit: 'U', plan: 1 }))
    const month = readClusterMonth({ month: '2026-11', cluster: { units } })
    expect(month?.statement.families.filter(({ family, title }) => family === title)).to.deep.equal([])
    expect(month?.statement.families).to.have.length(unitFamilies.length)
  })

  it('has no price where none is set, and no amount that nobody computed', () => {
    const units = [{ family: 'dbu', unit: 'DBU', billable: 2, unitPrice: 0, priced: false }]
    const family = readClusterMonth({ month: '2026-11', cluster: { units } })?.statement.families[0]
    expect(family).to.deep.equal({ family: 'dbu', title: 'database servers', unit: 'DBU', usedNow: 2 })
    expect(renderAmount(undefined, 'EUR')).to.equal(undefined)
    expect(renderUnits(undefined)).to.equal(undefined)
  })

  it('is none of a reply without a month', () => {
    for (const reply of [undefined, {}, { statement: {} }]) {
      expect(readClusterMonth(reply)).to.equal(undefined)
      expect(readServiceMonth(reply)).to.equal(undefined)
    }
  })

  for (const [month, by, expected] of [
    ['2026-11', -1, '2026-10'],
    ['2026-01', -1, '2025-12'],
    ['2026-12', 1, '2027-01'],
    ['x', 1, undefined],
  ] as const)
    it(`of ${month} has ${expected ?? 'none'} ${by > 0 ? 'after' : 'before'} it`, () => {
      expect(monthBeside(month, by)).to.equal(expected)
    })

  it('shows amounts with two digits', () => {
    expect(renderAmount(55.5, 'EUR')).to.equal('55.50 EUR')
    expect(renderAmount(0, '')).to.equal('0.00')
    expect(renderUnits(2.0556)).to.equal('2.056')
  })
})

describe('the registration', () => {
  const of = (state: string, result?: object) =>
    readRegistration({ state, message: 'm', ...(result ? { result } : {}) }) ?? { state: 'idle' as const, message: '' }

  it('says in every state what to do next, and offers what leads on', () => {
    const offered = registrationStates.map((state) => [state, mayRegister(of(state)), mayConfirm(of(state))])
    expect(offered).to.deep.equal([
      ['idle', true, true],
      ['pending', false, true],
      ['complete', false, false],
      ['timeout', true, true],
      ['error', true, true],
    ])
    for (const state of registrationStates) expect(nextStepOf(of(state))).not.to.equal('')
  })

  it('that could not connect this manager is repeated', () => {
    const failed = of('complete', { uri: 'acme.paris.a', plan: 'free', connect_error: 'disk full' })
    expect(failed).to.deep.include({ uri: 'acme.paris.a', plan: 'free', connectError: 'disk full' })
    expect(mayConfirm(failed)).to.equal(true)
    expect(nextStepOf(failed)).to.contain('once more')
  })

  it('is none of a reply without a state', () => {
    expect(readRegistration({ state: 'other' })).to.equal(undefined)
  })

  for (const [email, password, uri, missing] of [
    ['dba@acme.example', 'long enough', 'acme.paris.a', undefined],
    ['dba', 'long enough', 'acme.paris.a', /address/],
    ['dba@acme.example', 'short', 'acme.paris.a', /password/],
    ['dba@acme.example', 'long enough', 'acme.paris', /domain\.subdomain\.zone/],
    ['dba@acme.example', 'long enough', 'Acme.paris.a', /domain\.subdomain\.zone/],
    ['dba@acme.example', 'long enough', 'acme.-paris.a', /domain\.subdomain\.zone/],
  ] as const)
    it(`by ${email} as ${uri} ${missing ? `needs ${missing.source}` : 'can be asked for'}`, () => {
      const said = missingOf({ email, password, uri })
      if (missing) expect(said).to.match(missing)
      else expect(said).to.equal(undefined)
    })

  it('shows of offered plans what is text or number', () => {
    const plans = readPlans([{ plan: 'support', title: 'Support', seats: 3, more: {} }, { title: 'no name' }])
    expect(plans).to.deep.equal([
      {
        plan: 'support',
        details: [
          ['title', 'Support'],
          ['seats', '3'],
        ],
      },
    ])
  })
})
