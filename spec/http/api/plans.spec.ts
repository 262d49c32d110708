// Actions and their plans: every row that changes databases has one, and no action passes over what it does not know.
import { expect } from 'chai'
import { routes } from '../../../http/api/index.js'
import { isAction, planReply, type Route } from '../../../http/api/kit/route.js'
import { fillPath } from '../../support/http/fill.js'
import { ScriptedFace } from '../../support/http/scripted-face.js'
import { startTestGateway, type TestGateway } from '../../support/http/test-gateway.js'

/** Actions that change no database: what they change instead. */
const elsewhere: Readonly<Record<string, string>> = {
  'tokens.*': 'tokens of the API',
  'users.*': 'users of the API',
  'settings.*': 'settings; what follows from one is the work of the manager',
  'graphite.*': 'lists of metrics',
  'plans.*': 'service plans',
  'tags.*': 'tags and archives',
  'clusters.*': 'the clusters that are monitored',
  'member.*': 'the servers that are monitored',
  'certificates.*': 'certificates and archives',
  'configuration.accept': 'decisions about differences',
  'configuration.preserve': 'decisions about differences',
  'configuration.clear': 'decisions about differences',
  'cluster.reset-failover-control': 'a counter of the manager',
  'cluster.reset-sla': 'counters of the manager',
  'cluster.regenerate-configs': 'archives',
  'cluster.cancel-rolling-*': 'work of the manager',
  'scheduled.cancel': 'an appointment that the manager keeps',
  'passwords.cancel': 'work of the manager that was begun',
  'server.maintenance': 'a mark of the manager',
  'server.set-maintenance': 'a mark of the manager',
  'server.del-maintenance': 'a mark of the manager',
  'server.set-*ed': 'a rating in the settings',
  'trial.waitdatabases': 'nothing',
  'alerts.*': 'messages to people, and marks of the manager',
  'silences.*': 'what the manager sends',
  'global.*silence': 'what the manager sends',
  'trial.send-vault-token': 'a mail',
  'query.explain-*': 'nothing',
  'query.analyze-*': 'nothing: it runs what is proven to read',
  '*.bootstrap-token': 'tokens of archives',
}

const isElsewhere = ({ id }: Route): boolean =>
  Object.keys(elsewhere).some((pattern) =>
    new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll('*', '.*')}$`).test(id),
  )

const actions = routes.filter(isAction)
const planned = actions.filter((row) => !isElsewhere(row))

describe('actions', () => {
  const face = new ScriptedFace()
  let gateway: TestGateway
  let admin: Readonly<Record<string, string>>

  before(async () => {
    gateway = await startTestGateway({ manager: face, routes })
    admin = await gateway.bearer('admin', 'repman')
  })
  after(() => gateway.close())
  beforeEach(() => {
    face.failure = undefined
    face.calls.length = 0
  })

  const acted = () => face.calls.filter(isActing).map(({ name }) => name)

  it('of every kind are judged here', () => {
    expect(planned.length).to.be.above(40)
    expect(actions.filter((row) => isElsewhere(row) && row.plan).map(({ id }) => id)).to.deep.equal([])
  })

  for (const row of planned)
    it(`${row.id} has a plan that asks for nothing else`, async () => {
      expect(Object.keys(row.query?.shape ?? {})).to.include('plan')
      for (const method of ['GET', 'POST'] as const) {
        face.calls.length = 0
        const answer = await gateway.ask(`${fillPath(row.paths[0])}?plan=true`, { method, headers: admin })
        expect(answer.status, answer.body).to.equal(200)
        if (row.plan) expect(planReply.schema.safeParse(JSON.parse(answer.body)).error).to.equal(undefined)
        expect(acted()).to.deep.equal([])
      }
      const form = { ...admin, 'Content-Type': 'application/x-www-form-urlencoded' }
      face.calls.length = 0
      const posted = await gateway.ask(fillPath(row.paths[0]), { method: 'POST', headers: form, body: 'plan=true' })
      expect([posted.status, acted()]).to.deep.equal([200, []])
    })

  for (const row of actions)
    it(`${row.id} refuses a parameter and a field that it does not know`, async () => {
      const path = fillPath(row.paths[0])
      for (const [method, query, body] of [
        ['POST', '?pland=true', undefined],
        ['GET', '?dry-run=1', undefined],
        ['POST', '', '{"dryRun":true}'],
        ['POST', '', '["plan"]'],
      ] as const) {
        if (!row.methods.includes(method)) continue
        const headers = { ...admin, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) }
        const answer = await gateway.ask(path + query, { method, headers, ...(body === undefined ? {} : { body }) })
        expect([answer.status, acted()], answer.body).to.deep.equal([400, []])
      }
    })

  it('pass over what clients add against caches, and the fixed field of the existing client', async () => {
    const path = '/api/clusters/demo/actions/reset-sla'
    const form = { ...admin, 'Content-Type': 'application/x-www-form-urlencoded' }
    const got = await gateway.ask(`${path}?_=1795246812345`, { headers: admin })
    const posted = await gateway.ask(path, { method: 'POST', headers: form, body: 'customer_name=value' })
    expect([got.status, posted.status]).to.deep.equal([200, 200])
  })
})

const reading = /^(plan|view|members|snapshot|settings|rotation|delivered|clusters)/

/** What changes nothing: plans, dry runs, and what a gateway asks to find its target. */
const isActing = ({ name, given }: { readonly name: string; readonly given: unknown }): boolean =>
  !reading.test(name) && !/"(dry|plan)":true/.test(JSON.stringify(given))
