// Orders of the API mode: given once, followed to their end, and known to the next life of the manager.
import { expect } from 'chai'
import { OrderBook } from '../../../../lib/backup/hosts/order-book.js'
import type { HostReach, HostTaskRequest } from '../../../../lib/backup/hosts/request.js'
import { unwrap } from '../../../../lib/base/result.js'

const reach = {
  service: { kind: 'database', id: 'db1', name: 'alpha', host: '10.0.0.1', port: 3306 },
} as unknown as HostReach
const request: HostTaskRequest = { task: 'analyze', deadlineMs: 60_000 }
const run = () => {
  const lines: string[] = []
  return { signal: new AbortController().signal, log: (line: string) => void lines.push(line), lines }
}
const ended = { state: 'done', text: 'all analyzed', bytes: 0 } as const

describe('OrderBook', () => {
  it('gives an order once, and ends it with the report of the host', async () => {
    const book = new OrderBook()
    const end = book.run(reach, request, run())
    expect(book.list('db1')).to.deep.equal(['analyze'])
    expect(unwrap(book.take('db1', 'analyze'))).to.equal('1|analyze|0||deadline=60')
    expect(book.take('db1', 'analyze').ok).to.equal(false)
    unwrap(book.report('db1', 'analyze', ended))
    expect(unwrap(await end).lines).to.deep.equal(['all analyzed'])
    expect(book.kept()).to.deep.equal([])
  })

  it('follows an order that was taken before the manager restarted, under the same number', async () => {
    let written = 0
    const before = new OrderBook([], () => {
      written += 1
    })
    const lost = run()
    void before.run(reach, request, lost)
    unwrap(before.take('db1', 'analyze'))
    expect(written).to.equal(2)
    const after = new OrderBook(JSON.parse(JSON.stringify(before.kept())))
    const own = run()
    const end = after.run(reach, request, own)
    expect(own.lines).to.deep.equal(['the job script of the host works on it'])
    expect(after.take('db1', 'analyze').ok).to.equal(false)
    unwrap(after.report('db1', 'analyze', ended))
    expect((await end).ok).to.equal(true)
    void before.report('db1', 'analyze', ended)
  })

  it('keeps an end that is reported before the job is begun again', async () => {
    const before = new OrderBook()
    const first = before.run(reach, request, run())
    unwrap(before.take('db1', 'analyze'))
    const middle = new OrderBook(before.kept())
    unwrap(middle.report('db1', 'analyze', { state: 'error', text: 'no table can be read', bytes: 0 }))
    const after = new OrderBook(middle.kept())
    const end = await after.run(reach, request, run())
    expect(end.ok || end.failure.message).to.equal('alpha: analyze on its host failed: no table can be read')
    unwrap(before.report('db1', 'analyze', ended))
    await first
  })

  it('does not keep an order whose stream ends with the manager', async () => {
    const book = new OrderBook()
    const abort = new AbortController()
    const stream = { host: 'manager', port: 4000, secret: 'x' }
    const end = book.run(reach, { ...request, stream }, { ...run(), signal: abort.signal })
    expect(book.kept()).to.deep.equal([])
    abort.abort()
    expect((await end).ok).to.equal(false)
  })
})
