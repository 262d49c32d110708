import { expect } from 'chai'
import { bareHost, isLoopbackHost, judgeTrust } from '../../../http/client/trust.js'

const caFile = '/etc/ca.pem'

describe('judgeTrust', () => {
  for (const host of ['127.0.0.1', '127.1.2.3', 'localhost', '::1', '[::1]', '::ffff:127.0.0.1'])
    it(`takes any certificate, and plain HTTP, at ${host}`, () => {
      expect(judgeTrust({ host, insecure: false })).to.deep.equal({ checked: false, plain: true })
    })

  for (const host of ['10.0.0.1', 'db1', 'localhost.example.net', '127.0.0.1.example.net', '0.0.0.0', '::2', ''])
    it(`checks certificates, and talks TLS only, at "${host}"`, () => {
      expect(judgeTrust({ host, insecure: false })).to.deep.equal({ checked: true, plain: false })
    })

  it('takes anything where it is configured so', () => {
    expect(judgeTrust({ host: 'db1', insecure: true })).to.deep.equal({ checked: false, plain: true })
  })

  it('checks against a named CA on loopback too, whatever else is said', () => {
    for (const host of ['127.0.0.1', 'db1'])
      for (const insecure of [false, true])
        expect(judgeTrust({ host, insecure, caFile })).to.deep.equal({ checked: true, plain: false })
  })
})

describe('isLoopbackHost', () => {
  it('believes no name but localhost', () => {
    expect(isLoopbackHost('localhost')).to.equal(true)
    expect(isLoopbackHost('LOCALHOST.')).to.equal(false)
  })
})

describe('bareHost', () => {
  it('takes the brackets of an IPv6 address away', () => {
    expect(bareHost('[fe80::1]')).to.equal('fe80::1')
    expect(bareHost('db1')).to.equal('db1')
  })
})
