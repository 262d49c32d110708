// Paths to rows.
import { expect } from 'chai'
import { listRoutes, type Method, route } from '../../../http/api/kit/route.js'
import { createMatcher } from '../../../http/gateway/match.js'
import { ok } from '../../../lib/base/result.js'

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
    list: row(['GET'], '/api/clusters'),
    one: row(['GET'], '/api/clusters/:cluster'),
    reload: row(['POST'], '/api/clusters/settings/actions/reload'),
    failover: row(['GET', 'POST'], '/api/clusters/:cluster/actions/failover'),
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
  if (result.type !== 'found') return result.type
  const { match } = result
  return match.ok ? { id: match.value.route.id, ...match.value.params } : match.failure.code
}

describe('createMatcher', () => {
  for (const [method, path, expected] of [
    ['GET', '/api/clusters', { id: 'list' }],
    ['HEAD', '/api/clusters', { id: 'list' }],
    ['GET', '/api/clusters/c1', { id: 'one', cluster: 'c1' }],
    ['POST', '/api/clusters/settings/actions/reload', { id: 'reload' }],
    ['POST', '/api/clusters/settings/actions/failover', { id: 'failover', cluster: 'settings' }],
    ['GET', '/api/clusters/c1/servers/a/3306/need', { id: 'check', cluster: 'c1', server: 'a', port: '3306' }],
    ['GET', '/api/clusters/c1/servers/a/need', { id: 'check', cluster: 'c1', server: 'a' }],
    ['POST', '/api/set/dir/%2Fvar%2Flib', { id: 'set', name: 'dir', value: '/var/lib' }],
    ['POST', '/api/set/dir/', { id: 'set', name: 'dir' }],
    ['POST', '/api/set/dir/%C3%A9', { id: 'set', name: 'dir', value: 'é' }],
  ] as const) {
    it(`takes ${method} ${path}`, () => expect(found(method, path)).to.deep.equal(expected))
  }

  for (const path of [
    ...['/api//clusters', '//api/clusters', '/api/clusters/', '/API/clusters', '/api/Clusters', '/api/clusters.'],
    ...[
      '/api/./clusters',
      '/api/clusters/..',
      '/api/clusters/.',
      '/api/%63lusters',
      '/api/clusters/c1%2Factions/failover/x',
    ],
    ...['/api\\clusters', '/api/clusters;x=1', '', '/', '/api/clusters/c1/actions/failover/'],
  ]) {
    it(`finds nothing at '${path}'`, () => expect(find('GET', path).type).to.equal('none'))
  }

  for (const path of [
    '/api/clusters/%2e%2e',
    '/api/clusters/%2E',
    '/api/clusters/a%00b',
    '/api/clusters/a%0d%0ab',
    '/api/clusters/%ZZ',
    '/api/clusters/%C3',
  ]) {
    it(`refuses to decode ${path}`, () => expect(found('GET', path)).to.equal('bad-request'))
  }

  it('names the methods of a path that has others', () => {
    expect(find('DELETE', '/api/clusters/c1/actions/failover')).to.deep.equal({
      type: 'method',
      allow: ['GET', 'POST', 'HEAD', 'OPTIONS'],
    })
    expect(find('get', '/api/clusters').type).to.equal('method')
  })

  it('refuses tables in which two rows claim one path', () => {
    const twice = () => createMatcher(listRoutes({ a: row(['GET'], '/x/:one'), b: row(['GET'], '/x/:two') }))
    expect(twice).to.throw('GET /x/:two belongs to both a and b')
  })
})
