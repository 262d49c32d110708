// Parts of long lists: picked, counted and cut as the query says, the whole when it says nothing.
import { expect } from 'chai'
import { partQuery, partRequestOf, takePart } from '../../../../http/api/kit/part.js'
import type { ListTraits } from '../../../../http/api/kit/route.js'
import { openWire, type Wire } from '../../../support/http/wire.js'

const lines = [
  { level: 'INFO', text: 'Monitoring begins', db: { String: 'shop', Valid: true } },
  { level: 'ERROR', text: 'db1 is down', db: { String: '', Valid: false } },
  { level: 'INFO', text: 'db2 was promoted', db: { String: 'Shop', Valid: true } },
]
const log = { buffer: lines, len: 3, line: 3 }
const traits: ListTraits = { at: 'buffer', fields: ['level', 'db'] }

/** Texts of the part, the count, and where the next part begins. */
function part(query: Readonly<Record<string, string>>) {
  const request = partRequestOf(partQuery(traits).parse(query), traits)
  if (!request) return undefined
  const { body, total, next } = takePart(log, traits, request)
  const texts = (body as typeof log).buffer.map(({ text }) => text)
  return [texts, total, next]
}

describe('takePart', () => {
  it('cuts at limit and offset and says where the next part begins', () => {
    expect(part({ limit: '1' })).to.deep.equal([['Monitoring begins'], 3, 1])
    expect(part({ limit: '1', offset: '2' })).to.deep.equal([['db2 was promoted'], 3, undefined])
    expect(part({ offset: '9' })).to.deep.equal([[], 3, undefined])
    expect(part({ limit: '0' })).to.deep.equal([[], 3, undefined])
  })

  it('keeps entries that hold a text, whatever the case, also inside their objects', () => {
    expect(part({ filter: 'DB' })).to.deep.equal([['db1 is down', 'db2 was promoted'], 2, undefined])
    expect(part({ filter: 'shop' })?.[1]).to.equal(2)
  })

  it('keeps entries by their fields, NULL as an empty text', () => {
    expect(part({ level: 'info' })?.[1]).to.equal(2)
    expect(part({ db: 'SHOP', filter: 'promoted' })?.[0]).to.deep.equal(['db2 was promoted'])
    expect(part({ db: '' })?.[0]).to.deep.equal(['db1 is down'])
  })

  it('leaves the other fields of the body as they are', () => {
    const { body } = takePart(log, traits, { limit: 1, fields: {} })
    expect(body).to.deep.equal({ ...log, buffer: [lines[0]] })
  })

  it('is asked for by its own parameters alone', () => {
    expect(part({})).to.equal(undefined)
    expect(part({ text: 'x' })).to.equal(undefined)
  })
})

describe('a list over the wire', () => {
  let wire: Wire
  before(async () => {
    wire = await openWire()
    const texts = Array.from({ length: 5 }, (_, at) => `line ${at}`)
    wire.face.views.set('demo/logs', { bytes: Buffer.from(JSON.stringify(texts)), etag: '1-1', at: 0 })
  })
  after(() => wire.close())
  const address = '/api/clusters/demo/topology/logs'

  it('is complete without parameters, with the ETag of its owner', async () => {
    const { headers, body } = await wire.ask(`${address}?t=1`)
    expect([JSON.parse(body).length, headers.etag, headers['x-total-count']]).to.deep.equal([5, 'W/"1-1"', undefined])
  })

  it('comes in parts that lead from one to the next', async () => {
    const seen: string[] = []
    let target: string | undefined = `${address}?filter=line&limit=2`
    while (target !== undefined) {
      const { headers, body } = await wire.ask(target)
      expect(headers['x-total-count']).to.equal('5')
      seen.push(...JSON.parse(body))
      target = /<(.+)>; rel="next"/.exec(String(headers.link))?.[1]
    }
    expect(seen).to.deep.equal(['line 0', 'line 1', 'line 2', 'line 3', 'line 4'])
  })

  it('has an ETag for each part', async () => {
    const { headers } = await wire.ask(`${address}?limit=2`)
    const again = { headers: { 'If-None-Match': String(headers.etag) } }
    expect((await wire.ask(`${address}?limit=2`, again)).status).to.equal(304)
    expect((await wire.ask(`${address}?limit=3`, again)).status).to.equal(200)
  })

  it('refuses a limit that is none, and says which parameter is wrong', async () => {
    for (const query of ['limit=-1', 'limit=many', 'limit=10001', 'offset=1.5']) {
      const { status, body } = await wire.ask(`${address}?${query}`)
      expect([status, body.split(':')[0]], query).to.deep.equal([400, query.split('=')[0]])
    }
  })
})
