// Paths to rows: the rows on koa's router, and which of several wins.
import { expect } from 'chai'
import { routes } from '../../../../http/api/index.js'
import { listRoutes, type Method, route } from '../../../../http/api/kit/route.js'
import { nounOf } from '../../../../http/gateway/request/router.js'
import { ok } from '../../../../lib/base/result.js'
import { createMatcher } from '../../../support/http/find-row.js'

const row = (methods: readonly Method[], ...paths: [string, ...string[]]) =>
  route({
    methods,
    paths,
    summary: 'A row.',
    grant: 'none',
    reply: { status: 200, type: 'empty' },
    failures: {},
    answer: () => ok(undefined),
  })

const find = createMatcher(
  listRoutes({
    failover: row(['GET', 'POST'], '/api/clusters/:cluster/tasks/failover'),
    list: row(['GET'], '/api/clusters'),
    one: row(['GET'], '/api/clusters/:cluster'),
    peers: row(['GET'], '/api/clusters/peers'),
    reload: row(['POST'], '/api/clusters/settings/tasks/reload'),
    any: row(['GET', 'POST'], '/api/clusters/:cluster/tasks/:action'),
    check: row(
      ['GET'],
      '/api/clusters/:cluster/servers/:server/need',
      '/api/clusters/:cluster/servers/:server/:port/need',
    ),
    set: row(['POST'], '/api/set/:name/:value', '/api/set/:name/'),
  }),
)

function found(method: string, path: string) {
  const result = find(method, path)
  return result.type === 'found' ? { id: result.route.id, ...result.params } : result.type
}

describe('createRouter', () => {
  for (const [method, path, expected] of [
    ['GET', '/api/clusters', { id: 'list' }],
    ['HEAD', '/api/clusters', { id: 'list' }],
    ['GET', '/api/clusters/c1', { id: 'one', cluster: 'c1' }],
    ['GET', '/api/clusters/c1/servers/a/3306/need', { id: 'check', cluster: 'c1', server: 'a', port: '3306' }],
    ['GET', '/api/clusters/c1/servers/a/need', { id: 'check', cluster: 'c1', server: 'a' }],
    ['POST', '/api/set/dir/%2Fvar%2Flib', { id: 'set', name: 'dir', value: '/var/lib' }],
    ['POST', '/api/set/dir/', { id: 'set', name: 'dir' }],
    ['POST', '/api/set/dir/%C3%A9', { id: 'set', name: 'dir', value: 'é' }],
  ] as const) {
    it(`takes ${method} ${path}`, () => expect(found(method, path)).to.deep.equal(expected))
  }

  describe('of several rows', () => {
    for (const [method, path, expected] of [
      ['GET', '/api/clusters/peers', { id: 'peers' }],
      ['POST', '/api/clusters/settings/tasks/reload', { id: 'reload' }],
      ['POST', '/api/clusters/settings/tasks/failover', { id: 'failover', cluster: 'settings' }],
      ['GET', '/api/clusters/settings/tasks/reload', { id: 'any', cluster: 'settings', action: 'reload' }],
      ['POST', '/api/clusters/c1/tasks/failover', { id: 'failover', cluster: 'c1' }],
      ['POST', '/api/clusters/c1/tasks/reload', { id: 'any', cluster: 'c1', action: 'reload' }],
    ] as const) {
      it(`gives ${method} ${path} to ${expected.id}`, () => expect(found(method, path)).to.deep.equal(expected))
    }

    it('takes the one that is literal earliest, whatever the order of the table', () => {
      const rows = {
        param: row(['GET'], '/x/:one/b'),
        literal: row(['GET'], '/x/a/:two'),
        both: row(['GET'], '/x/a/b'),
      }
      const orders = [
        ['param', 'literal', 'both'],
        ['both', 'literal', 'param'],
        ['literal', 'both', 'param'],
      ] as const
      for (const order of orders) {
        const match = createMatcher(listRoutes(Object.fromEntries(order.map((id) => [id, rows[id]]))))
        const ids = ['/x/a/b', '/x/a/c', '/x/c/b'].map((path) => {
          const result = match('GET', path)
          return result.type === 'found' ? result.route.id : result.type
        })
        expect(ids, order.join()).to.deep.equal(['both', 'literal', 'param'])
      }
    })
  })

  for (const path of [
    ...['/api//clusters', '//api/clusters', '/api/clusters/', '/API/clusters', '/api/Clusters', '/api/clusters.'],
    ...[
      '/api/./clusters',
      '/api/clusters/..',
      '/api/clusters/.',
      '/api/%63lusters',
      '/api/clusters/c1%2Ftasks/failover/x',
    ],
    ...['/api\\clusters', '/api/clusters;x=1', '/api/clusters#x', '/api/clusters\u00a0', '', '/'],
    ...['/api/clusters/c1/tasks/failover/', '/api/clusters//tasks/failover'],
  ]) {
    it(`finds nothing at '${path}'`, () => expect(find('GET', path).type).to.equal('none'))
  }

  it('names the methods of a path that has others', () => {
    expect(find('DELETE', '/api/clusters/c1/tasks/failover')).to.deep.equal({
      type: 'method',
      allow: ['GET', 'POST', 'HEAD', 'OPTIONS'],
    })
    expect(find('PATCH', '/api/clusters').type).to.equal('method')
  })

  it('refuses tables in which two rows claim one path', () => {
    const twice = () => createMatcher(listRoutes({ a: row(['GET'], '/x/:one'), b: row(['GET'], '/x/:two') }))
    expect(twice).to.throw('GET /x/:two belongs to both a and b')
  })

  it('has a router for each action of a cluster', () => {
    expect(nounOf('/api/clusters/c1/actions/switchover')).to.equal('/actions/switchover')
    expect(nounOf('/api/clusters/c1/actions/dropserver/10.0.0.1/3306')).to.equal('/actions/dropserver')
    expect(nounOf('/api/clusters/c1/actions')).to.equal('/actions')
  })

  it('refuses a row without a literal noun', () => {
    const rows = listRoutes({ a: row(['GET'], '/api/clusters/:cluster/:what') })
    expect(() => createMatcher(rows)).to.throw('has a parameter where its noun belongs')
  })

  it('finds every row of the interface at each of its paths and methods, with the values of its parameters', () => {
    const match = createMatcher(routes)
    for (const { id, paths, methods } of routes) {
      for (const path of paths) {
        const filled = path.replace(/:(\w+)/g, 'x-$1')
        for (const method of methods) {
          const result = match(method, filled)
          const names = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name)
          const params = Object.fromEntries(names.map((name) => [name, `x-${name}`]))
          expect(result.type === 'found' ? { id: result.route.id, params: { ...result.params } } : result, path) //
            .to.deep.equal({ id, params })
        }
      }
    }
  })

  it('keeps every router short: the paths of a noun are tried one by one', () => {
    const counts = new Map<string, number>()
    for (const path of routes.flatMap(({ paths }) => paths))
      counts.set(nounOf(path), (counts.get(nounOf(path)) ?? 0) + 1)
    const long = [...counts].filter(([, count]) => count > 45).map(([noun]) => noun)
    expect(long).to.deep.equal(['/servers'])
  })
})
