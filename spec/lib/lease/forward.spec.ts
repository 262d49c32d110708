import { generateKeyPairSync } from 'node:crypto'
import { expect } from 'chai'
import { type ForwardedRequest, openForward, sealForward } from '../../../lib/lease/index.js'

const keys = generateKeyPairSync('ed25519')
const key = keys.publicKey.export({ format: 'der', type: 'spki' }).toString('base64')
const request: ForwardedRequest = {
  ...{ from: 'a', to: 'b', at: 1_000_000, method: 'POST', url: '/api/clusters/c1/actions/switchover' },
  ...{ user: 'boss', address: '10.0.0.9' },
}
const sealed = sealForward(request, keys.privateKey)
const check = { self: 'b', keyOf: (instance: string) => (instance === 'a' ? key : undefined), at: 1_000_500 }

describe('openForward', () => {
  it('gives what a living instance has sealed for this one', () => {
    expect(openForward(sealed, check)).to.deep.equal(request)
  })

  it('refuses what was sealed for another instance', () => {
    expect(openForward(sealed, { ...check, self: 'c' })).to.equal(undefined)
  })

  it('refuses an instance that is not there, and one with another key', () => {
    expect(openForward(sealed, { ...check, keyOf: () => undefined })).to.equal(undefined)
    const other = generateKeyPairSync('ed25519').publicKey.export({ format: 'der', type: 'spki' }).toString('base64')
    expect(openForward(sealed, { ...check, keyOf: () => other })).to.equal(undefined)
  })

  it('refuses another caller under the same signature', () => {
    const [, signature] = sealed.split('.')
    const altered = Buffer.from(JSON.stringify({ ...request, user: 'admin' })).toString('base64url')
    expect(openForward(`${altered}.${signature}`, check)).to.equal(undefined)
  })

  it('refuses what is older than clocks may differ, or from later', () => {
    for (const at of [request.at + 301_000, request.at - 301_000])
      expect(openForward(sealed, { ...check, at })).to.equal(undefined)
  })

  for (const text of ['', '.', 'x.y', `${Buffer.from('null').toString('base64url')}.`, `${sealed.split('.')[0]}`])
    it(`refuses ${JSON.stringify(text.slice(0, 12))}`, () => {
      expect(openForward(text, check)).to.equal(undefined)
    })
})
