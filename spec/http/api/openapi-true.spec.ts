// The OpenAPI document is true: what its schemas allow is never refused as a bad request, and what they deny never done.
import { expect } from 'chai'
import fc from 'fast-check'
import { FLAG_KNOWN, FLAG_VALID_PRIMARY, FLAG_VALID_REPLICA } from '../../../actors/protocol/actor.js'
import { openApiDocument, routes } from '../../../http/api/index.js'
import { ok } from '../../../lib/base/result.js'
import { allowed, denied, type Schema } from '../../support/http/from-schema.js'
import { ScriptedFace } from '../../support/http/scripted-face.js'
import { startTestGateway, type TestGateway } from '../../support/http/test-gateway.js'
import { isSoak } from '../../support/run/soak.js'

interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query'
  readonly required: boolean
  readonly schema: Schema
}

interface Operation {
  readonly operationId: string
  readonly parameters: readonly Parameter[]
  readonly requestBody?: { readonly required: boolean; readonly content: Readonly<Record<string, { schema: Schema }>> }
  readonly responses: Readonly<Record<string, unknown>>
}

interface Request {
  readonly path: string
  readonly type?: string | undefined
  readonly body?: string | undefined
}

const document = JSON.parse(JSON.stringify(openApiDocument(routes))) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

/** Tokens are the gateway's own; these answer late, stream, need a field by the value of another one, or take a language. */
const elsewhere =
  /^(session|tokens|events|series)\.|^global\.timeout|^monitor\.metrics|^graphite\.set(\.|$)|\.events|^clusters\.fleet(-events)?$/

const operations = Object.entries(document.paths)
  .flatMap(([path, item]) => Object.entries(item).map(([method, operation]) => ({ path, method, operation })))
  .filter(({ operation }) => !elsewhere.test(operation.operationId))

/** What must exist for a request to come as far as its parameters. */
const existing: Readonly<Record<string, string>> = {
  prefmaster: 'db2',
  cluster: 'demo',
  server: 'db2',
  proxy: 'px1',
  setting: 'failover-limit',
}

const RUNS = isSoak ? 60 : 2

const isForm = (type: string): boolean => type.includes('urlencoded')

const asText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

const formOf = (value: object): string =>
  new URLSearchParams(Object.entries(value).map(([name, one]): [string, string] => [name, asText(one)])).toString()

/** A body names a server that there is. */
const withServer = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && 'prefmaster' in value
    ? { ...value, prefmaster: existing.prefmaster }
    : value

function requests(path: string, { parameters, requestBody }: Operation): fc.Arbitrary<Request> {
  const named = parameters.map(({ name, in: place, required, schema }) => {
    const known = place === 'path' || name === 'prefmaster' ? existing[name] : undefined
    const value = known === undefined ? allowed(schema) : fc.constant(known)
    return required ? value : fc.option(value, { nil: undefined })
  })
  const bodies = Object.entries(requestBody?.content ?? {}).map(([type, { schema }]) =>
    allowed(schema)
      .map(withServer)
      .map((value) => ({
        type,
        body: isForm(type) ? formOf(value as object) : JSON.stringify(value),
      })),
  )
  const none = fc.constant({ type: undefined, body: undefined })
  const body = bodies.length === 0 ? none : fc.oneof(...bodies, ...(requestBody?.required ? [] : [none]))
  return fc.tuple(fc.tuple(...named), body).map(([values, sent]) => {
    const given = parameters.map((parameter, index) => [parameter, values[index]] as const)
    const texts = new Map(given.map(([{ name }, value]) => [name, asText(value)]))
    const query = new URLSearchParams(
      given.flatMap(([{ name, in: place }, value]): [string, string][] =>
        place === 'query' && value !== undefined ? [[name, asText(value)]] : [],
      ),
    )
    const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(texts.get(name) ?? ''))
    return { path: query.size === 0 ? filled : `${filled}?${query}`, ...sent }
  })
}

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

  const send = (method: string, { path, type, body }: Request) =>
    gateway.ask(path, {
      method: method.toUpperCase(),
      headers: { ...admin, ...(type === undefined ? {} : { 'Content-Type': type }) },
      ...(body === undefined ? {} : { body }),
    })

  for (const { path, method, operation } of operations)
    it(`allows nothing that ${method.toUpperCase()} ${path} refuses as a bad request`, () =>
      fc.assert(
        fc.asyncProperty(requests(path, operation), async (request) => {
          const { status, body } = await send(method, request)
          expect(status, `${method} ${request.path} ${request.body ?? ''}: ${body}`).not.to.equal(400)
        }),
        { numRuns: RUNS, endOnFailure: true },
      ))

  for (const { path, method, operation } of operations) {
    const strict = operation.parameters.filter(({ name, schema }) => !(name in existing) && denied(schema).length > 0)
    if (strict.length > 0)
      it(`denies nothing that ${method.toUpperCase()} ${path} does`, async () => {
        const [sample] = fc.sample(requests(path, operation), { numRuns: 1, seed: 7 })
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
