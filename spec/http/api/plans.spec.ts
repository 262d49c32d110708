// Actions and their plans: every row that changes anything has one, and no action passes over what it does not know.
import { expect } from 'chai'
import { routes } from '../../../http/api/index.js'
import { consequenceOf } from '../../../http/api/kit/plan/consequences.js'
import { isAction, type Method, planReply, type Route } from '../../../http/api/kit/route.js'
import type { Plan } from '../../../lib/model/operation/preview.js'
import { fillPath } from '../../support/http/fill.js'
import { ScriptedFace } from '../../support/http/scripted-face.js'
import { startTestGateway, type TestGateway } from '../../support/http/test-gateway.js'

/** Actions without a plan, and why. */
const elsewhere: Readonly<Record<string, string>> = {
  'trial.waitdatabases': 'waits',
  'query.explain-*': 'asks the server how it would run a statement',
  'query.analyze-*': 'runs what is proven to read',
  'subscription.choose': 'has a field of its own that is named plan: what it does is that field',
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

  /** The row with its example: in the query of a GET or DELETE, in the body of a POST. */
  const ask = (row: Route, method: Method | undefined, more: Readonly<Record<string, string>>) => {
    const inBody = method === 'POST' && row.example?.request !== undefined
    const query = new URLSearchParams({ ...(inBody ? {} : flatExample(row)), ...more })
    return gateway.ask(`${fillPath(row.paths[0])}?${query}`, {
      ...(method === undefined ? {} : { method }),
      headers: { ...admin, ...(inBody ? { 'Content-Type': 'application/json' } : {}) },
      ...(inBody ? { body: JSON.stringify(row.example?.request) } : {}),
    })
  }

  const acted = () => face.calls.filter(isActing).map(({ name }) => name)

  it('of every kind are judged here', () => {
    expect(planned.length).to.be.above(110)
    expect(actions.filter((row) => isElsewhere(row) && row.plan).map(({ id }) => id)).to.deep.equal([])
  })

  for (const row of planned)
    it(`${row.id} has a plan that asks for nothing else`, async () => {
      expect(Object.keys(row.query?.shape ?? {})).to.include('plan')
      for (const method of row.methods) {
        face.calls.length = 0
        const answer = await ask(row, method, { plan: 'true' })
        expect(answer.status, answer.body).to.equal(200)
        expect(planReply.schema.safeParse(JSON.parse(answer.body)).error).to.equal(undefined)
        expect(acted()).to.deep.equal([])
      }
      if (!row.methods.includes('POST') || !isFlat(row)) return
      const form = { ...admin, 'Content-Type': 'application/x-www-form-urlencoded' }
      face.calls.length = 0
      const body = new URLSearchParams({ ...flatExample(row), plan: 'true' }).toString()
      const posted = await gateway.ask(fillPath(row.paths[0]), { method: 'POST', headers: form, body })
      expect([posted.status, acted()], posted.body).to.deep.equal([200, []])
    })

  for (const row of planned) {
    it(`${row.id} is listed with what takes it back`, () => {
      expect(consequenceOf(row.id)).not.to.equal(undefined)
    })
    if (row.ownsPlan) continue
    it(`${row.id} runs the plan that was confirmed, and no other`, async () => {
      const [method] = row.methods
      const plan = JSON.parse((await ask(row, method, { plan: 'true' })).body) as Plan
      face.calls.length = 0
      const other = await ask(row, method, { confirm: `${plan.id}0` })
      expect([other.status, acted()], other.body).to.deep.equal([409, []])
      expect(other.body).to.contain(`(now ${plan.id})`)
      const same = await ask(row, method, { confirm: plan.id })
      expect(same.status, same.body).not.to.equal(409)
      // Tokens are the gateway's own.
      if (!/^(tokens|session)\./.test(row.id)) expect(acted()).not.to.deep.equal([])
    })
  }

  it('refuse a plan that says something else by now, and name it', async () => {
    const path = '/api/clusters/demo/servers/db2/actions/restart'
    const plan = JSON.parse((await gateway.ask(`${path}?plan=true`, { headers: admin })).body) as Plan
    const steps = [{ text: 'Stop db2, start it and wait until it answers', blocksWrites: true }]
    face.replies.set('plan-work', { kind: 'switchover', possible: true, steps, risks: [] })
    const problem = { ...admin, Accept: 'application/problem+json' }
    const answer = await gateway.ask(`${path}?confirm=${encodeURIComponent(plan.id)}`, { headers: problem })
    face.replies.delete('plan-work')
    expect(JSON.parse(answer.body)).to.deep.include({ code: 'plan-changed', status: 409 })
    expect(answer.body).to.contain('its steps are by now: Stop db2, start it and wait until it answers')
    expect(acted()).to.deep.equal([])
  })

  it('take the id of a plan from a form as well, and hand its mark to the operation', async () => {
    const path = '/api/clusters/demo/actions/switchover'
    const plan = JSON.parse((await gateway.ask(`${path}?plan=true`, { headers: admin })).body) as Plan
    const form = { ...admin, 'Content-Type': 'application/x-www-form-urlencoded' }
    face.calls.length = 0
    const body = `confirm=${encodeURIComponent(plan.id)}`
    expect((await gateway.ask(path, { method: 'POST', headers: form, body })).status).to.equal(200)
    const { given } = face.calls.find(({ name }) => name === 'switchover') ?? {}
    expect(given).to.deep.include({ confirmed: plan.id.split('.').slice(1).join('.') })
  })

  it('are no service plans: a cluster that is added on one is planned like any other', async () => {
    const path = '/api/clusters/actions/add/shop'
    const headers = { ...admin, 'Content-Type': 'application/json' }
    const body = JSON.stringify({ plan: 'x1.small' })
    face.calls.length = 0
    const planned = await gateway.ask(`${path}?plan=true`, { method: 'POST', headers, body })
    expect([planned.status, acted()], planned.body).to.deep.equal([200, []])
    const confirm = encodeURIComponent((JSON.parse(planned.body) as Plan).id)
    expect((await gateway.ask(`${path}?confirm=${confirm}`, { method: 'POST', headers, body })).status).to.equal(200)
    const added = face.calls.find(({ name }) => name === 'addCluster')
    expect(added?.given).to.deep.equal(['shop', { plan: 'x1.small' }, 'admin'])
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
        const [refused] = row.failures['bad-request'] ?? [400]
        expect([answer.status, acted()], answer.body).to.deep.equal([refused, []])
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

const fieldsOf = (row: Route): Readonly<Record<string, unknown>> => {
  const given = row.example?.request
  return typeof given === 'object' && given !== null ? { ...given } : {}
}

const isFlat = (row: Route): boolean => Object.values(fieldsOf(row)).every((value) => typeof value !== 'object')

const flatExample = (row: Route): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(fieldsOf(row)).map(([name, value]) => [name, String(value)]))

const reading = /^(plan|view|members|snapshot|settings|rotation|delivered|clusters|drift|lists|certificates|newServers)/

/** What changes nothing: plans, dry runs, and what a gateway asks to find its target. */
const isActing = ({ name, given }: { readonly name: string; readonly given: unknown }): boolean =>
  !reading.test(name) && !/"(dry|plan)":true/.test(JSON.stringify(given))
