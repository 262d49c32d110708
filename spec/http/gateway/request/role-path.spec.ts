// The role checks of load balancers, over real sockets.
import { expect } from 'chai'
import {
  FLAG_KNOWN,
  FLAG_LAG_SHIFT,
  FLAG_VALID_PRIMARY,
  FLAG_VALID_REPLICA,
} from '../../../../actors/protocol/actor.js'
import { routes } from '../../../../http/api/index.js'
import { parseRoleQuestion } from '../../../../http/api/kit/role-check.js'
import { createMatcher } from '../../../support/http/find-row.js'
import { startTestGateway, type TestGateway } from '../../../support/http/test-gateway.js'

const C = '/api/clusters/c1'
const find = createMatcher(routes)
const replica = (lag: number | undefined) =>
  FLAG_KNOWN | FLAG_VALID_REPLICA | ((lag === undefined ? 0 : lag + 1) << FLAG_LAG_SHIFT)

describe('createRolePath', () => {
  let test: TestGateway
  before(async () => {
    test = await startTestGateway()
    const { flagWords, gatewayViews, names } = test.face
    flagWords.set('c1/0', FLAG_KNOWN | FLAG_VALID_PRIMARY)
    flagWords.set('c1/1', replica(7))
    flagWords.set('c1/2', replica(undefined))
    flagWords.set('c1/3', FLAG_KNOWN)
    names.add('empty')
    gatewayViews.set('empty', { servers: [], proxies: [], active: true })
  })
  after(() => test.close())

  for (const [path, status, body] of [
    [`${C}/servers/alpha/is-master`, 200, '200 -Valid Master!'],
    [`${C}/servers/db1/is-master`, 200, '200 -Valid Master!'],
    [`${C}/servers/10.0.0.1/is-master`, 200, '200 -Valid Master!'],
    [`${C}/servers/10.0.0.1:3306/is-master`, 200, '200 -Valid Master!'],
    [`${C}/servers/10.0.0.1%3A3306/is-master`, 200, '200 -Valid Master!'],
    [`${C}/servers/10.0.0.1/3306/is-master`, 200, '200 -Valid Master!'],
    [`${C}/servers/10.0.0.1/3306/is-master?x=1`, 200, '200 -Valid Master!'],
    ['/clusters/c1/servers/alpha/master-status', 200, '200 -Valid Master!'],
    [`${C}/servers/beta/is-master`, 503, '503 -Not a Valid Master!'],
    [`${C}/servers/10.0.0.1/3307/is-master`, 503, '503 -Not a Valid Master!'],
    [`${C}/servers/stranger/is-master`, 503, '503 -Not a Valid Master!'],
    ['/api/clusters/c9/servers/alpha/is-master', 500, 'No cluster'],
    ['/api/clusters/c2/servers/alpha/is-master', 503, '503 -Not a Valid Master!'],
    [`${C}/servers/beta/is-slave`, 200, '200 -Valid Slave!'],
    ['/clusters/c1/servers/beta/3306/slave-status', 200, '200 -Valid Slave!'],
    [`${C}/servers/alpha/is-slave`, 503, '503 -Not a Valid Slave!'],
    [`${C}/servers/twin/3308/is-slave`, 503, '503 -Not a Valid Slave!'],
    [`${C}/servers/alpha/primary`, 200, '200 -Valid Master!'],
    [`${C}/servers/10.0.0.1/3306/primary`, 200, '200 -Valid Master!'],
    [`${C}/servers/beta/primary`, 503, '503 -Not a Valid Master!'],
    [`${C}/servers/beta/replica?lag=7`, 200, '200 -Valid Slave!'],
    [`${C}/servers/beta/replica?lag=6s`, 503, '503 -Not a Valid Slave!'],
    [`${C}/servers/twin/3307/replica`, 200, '200 -Valid Slave!'],
    [`${C}/servers/twin/3307/replica?lag=1000`, 503, '503 -Not a Valid Slave!'],
    [`${C}/servers/beta/replica?lag=-1`, 400, 'lag: a number of seconds is expected'],
    [`${C}/primary`, 200, '200 -Valid Master!'],
    [`${C}/replica`, 200, '200 -Valid Slave!'],
    [`${C}/replica?lag=3`, 503, '503 -Not a Valid Slave!'],
    ['/api/clusters/empty/primary', 503, '503 -Not a Valid Master!'],
    ['/api/clusters/c9/primary', 500, 'No cluster'],
  ] as const) {
    it(`finds ${path} in the table of routes`, () => {
      expect(find('GET', path.split('?')[0] ?? '').type).to.equal('found')
    })

    it(`answers ${path} with ${status}`, async () => {
      const answer = await test.ask(path)
      expect([answer.status, answer.body]).to.deep.equal([status, body])
      expect(answer.headers['content-type']).to.equal('text/plain; charset=utf-8')
    })
  }

  it('names the servers that have the role when the cluster is asked', async () => {
    expect((await test.ask(`${C}/primary`)).headers['x-servers']).to.equal('10.0.0.1:3306')
    expect((await test.ask(`${C}/replica`)).headers['x-servers']).to.equal('10.0.0.2:3306, twin:3307')
  })

  it('answers every method with the status, since balancers check with any', async () => {
    for (const method of ['GET', 'HEAD', 'OPTIONS', 'POST']) {
      expect((await test.ask(`${C}/servers/alpha/is-master`, { method })).status, method).to.equal(200)
      expect((await test.ask(`${C}/servers/beta/is-master`, { method })).status, method).to.equal(503)
    }
  })

  it('refuses methods with which no balancer checks', async () => {
    for (const method of ['QUERY', 'PATCH', 'PROPFIND', 'TRACE'])
      expect((await test.ask(`${C}/servers/alpha/is-master`, { method })).status, method).to.equal(405)
  })

  it('leaves a preflight to the chain', async () => {
    const headers = { 'Access-Control-Request-Method': 'GET' }
    expect((await test.ask(`${C}/servers/beta/is-master`, { method: 'OPTIONS', headers })).status).to.equal(204)
  })

  it('answers no for a cluster that was stopped, whatever its flags still say', async () => {
    test.face.stopped.set('c1', 'crashed')
    const { status } = await test.ask(`${C}/servers/alpha/is-master`)
    test.face.stopped.delete('c1')
    expect(status).to.equal(503)
  })
})

describe('parseRoleQuestion', () => {
  for (const url of [
    ...[`${C}/is-master`, `${C}/servers/is-master`, `${C}/servers//is-master`, `${C}/servers/a/b/c/is-master`],
    ...[
      `${C}/servers/a//is-master`,
      `${C}/servers/%zz/is-master`,
      `${C}/servers/a%2Fis-master`,
      '/api/clusters//primary',
      `/${C}/primary`,
    ],
    ...[
      `${C}/servers/a/master-status`,
      '/clusters/c1/servers/a/is-master',
      `${C}/proxies/a/is-master`,
      `${C}/primary/`,
    ],
  ]) {
    it(`does not take ${url} for one`, () => expect(parseRoleQuestion(url)).to.equal(undefined))
  }
})
