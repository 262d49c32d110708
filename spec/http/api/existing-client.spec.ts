// The existing system's own command line client, replayed: what each of its commands sends, and what it decodes of the answers.
import { expect } from 'chai'
import { type ClientRequest, clientCommands } from '../../support/http/client-requests.js'
import { addressOf } from '../../support/http/page-requests.js'
import { fillIn } from '../../support/http/settled-wire.js'
import type { Answer, Ask } from '../../support/http/test-gateway.js'
import { typesOf } from '../../support/http/types-of.js'
import { openWire, type Wire } from '../../support/http/wire.js'

/** It names no type that it accepts, and decodes by the place, not by the type of the answer; what it posts is a form, also an empty one. */
function asClient({ method, form = {} }: ClientRequest): Ask {
  if (method === 'GET') return { method }
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' }
  return { method, headers, body: new URLSearchParams(form).toString() }
}

describe('the command line client of the existing system', () => {
  let wire: Wire
  before(async () => {
    wire = await openWire()
    fillIn(wire)
  })
  after(() => wire.close())
  beforeEach(() => {
    wire.face.calls.length = 0
  })

  const send = (request: ClientRequest): Promise<Answer> =>
    wire.ask(addressOf(request.path, { cluster: 'demo', server: 'db1' }), asClient(request))

  for (const [command, requests] of Object.entries(clientCommands))
    it(`is answered: ${command}`, async () => {
      for (const request of requests) {
        const { status, body } = await send(request)
        const what = `${request.method} ${request.path}: ${body}`
        expect(status, what).to.equal(200)
        if (request.reads) {
          const found = typesOf(JSON.parse(body))
          for (const [path, type] of Object.entries(request.reads))
            expect(found[path], `${path} ${what}`).to.equal(type)
        }
        if (request.asks) {
          const [name, given] = request.asks
          const call = wire.face.calls.findLast((one) => one.name === name)
          expect(call, `${name} of ${what}`).to.not.equal(undefined)
          if (given) expect(call?.given).to.deep.include(given)
        }
      }
    })

  it('logs in with JSON and no type that it accepts, and reads the token of the answer', async () => {
    const anonymous = { Authorization: '', 'Content-Type': 'application/json' }
    const login = (password: string) =>
      wire.ask('/api/login', {
        method: 'POST',
        headers: anonymous,
        body: JSON.stringify({ username: 'admin', password }),
      })
    const { status, body } = await login('repman')
    expect([status, Object.keys(JSON.parse(body))]).to.deep.equal([200, ['token']])
    const { status: refused, body: text } = await login('wrong')
    // It asks for the password after this status alone; any other answer that is no JSON is "invalid character" to it.
    expect([refused, text.trim()]).to.deep.equal([403, 'Invalid credentials'])
  })

  it('ends with its statuses of a login and of a cluster that there is not', async () => {
    const none = await wire.ask('/api/clusters', { headers: { Authorization: 'Bearer none' } })
    expect([none.status, none.body]).to.satisfy(
      ([status, text]: [number, string]) => status === 401 && text.startsWith('Unauthenticated resource'),
      none.body,
    )
    for (const path of ['', '/topology/servers', '/topology/master', '/actions/switchover'])
      expect((await wire.ask(`/api/clusters/absent${path}`)).status, path).to.equal(500)
  })
})
