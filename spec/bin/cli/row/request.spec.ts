// What a row's command sends.
import { expect } from 'chai'
import { describeRow } from '../../../../bin/cli/row/describe.js'
import { type Given, parseField, requestOf, splitAddress } from '../../../../bin/cli/row/request.js'
import { routes } from '../../../../http/api/index.js'

const commands = routes.map(describeRow)

function request(name: string, given: Partial<Given>) {
  const command = commands.find(({ noun, verb }) => `${noun} ${verb}` === name)
  if (!command) throw new Error(`no row is ${name}`)
  return requestOf(command, { arguments: {}, flags: {}, cluster: 'shop', ...given })
}

describe('requestOf', () => {
  it('reads with GET and acts with POST, whatever else a row takes', () => {
    expect(request('server list', {})).to.deep.equal({ method: 'GET', path: '/api/clusters/shop/topology/servers' })
    expect(request('server stop', { arguments: { server: 'db1' } })).to.deep.equal({
      method: 'POST',
      path: '/api/clusters/shop/servers/db1/actions/stop',
    })
    expect(request('token revoke', { arguments: { token: 'a1' } })).to.deep.include({ method: 'DELETE' })
  })

  it('hides nothing of a word in its path', () => {
    expect(request('server start', { arguments: { server: '[::1]:3306/x' } }).path).to.equal(
      '/api/clusters/shop/servers/%5B%3A%3A1%5D%3A3306%2Fx/actions/start',
    )
  })

  it('splits an address where the path wants host and port', () => {
    expect(request('server add', { arguments: { address: '[::1]:3307' } }).path).to.equal(
      '/api/clusters/shop/actions/addserver/%3A%3A1/3307',
    )
    expect(request('server add', { arguments: { address: 'db1:3307', type: 'mysql' } }).path).to.match(/3307\/mysql$/)
    expect(request('need start', { arguments: { server: 'db1:3307' } }).path).to.match(
      /servers\/db1\/3307\/need-start$/,
    )
  })

  it('takes the spelling that uses what is given', () => {
    expect(request('setting switch', { arguments: { setting: 'verbose' } }).path).to.match(/switch\/verbose$/)
    expect(request('setting switch', { arguments: { setting: 'verbose', state: 'on' } }).path).to.match(/verbose\/on$/)
    expect(request('check is-master', { arguments: { server: 'db1:3306' } }).path).to.equal(
      '/api/clusters/shop/servers/db1%3A3306/is-master',
    )
  })

  it('sends values that may hold anything in the body', () => {
    expect(request('setting set', { arguments: { setting: 'mail-to', value: 'a/b?c' } })).to.deep.equal({
      method: 'POST',
      path: '/api/clusters/shop/settings/actions/set/mail-to',
      body: { value: 'a/b?c' },
    })
  })

  it('sends fields as their rows take them', () => {
    expect(
      request('token create', { arguments: { label: 'ci' }, flags: { clusters: 'a, b', expireDays: '7' } }).body,
    ).to.deep.equal({ label: 'ci', clusters: ['a', 'b'], expireDays: 7 })
    expect(request('cluster logs', { flags: { limit: '5', filter: 'a b' } }).path).to.match(
      /logs\?limit=5&filter=a\+b$/,
    )
    expect(request('server stop', { arguments: { server: 'db1' }, flags: { force: true } }).path).to.match(
      /\?force=true$/,
    )
  })

  it('gives the cluster as a field where a row has it there', () => {
    expect(request('monitor heartbeat', {}).path).to.equal('/api/heartbeat?cluster=shop')
  })
})

describe('parseField', () => {
  for (const [kind, given, value] of [
    ['boolean', true, true],
    ['number', '1.5', 1.5],
    ['list', 'a,b', ['a', 'b']],
    ['json', '{"a":1}', { a: 1 }],
    ['text', '007', '007'],
  ] as const)
    it(`reads ${kind}`, () => expect(parseField({ kind, flag: 'f' }, given)).to.deep.equal(value))

  it('refuses what is none', () => {
    expect(() => parseField({ kind: 'number', flag: 'limit' }, 'x')).to.throw('--limit: x is not a number')
    expect(() => parseField({ kind: 'json', flag: 'rule' }, '{')).to.throw('--rule is not JSON')
  })
})

describe('splitAddress', () => {
  it('needs a port', () => {
    expect(() => splitAddress('db1')).to.throw('db1 is not an address of the form host:port')
  })
})
