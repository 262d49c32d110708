import type { IncomingMessage } from 'node:http'
import { expect } from 'chai'
import { clientAddress } from '../../../../http/gateway/request/client-address.js'

describe('clientAddress', () => {
  const trusted = ['10.0.0.0/8', 'fd00::/8']
  for (const [title, peer, forwarded, address] of [
    ['the connection, without a header', '10.0.0.1', undefined, '10.0.0.1'],
    ['what a trusted proxy says', '10.0.0.1', '192.0.2.7', '192.0.2.7'],
    ['the connection of a stranger, whatever it says', '192.0.2.1', '192.0.2.7', '192.0.2.1'],
    ['the first that is not trusted, from the end', '10.0.0.1', '1.1.1.1, 192.0.2.7, 10.0.0.2', '192.0.2.7'],
    ['an IPv6 client', 'fd00::1', '2001:db8::7', '2001:db8::7'],
    ['a mapped peer', '::ffff:10.0.0.1', '192.0.2.7', '192.0.2.7'],
    ['the last that can be read', '10.0.0.1', 'nonsense, 10.0.0.2', '10.0.0.2'],
  ] as const)
    it(`is ${title}`, () => {
      const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }
      const request = { socket: { remoteAddress: peer }, headers } as unknown as IncomingMessage
      expect(clientAddress(request, trusted)).to.equal(address)
      expect(clientAddress(request, [])).to.equal(peer)
    })
})
