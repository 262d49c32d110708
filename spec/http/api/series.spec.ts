// The past in numbers over the wire: spans and steps, bounds, and the answers that clients of Graphite read.
import { expect } from 'chai'
import { HOUR } from '../../../lib/base/time.js'
import { openWire, type Wire } from '../../support/http/wire.js'

const queries = 'mysql_global_status_queries'
const target = `target=${encodeURIComponent(`alias(perSecond(mysql.*.${queries}),'q')`)}`

describe('series over the wire', () => {
  let wire: Wire
  before(async () => {
    wire = await openWire()
  })
  after(() => wire.close())

  const read = (query: string, path = '/api/clusters/demo/series') => wire.ask(`${path}?${query}`)
  const asked = () => wire.face.calls.findLast(({ name }) => name === 'read-series')?.given as { readonly span: Span }

  interface Span {
    readonly from: number
    readonly to: number
    readonly step: number
    readonly ring: string
  }

  it('are of the latest hour in steps of ten seconds, by default', async () => {
    const { status, body } = await read(`names=${queries}&server=db1`)
    expect(status).to.equal(200)
    const { from, to, step, series } = JSON.parse(body)
    expect([to - from >= HOUR, to - from < HOUR + 20_000, step]).to.deep.equal([true, true, 10])
    expect(series[0].values).to.deep.equal([118.2, null])
    expect(asked().span.ring).to.equal('fine')
  })

  it('are minutes where more than two hours are asked for', async () => {
    const { body } = await read(`names=${queries}&from=${Date.now() - 24 * HOUR}&step=30`)
    expect(JSON.parse(body).step).to.equal(60)
    expect(asked().span.ring).to.equal('coarse')
  })

  for (const [query, status, reason] of [
    ['names=nonsense', 400, 'no series is called nonsense'],
    ['server=db99', 500, ''],
    ['from=1&to=2', 400, 'kept for two days'],
    ['from=9&to=2', 400, 'from is not before to'],
    [`from=${Date.now() - 47 * HOUR}&step=10`, 400, 'ask for a longer step'],
    [`from=${Date.now() - 30 * HOUR}&step=60`, 400, 'ask for fewer names'],
    ['step=0', 400, ''],
  ] as const)
    it(`answer ${status} to ${query.replace(/\d{6,}/, 'moment')}`, async () => {
      const answer = await read(query)
      expect(answer.status).to.equal(status)
      expect(answer.body).to.include(reason)
    })

  it('need a token, and a grant on the cluster', async () => {
    const headers = await wire.bearer('viewer', 'see-only')
    expect((await wire.ask('/api/clusters/demo/series', { headers })).status).to.equal(403)
  })

  it('are what a client of Graphite reads: one object a line, each point with its second', async () => {
    const { status, body } = await read(`${target}&from=-20s&until=now&format=json`, '/graphite/render')
    expect(status).to.equal(200)
    const [line] = JSON.parse(body)
    expect(line.target).to.equal('q')
    expect(line.datapoints.map(([value]: [number | null]) => value)).to.deep.equal([118.2, null])
    expect(line.datapoints[1][1] - line.datapoints[0][1]).to.equal(10)
  })

  it('are lines of text in the raw form, of several targets, without a token', async () => {
    const { status, body } = await wire.ask(`/graphite/render?${target}&${target}&format=raw&from=-20s`, {
      headers: { Authorization: '' },
    })
    expect(status).to.equal(200)
    expect(body).to.match(/^(q,\d+,\d+,10\|118.2,None\n){2}$/)
  })

  for (const [query, reason] of [
    ['target=nonsense(', 'nonsense is not a function'],
    [`target=mysql.db1.${queries}`, 'perSecond'],
    [`${target}&from=yesterday`, 'is no moment'],
    [Array.from({ length: 21 }, () => target).join('&'), ''],
    ['format=json', ''],
  ] as const)
    it(`refuse a client of Graphite: ${query.slice(0, 40)}`, async () => {
      const { status, body } = await read(query, '/graphite/render')
      expect(status).to.equal(400)
      expect(body).to.include(reason)
    })
})
