import { expect } from 'chai'
import { endpointsOf } from '../../../../bin/cli/kit/endpoints.js'

describe('endpointsOf', () => {
  const places = (host: string) =>
    endpointsOf({ host, port: 10_005, insecure: false }).map(({ host: own, port }) => `${own} ${port}`)
  for (const [text, wanted] of [
    ['db-admin', ['db-admin 10005']],
    ['a,b:10006', ['a 10005', 'b 10006']],
    ['a, b ,', ['a 10005', 'b 10005']],
    ['::1', ['::1 10005']],
    ['[::1]:10007,10.0.0.1:1', ['[::1] 10007', '10.0.0.1 1']],
  ] as const)
    it(`reads ${text}`, () => {
      expect(places(text)).to.deep.equal(wanted)
    })
})
