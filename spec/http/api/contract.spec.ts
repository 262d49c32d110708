// The interface contract, as facts: every address it names has a row, with its grants, statuses and texts. What has no
// row yet stands in spec/fixture/owed.txt, and nothing else may: a line goes when its row comes.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { refusals } from '../../../http/api/docs/openapi.js'
import { routes } from '../../../http/api/index.js'
import type { Route } from '../../../http/api/kit/route.js'
import { packageRoot } from '../../../lib/base/package-root.js'
import { createMatcher } from '../../support/http/find-row.js'

interface Fact {
  readonly method: string
  readonly path: string
  readonly status: number
  /** Body of the success, where the contract fixes it. */
  readonly text?: string
  /** Any of them opens it, and no other. */
  readonly grants?: readonly string[]
  readonly refusals?: readonly (readonly [status: number, text: string])[]
  readonly token: boolean
}

const facts: readonly Fact[] = JSON.parse(readFileSync(path.join(packageRoot, 'spec/fixture/contract.json'), 'utf8'))

const owed: ReadonlySet<string> = new Set(
  readFileSync(path.join(packageRoot, 'spec/fixture/owed.txt'), 'utf8').split('\n').filter(Boolean),
)

const nameOf = ({ method, path: template }: Fact): string => `${method} ${template}`

const find = createMatcher(routes)

/** The row that answers an address of the contract, its parameters filled in. */
function rowOf({ method, path: template }: Fact): Route | undefined {
  const found = find(method, template.replace('{serverPort}', '3306').replace(/\{\w+\}/g, 'x'))
  return found.type === 'found' ? found.route : undefined
}

describe('routes', () => {
  for (const fact of facts.filter((one) => !owed.has(nameOf(one))))
    it(`answer ${nameOf(fact)} as the contract has it`, () => {
      const row = rowOf(fact)
      if (!row) throw new Error('no row answers it')
      expect(row.reply.status).to.equal(fact.status)
      expect(row.grant !== 'none').to.equal(fact.token)
      if (fact.text !== undefined) expect(row.reply.text).to.equal(fact.text)
      if (fact.grants) expect([row.grant].flat()).to.have.members(fact.grants)
      expect(refusals(row)).to.deep.include.members((fact.refusals ?? []).map((refusal) => [...refusal]))
    })

  it('owe exactly what is listed as owed', () => {
    const absent = facts.filter((fact) => !rowOf(fact)).map(nameOf)
    expect([...owed]).to.have.members(absent)
  })

  it('take GET wherever they take POST, except those that bring a secret, and the end of a registration', () => {
    const filled = (template: string) => template.replace(/:\w+/g, 'x')
    const postOnly = routes.filter(
      ({ methods, paths }) =>
        methods.includes('POST') && paths.some((one) => find('GET', filled(one)).type !== 'found'),
    )
    expect(postOnly.map(({ id }) => id)).to.have.members([
      ...['session.open', 'session.refresh', 'session.link', 'session.code'],
      ...['session.begin-sign-on', 'session.finish-sign-on', 'session.login', 'users.redeem', 'server.write-log'],
      ...['registration.begin', 'registration.confirm', 'registration.end'],
    ])
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
