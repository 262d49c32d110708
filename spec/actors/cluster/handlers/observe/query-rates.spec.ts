import { expect } from 'chai'
import { queryRates } from '../../../../../actors/cluster/handlers/observe/query-rates.js'
import { named } from '../../../../../lib/model/server/named.js'
import { slowReading } from '../../../../support/http/view-input.js'
import { replica, situation } from '../../../../support/simulator/situation.js'

const { snapshot } = situation([])
const reading = (at: number, questions?: number) =>
  slowReading('db2', { at, status: named(questions === undefined ? {} : { questions: `${questions}` }) })
const ratesAfter = (before: ReturnType<typeof reading> | undefined, now: ReturnType<typeof reading>) =>
  queryRates(
    {
      snapshot: { ...snapshot, servers: [{ ...replica(2), id: 'db2', ...(before ? { slow: before } : {}) }] },
      queryRates: { db1: 3, db2: 9 },
    },
    now,
  )

describe('queryRates', () => {
  it('is what the counter gained per second', () => {
    expect(ratesAfter(reading(1_000, 100), reading(11_000, 350))).to.deep.equal({ db1: 3, db2: 25 })
  })

  it('is nothing after the first probe, without the counter, and after a restart of the server', () => {
    for (const [before, now] of [
      [undefined, reading(11_000, 350)],
      [reading(1_000), reading(11_000, 350)],
      [reading(1_000, 100), reading(11_000)],
      [reading(1_000, 100), reading(11_000, 20)],
      [reading(1_000, 100), reading(1_000, 200)],
    ] as const)
      expect(ratesAfter(before, now)).to.deep.equal({ db1: 3 })
  })
})
