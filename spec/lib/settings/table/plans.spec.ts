// Service plans: what a list may hold, and what choosing one sets.
import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { sharePath } from '../../../../lib/base/package-root.js'
import { type Result, unwrap } from '../../../../lib/base/result.js'
import { settingRow } from '../../../../lib/settings/table/index.js'
import { findPlan, parsePlans, planSettings } from '../../../../lib/settings/table/plans.js'

const shipped = readFileSync(sharePath('plans/plans.csv'), 'utf8')
const messageOf = (result: Result<unknown>) => (result.ok ? '' : result.failure.message)

describe('parsePlans', () => {
  it('reads the shipped list', () => {
    const plans = unwrap(parsePlans(shipped))
    expect(plans).to.have.length(11)
    expect(plans[0]).to.include({ plan: 'x1.small', dbmemory: 16_384, dbcores: 2 })
    expect(plans.find(({ plan }) => plan === 'x1.huge.compute')).to.include({ dbmemory: 131_072, dbcores: 32 })
  })

  it('reads JSON: an array, one below rows, numbers as texts, with further columns', () => {
    const row = {
      ...{ id: '1', plan: 'a', dbmemory: '512', dbcores: 1, dbdatasize: 5, dbsystemsize: 2, dbiops: 100 },
      ...{ dbcpufreq: '2.4', prxcores: 1, prxdatasize: 5, promo: 'x' },
    }
    for (const list of [[row], { rows: [row] }])
      expect(unwrap(parsePlans(JSON.stringify(list)))[0]).to.include({ plan: 'a', dbmemory: 512, dbcpufreq: 2.4 })
  })

  for (const [title, text, message] of [
    ['an empty list', 'id,plan\n', 'the list is empty'],
    ['a list without the column', 'id,name\n1,a\n', 'the first line has no column plan'],
    ['a missing figure', shipped.replace('16384', ''), 'plan 1: x1.small: dbmemory must be a number of at least 0'],
    ['a name twice', shipped.replace('x1.medium,', 'x1.small,'), 'plan 2: x1.small is listed twice'],
    ['what is no list', '{"error":"no"}', 'the list is not an array of objects'],
  ] as const)
    it(`refuses ${title}`, () => {
      expect(messageOf(parsePlans(text))).to.equal(message)
    })

  it('refuses text that is no JSON', () => {
    expect(messageOf(parsePlans('{'))).to.match(/^the list is not JSON/)
  })
})

describe('planSettings', () => {
  it('gives values that the settings take', () => {
    for (const plan of unwrap(parsePlans(shipped)))
      for (const [name, value] of Object.entries(planSettings(plan)))
        expect(settingRow(name as 'prov-db-memory').shape.parse(value).ok, `${plan.plan} ${name}`).to.equal(true)
    const [small] = unwrap(parsePlans(shipped))
    expect(small && planSettings(small)).to.deep.equal({
      ...{ 'prov-service-plan': 'x1.small', 'prov-db-memory': '16384M', 'prov-db-cores': '2', 'prov-db-disk': '100G' },
      ...{ 'prov-db-iops': '1000', 'prov-proxy-cpu-cores': '1' },
    })
  })
})

describe('findPlan', () => {
  it('names the nearest plan', () => {
    expect(messageOf(findPlan(unwrap(parsePlans(shipped)), 'x1.smal'))).to.match(/did you mean x1\.small\?/)
  })
})
