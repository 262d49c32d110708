// The interface contract, as facts: every address it names has a row, with its statuses and texts.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { routes } from '../../../http/api/index.js'
import { refusals } from '../../../http/api/openapi.js'
import type { Route } from '../../../http/api/route.js'
import { createMatcher } from '../../../http/gateway/match.js'
import { packageRoot } from '../../../lib/base/package-root.js'

interface Fact {
  readonly method: string
  readonly path: string
  readonly status: number
  /** Body of the success, where the contract fixes it. */
  readonly text?: string
  readonly refusals?: readonly (readonly [status: number, text: string])[]
  readonly token: boolean
}

const facts: readonly Fact[] = JSON.parse(readFileSync(path.join(packageRoot, 'spec/fixture/contract.json'), 'utf8'))

const find = createMatcher(routes)

/** The row that answers an address of the contract, its parameters filled in. */
function rowOf({ method, path: template }: Fact): Route {
  const found = find(method, template.replace('{serverPort}', '3306').replace(/\{\w+\}/g, 'x'))
  if (found.type !== 'found' || !found.match.ok) throw new Error(`${method} ${template}: ${found.type}`)
  return found.match.value.route
}

describe('routes', () => {
  for (const fact of facts)
    it(`answer ${fact.method} ${fact.path} as the contract has it`, () => {
      const row = rowOf(fact)
      expect(row.reply.status).to.equal(fact.status)
      expect(row.grant !== 'none').to.equal(fact.token)
      if (fact.text !== undefined) expect(row.reply.text).to.equal(fact.text)
      expect(refusals(row)).to.deep.include.members((fact.refusals ?? []).map((refusal) => [...refusal]))
    })

  it('take GET wherever they take POST, except the login', () => {
    const postOnly = routes.filter(({ methods }) => methods.includes('POST') && !methods.includes('GET'))
    expect(postOnly.map(({ id }) => id)).to.deep.equal(['session.login'])
  })

  it('are at most fifteen to a noun', () => {
    const counts = new Map<string, number>()
    for (const { id } of routes) {
      const noun = id.slice(0, id.indexOf('.'))
      counts.set(noun, (counts.get(noun) ?? 0) + 1)
    }
    expect([...counts].filter(([noun, count]) => noun !== 'server' && count > 15)).to.deep.equal([])
  })

  it('have one id each', () => {
    expect(new Set(routes.map(({ id }) => id)).size).to.equal(routes.length)
  })
})
