// The OpenAPI document is true: what its schemas allow is never refused as a bad request, and what they deny never done.
import { expect } from 'chai'
import fc from 'fast-check'
import { FLAG_KNOWN, FLAG_VALID_PRIMARY, FLAG_VALID_REPLICA } from '../../../actors/protocol/actor.js'
import { routes } from '../../../http/api/index.js'
import { ok } from '../../../lib/base/result.js'
import { operations as all, type DrawnRequest, drawRequests, type Existing } from '../../support/http/draw-request.js'
import { denied } from '../../support/http/from-schema.js'
import { ScriptedFace } from '../../support/http/scripted-face.js'
import { startTestGateway, type TestGateway } from '../../support/http/test-gateway.js'
import { isSoak } from '../../support/run/soak.js'

/** Tokens are the gateway's own; these answer late, stream, need a field by the value of another one, or take a language. */
const elsewhere =
  /^(session|tokens|events|series)\.|^global\.timeout|^monitor\.metrics|^graphite\.set(\.|$)|\.events|^clusters\.fleet(-events)?$/

const operations = all.filter(({ operation }) => !elsewhere.test(operation.operationId))

/** What must exist for a request to come as far as its parameters. */
const existing: Existing = {
  prefmaster: 'db2',
  cluster: 'demo',
  server: 'db2',
  proxy: 'px1',
  setting: 'failover-limit',
}

const RUNS = isSoak ? 60 : 2

describe('the OpenAPI document', () => {
  const face = new ScriptedFace()
  let gateway: TestGateway
  let admin: Readonly<Record<string, string>>
  before(async () => {
    face.archiveFile = ok({ bytes: Buffer.from('archive'), etag: 'a1' })
    face.flagWords.set('demo/0', FLAG_KNOWN | FLAG_VALID_PRIMARY)
    face.flagWords.set('demo/1', FLAG_KNOWN | FLAG_VALID_REPLICA)
    gateway = await startTestGateway({ manager: face, routes })
    admin = await gateway.bearer('admin', 'repman')
  })
  after(() => gateway.close())

  const send = (method: string, { path, type, body }: DrawnRequest) =>
    gateway.ask(path, {
      method: method.toUpperCase(),
      headers: { ...admin, ...(type === undefined ? {} : { 'Content-Type': type }) },
      ...(body === undefined ? {} : { body }),
    })

  for (const { path, method, operation } of operations)
    it(`allows nothing that ${method.toUpperCase()} ${path} refuses as a bad request`, () =>
      fc.assert(
        fc.asyncProperty(drawRequests(path, operation, existing), async (request) => {
          const { status, body } = await send(method, request)
          expect(status, `${method} ${request.path} ${request.body ?? ''}: ${body}`).not.to.equal(400)
        }),
        { numRuns: RUNS, endOnFailure: true },
      ))

  for (const { path, method, operation } of operations) {
    const strict = operation.parameters.filter(({ name, schema }) => !(name in existing) && denied(schema).length > 0)
    if (strict.length > 0)
      it(`denies nothing that ${method.toUpperCase()} ${path} does`, async () => {
        const [sample] = fc.sample(drawRequests(path, operation, existing), { numRuns: 1, seed: 7 })
        for (const { name, in: place, schema } of strict)
          for (const text of denied(schema).slice(0, isSoak ? 99 : 3)) {
            const [target = '', query = ''] = (sample?.path ?? path).split('?')
            const fields = new URLSearchParams(query)
            if (place === 'query') fields.set(name, text)
            const at = path.split('/').indexOf(`{${name}}`)
            const segments = target
              .split('/')
              .map((segment, index) => (index === at ? encodeURIComponent(text) : segment))
            const wrong = `${segments.join('/')}?${fields}`
            const { status, body } = await send(method, { ...sample, path: wrong })
            expect(status, `${method} ${wrong}: ${body}`).to.be.at.least(400)
          }
      })
  }

  it('types no flag, number or port as a text', () => {
    const loose = operations.flatMap(({ operation }) =>
      operation.parameters.filter(
        ({ name, schema }) =>
          /^(plan|wait|force|last|detail|everywhere|replace|port|job|change|limit|offset|seconds|length|timeout|queryTime)$/.test(
            name,
          ) &&
          schema.type === 'string' &&
          !operation.operationId.startsWith('clusters.add'), // its plan is a service plan
      ),
    )
    expect(loose).to.deep.equal([])
  })

  it('documents what is refused for its size, and deadlines', () => {
    for (const { method, operation } of operations) {
      expect(operation.responses, operation.operationId).to.have.property('431')
      if (method !== 'get') expect(operation.responses, operation.operationId).to.have.property('413')
    }
    const [rolling] = operations.filter(({ operation }) => operation.operationId === 'cluster.rolling.post')
    expect(rolling?.operation.responses).to.have.property('504')
  })
})
