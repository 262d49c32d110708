// Counters as growth a second: not over a restart of the server nor over FLUSH STATUS.
import { expect } from 'chai'
import { SECOND } from '../../../../lib/base/time.js'
import { countStatus, statusColumns, statusValues } from '../../../../lib/metrics/series/index.js'
import { named } from '../../../../lib/model/server/named.js'

const placeOf = (status: string): number => statusColumns.findIndex((column) => column.status === status)

const counted = (seconds: number, status: Readonly<Record<string, string>>) =>
  countStatus({ at: seconds * SECOND, status: named(status) })

function queries(
  before: readonly [seconds: number, uptime: number, queries: number],
  after: typeof before,
): number | undefined {
  const [first, second] = [before, after].map(([at, uptime, count]) =>
    counted(at, { uptime: `${uptime}`, queries: `${count}` }),
  )
  return second && statusValues(second, first)[placeOf('queries')]
}

describe('statusValues', () => {
  it('is the growth of a counter a second', () => {
    expect(queries([1_000, 500, 100], [1_010, 510, 350])).to.equal(25)
  })

  it('knows no growth without a reading before', () => {
    expect(statusValues(counted(5, { uptime: '5', queries: '9' }), undefined)[placeOf('queries')]).to.be.NaN
  })

  it('knows no growth over a restart, even where the counter has grown past its old value', () => {
    expect(queries([1_000, 500, 100], [1_060, 50, 9_000])).to.be.NaN
    expect(queries([1_000, 5, 100], [1_060, 50, 9_000])).to.be.NaN
  })

  it('knows no growth of a counter that fell', () => {
    expect(queries([1_000, 500, 100], [1_010, 510, 50])).to.be.NaN
  })

  it('knows no growth over FLUSH STATUS', () => {
    const before = counted(1_000, { uptime: '500', uptime_since_flush_status: '500', queries: '100' })
    const after = counted(1_010, { uptime: '510', uptime_since_flush_status: '4', queries: '900' })
    expect(statusValues(after, before)[placeOf('queries')]).to.be.NaN
  })

  it('has gauges as they are, also of the first reading, and nothing of what is not reported', () => {
    const values = statusValues(counted(5, { uptime: '5', threads_running: '7' }), undefined)
    expect([values[placeOf('threads_running')], values[placeOf('innodb_checkpoint_age')]]).to.deep.equal([
      7,
      Number.NaN,
    ])
  })
})
