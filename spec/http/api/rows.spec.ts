// Every row against a real gateway, once per outcome: success, no token, no grant, bad input, and each failure it names.
import { Agent } from 'node:http'
import { expect } from 'chai'
import { FLAG_KNOWN, FLAG_LAG_SHIFT, FLAG_VALID_PRIMARY, FLAG_VALID_REPLICA } from '../../../actors/protocol/actor.js'
import { routes } from '../../../http/api/index.js'
import { type Method, pathNames, type Reply, type Route } from '../../../http/api/kit/route.js'
import { wireFailure } from '../../../http/api/kit/statuses.js'
import type { FailureCode } from '../../../lib/base/failures.js'
import { ok } from '../../../lib/base/result.js'
import { HOUR } from '../../../lib/base/time.js'
import { fillPath } from '../../support/http/fill.js'
import { ScriptedFace } from '../../support/http/scripted-face.js'
import { type Answer, startTestGateway, type TestGateway } from '../../support/http/test-gateway.js'
import { undocumented } from '../../support/http/undocumented.js'

const contentTypes: Readonly<Record<Reply['type'], RegExp | undefined>> = {
  json: /^application\/json/,
  view: /^application\/json/,
  text: /^text\/plain/,
  empty: undefined,
  bytes: /^application\/octet-stream$/,
  events: /^text\/event-stream/,
  page: /^text\/markdown/,
  metrics: /^text\/plain; version=0\.0\.4/,
}

/** Made by the gateway from the request; not by what the manager answers. */
const byRequest: readonly FailureCode[] = [
  ...(['bad-request', 'not-logged-in', 'unknown-cluster', 'unknown-server', 'unknown-proxy'] as const),
  ...(['check-negative', 'wrong-credentials', 'locked-out', 'unknown-route', 'unknown-runbook'] as const),
]

/**
 * Logins and tokens are the gateway's own affair, not the manager's: spec/http/gateway covers them. What answers after
 * twenty minutes has global.spec.ts.
 */
const rows = routes.filter(({ id }) => !/^(session|tokens)\./.test(id) && id !== 'global.timeout')

describe('routes on a gateway', () => {
  const face = new ScriptedFace()
  /** One connection for thousands of requests. */
  const agent = new Agent({ keepAlive: true })
  let gateway: TestGateway
  let admin: Readonly<Record<string, string>>
  let nobody: Readonly<Record<string, string>>

  before(async () => {
    gateway = await startTestGateway({ manager: face, routes, limits: { keepAliveMs: HOUR } })
    admin = await gateway.bearer('admin', 'repman')
    nobody = await gateway.bearer('nobody', 'none')
  })
  after(async () => {
    agent.destroy()
    await gateway.close()
  })
  beforeEach(() => {
    face.failure = undefined
    face.needed = true
    face.archiveFile = ok({ bytes: Buffer.from('archive'), etag: 'a1' })
    face.metricPieces = async function* () {
      yield Buffer.from('manager_up 1\n')
    }
    face.flagWords.set('demo/0', FLAG_KNOWN | FLAG_VALID_PRIMARY)
    face.flagWords.set('demo/1', FLAG_KNOWN | FLAG_VALID_REPLICA | (1 << FLAG_LAG_SHIFT))
  })

  interface Case {
    readonly as?: Readonly<Record<string, string>>
    readonly method?: Method
    readonly params?: Readonly<Record<string, string>>
    readonly template?: string
    readonly query?: string
    readonly body?: string
  }

  function ask(row: Route, { as = admin, method, params, template, query = '', body }: Case = {}): Promise<Answer> {
    const verb = method ?? row.methods[0] ?? 'GET'
    return gateway.ask(
      fillPath(template ?? row.paths[0], params) +
        query +
        defaultQuery(row, { query, ...(body === undefined ? {} : { body }) }),
      {
        agent,
        method: row.reply.type === 'events' ? 'HEAD' : verb,
        headers: { ...as, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
        ...(body === undefined ? {} : { body }),
      },
    )
  }

  /** What the row's example sends, as the query of a request that says nothing itself. */
  const defaultQuery = ({ example }: Route, { query = '', body }: Case): string => {
    const sent = example?.request
    if (query !== '' || body !== undefined || typeof sent !== 'object' || sent === null) return ''
    return `?${new URLSearchParams(Object.entries(sent).map(([name, value]): [string, string] => [name, String(value)]))}`
  }

  function expectRefusal(answer: Answer, row: Route, code: FailureCode): void {
    const [status, text] = wireFailure(code, row)
    expect(answer.status, answer.body).to.equal(status)
    if (text !== undefined && answer.body !== '') expect(answer.body.trimEnd()).to.equal(text)
  }

  for (const row of rows)
    describe(row.id, () => {
      for (const template of row.paths)
        for (const method of row.methods)
          it(`answers ${method} ${template}`, async () => {
            const answer = await ask(row, { template, method })
            expect(answer.status, answer.body).to.equal(row.reply.status)
            const isSilent = row.reply.emptyForGet && method === 'GET'
            const type = isSilent ? undefined : contentTypes[row.reply.type]
            if (type) expect(answer.headers['content-type']).to.match(type)
            else expect(answer.body).to.equal('')
            if (row.reply.text !== undefined && !isSilent) expect(answer.body).to.equal(row.reply.text)
            const issues = row.reply.schema?.safeParse(JSON.parse(answer.body)).error
            expect(issues).to.equal(undefined)
            if (row.reply.schema) expect(undocumented(row.reply.schema, JSON.parse(answer.body))).to.deep.equal([])
          })

      if (row.grant !== 'none')
        it('refuses a request without a token', async () => {
          expectRefusal(await ask(row, { as: {} }), row, 'not-logged-in')
        })

      if (row.grant !== 'none' && (row.grant !== 'token' || pathNames(row.paths[0]).includes('cluster')))
        it('refuses a user without the grant', async () => {
          expectRefusal(await ask(row, { as: nobody }), row, 'no-grant')
        })

      if (pathNames(row.paths[0]).includes('cluster'))
        it('refuses an unknown cluster', async () => {
          expectRefusal(await ask(row, { params: { cluster: 'nowhere' } }), row, 'unknown-cluster')
        })

      if (pathNames(row.paths[0]).includes('server'))
        it('refuses an unknown server', async () => {
          expectRefusal(await ask(row, { params: { server: 'db99' } }), row, 'unknown-server')
        })

      if (pathNames(row.paths[0]).includes('proxy'))
        it('refuses an unknown proxy', async () => {
          expectRefusal(await ask(row, { params: { proxy: 'px99' } }), row, 'unknown-proxy')
        })

      if (row.failures['check-negative'])
        it('answers no', async () => {
          face.needed = false
          face.flagWords.clear()
          expectRefusal(await ask(row), row, 'check-negative')
        })

      if (row.body && row.methods.includes('POST'))
        it('refuses a body that cannot be read', async () => {
          expectRefusal(await ask(row, { method: 'POST', body: '{' }), row, 'bad-request')
        })

      for (const code of Object.keys(row.failures) as FailureCode[])
        if (!byRequest.includes(code) && row.id !== 'server.config')
          it(`answers ${code} with its status and text`, async () => {
            face.failure = { code, message: 'reported by the manager' }
            const answer = await ask(row)
            expectRefusal(answer, row, code)
            if (wireFailure(code, row)[1] === undefined) expect(answer.body).to.equal('reported by the manager\n')
          })
    })
})
