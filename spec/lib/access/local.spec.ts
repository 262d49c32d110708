// Requests of this machine's own user, and those that only resemble it.
import { expect } from 'chai'
import { isLocal, isLoopback } from '../../../lib/access/local.js'

describe('isLoopback', () => {
  for (const address of ['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1']) {
    it(`holds for ${address}`, () => expect(isLoopback(address)).to.equal(true))
  }
  for (const address of ['10.0.0.1', '::ffff:10.0.0.1', '128.0.0.1', '127.0.0.1.example.org', '', '::2']) {
    it(`does not hold for '${address}'`, () => expect(isLoopback(address)).to.equal(false))
  }
})

describe('isLocal', () => {
  const from = (headers: Record<string, string>, address = '127.0.0.1') => isLocal({ address, headers })

  it('holds for a plain request to a loopback name', () => {
    expect(from({ host: 'localhost:10005' })).to.equal(true)
    expect(from({ host: '[::1]:10005' }, '::1')).to.equal(true)
    expect(from({})).to.equal(true)
  })

  it('holds for a page that this machine served', () => {
    expect(from({ host: '127.0.0.1:10005', origin: 'http://127.0.0.1:10005' })).to.equal(true)
  })

  for (const [what, headers] of [
    ['a proxy forwards', { host: 'localhost', 'x-forwarded-for': '10.0.0.9' }],
    ['a proxy names itself', { host: 'localhost', forwarded: 'for=10.0.0.9' }],
    ['a page from elsewhere makes', { host: 'localhost:10005', origin: 'https://example.org' }],
    ['a sandboxed page makes', { host: 'localhost:10005', origin: 'null' }],
    ['comes by a foreign name', { host: 'rebound.example.org:10005' }],
    ['comes by a foreign name over HTTP/2', { ':authority': 'rebound.example.org:10005' }],
    ['comes by a name that only begins like ours', { host: 'localhost.example.org' }],
  ] as const) {
    it(`does not hold for what ${what}`, () => expect(from(headers)).to.equal(false))
  }

  it('does not hold for another address', () => {
    expect(from({ host: 'localhost' }, '10.0.0.1')).to.equal(false)
  })
})
