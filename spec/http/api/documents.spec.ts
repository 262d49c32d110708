// The documents printed from the rows: sound, and the one of share/doc as it is kept there.
import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { templateOf } from '../../../http/api/docs/openapi.js'
import { tagDescriptions } from '../../../http/api/docs/tags.js'
import { openApiDocument, printAcl, printOpenApi, printReference, routes } from '../../../http/api/index.js'
import { isRead, type Route } from '../../../http/api/kit/route.js'
import { grants } from '../../../lib/access/grants.js'
import { sharePath } from '../../../lib/base/package-root.js'

const stands = (name: string): string => readFileSync(sharePath('doc', name), 'utf8')

interface Operation {
  readonly operationId: string
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly required: boolean }[]
  readonly responses: Readonly<Record<string, unknown>>
  readonly security: readonly object[]
}

const document = openApiDocument(routes)
const paths = document.paths as Readonly<Record<string, Readonly<Record<string, Operation>>>>
const operations = Object.entries(paths).flatMap(([path, item]) =>
  Object.values(item).map((operation) => ({ path, operation })),
)

describe('printOpenApi', () => {
  it('prints the document that the gateway serves', () => {
    expect(JSON.parse(printOpenApi(routes))).to.deep.equal(JSON.parse(JSON.stringify(document)))
  })

  it('names every spelling of every row', () => {
    const spelled = routes.flatMap(({ paths: spellings }) => spellings.map(templateOf))
    expect(Object.keys(paths)).to.have.members([...new Set(spelled)])
  })

  it('gives every operation an id of its own', () => {
    const ids = operations.map(({ operation }) => operation.operationId)
    expect(new Set(ids).size).to.equal(ids.length)
  })

  it('declares exactly the parameters of each path', () => {
    for (const { path, operation } of operations) {
      const declared = operation.parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name)
      expect(declared, path).to.have.members([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name))
    }
  })

  it('refers to components that are there', () => {
    const text = JSON.stringify(document)
    const { schemas, responses } = document.components as Readonly<Record<string, Readonly<Record<string, unknown>>>>
    for (const [, room, name = ''] of text.matchAll(/"#\/components\/(schemas|responses)\/(\w+)"/g))
      expect(room === 'schemas' ? schemas : responses, name).to.have.property(name)
    expect(text).not.to.contain('#/$defs')
  })

  it('marks what needs no token', () => {
    expect(paths['/api/status']?.get?.security).to.deep.equal([])
    expect(paths['/api/monitor']?.get?.security).to.deep.equal([{ token: [] }])
  })
})

describe('printAcl', () => {
  const text = printAcl(routes)

  it('stands in share/doc/acl.md (npm run docs)', () => {
    expect(text).to.equal(stands('acl.md'))
  })

  it('names every row and every grant', () => {
    for (const { paths: spellings } of routes) expect(text).to.contain(` ${spellings[0]}\``)
    for (const grant of grants) expect(text).to.contain(`\`${grant}\``)
  })
})

describe('printReference', () => {
  const text = printReference(routes)

  it('names every spelling', () => {
    for (const path of routes.flatMap((route) => route.paths)) expect(text).to.contain(path)
  })
})

describe('examples of rows', () => {
  it('stand wherever the answer has a body', () => {
    const silent = routes.filter(({ reply, example }) => reply.type !== 'empty' && example?.reply === undefined)
    expect(silent.map(({ id }) => id)).to.deep.equal([])
  })

  it('are what the schema of the answer takes', () => {
    for (const { id, reply, example } of routes)
      if (reply.type === 'json' || reply.type === 'view')
        expect(reply.schema?.safeParse(example?.reply).error?.issues ?? [], id).to.deep.equal([])
  })

  it('are what the schema of the request takes', () => {
    for (const { id, body, example } of routes)
      if (example?.request !== undefined)
        expect(body?.safeParse(example.request).error?.issues ?? [], id).to.deep.equal([])
  })

  it('have a schema beside every JSON', () => {
    const bare = routes.filter(({ reply }) => ['json', 'view'].includes(reply.type) && reply.schema === undefined)
    expect(bare.map(({ id }) => id)).to.deep.equal([])
  })

  it('that show a token stand at rows whose answer is not cached', () => {
    const showsToken = ({ example }: Route) =>
      typeof example?.reply === 'object' && example.reply !== null && 'token' in example.reply
    const kept = routes.filter((route) => showsToken(route) && isRead(route))
    expect(kept.map(({ id }) => id)).to.deep.equal([])
  })
})

describe('refusals that many operations share', () => {
  it('are components, which the operations refer to', () => {
    const all = operations.flatMap(({ operation }) => Object.values(operation.responses) as readonly object[])
    const written = all.filter((response) => !('$ref' in response)).map((response) => JSON.stringify(response))
    const counts = new Map<string, number>()
    for (const text of written.filter((one) => one.includes('"text/plain"') && !one.includes('application/json')))
      counts.set(text, (counts.get(text) ?? 0) + 1)
    expect([...counts].filter(([text, count]) => count >= 30 && !text.includes('"const"'))).to.deep.equal([])
    const [clusters] = operations.filter(({ path }) => path === '/api/clusters')
    expect(clusters?.operation.responses[401]).to.deep.equal({
      $ref: '#/components/responses/Refused401UnauthenticatedResource',
    })
    const { responses } = document.components as Readonly<Record<string, Readonly<Record<string, object>>>>
    expect(responses?.Refused401UnauthenticatedResource).to.have.property('description', 'Unauthenticated resource')
  })
})

describe('tagDescriptions', () => {
  it('says of each tag what its addresses are about, in a sentence, and of nothing else', () => {
    const used = new Set(routes.map(({ id }) => id.split('.', 1)[0]))
    expect(Object.keys(tagDescriptions).toSorted()).to.deep.equal([...used].toSorted())
    for (const [tag, text] of Object.entries(tagDescriptions)) expect(text, tag).to.match(/^[A-Z].{15,}\.$/)
  })
})
