// Tokens of mails: those of one cluster end before those of another.
import { expect } from 'chai'
import { ONE_TIME_TOKENS, OneTimeTokens } from '../../../../actors/manager/configuration/one-time.js'
import { secret } from '../../../../lib/base/secret.js'

describe('OneTimeTokens', () => {
  const handover = (cluster: string) => ({ type: 'secret', user: 'app', cluster, secret: secret('x') }) as const

  it('of one cluster end no token of another, however many they are', () => {
    const tokens = new OneTimeTokens()
    const other = tokens.offer(handover('b'))
    const first = tokens.offer(handover('a'))
    for (let count = 0; count < 2 * ONE_TIME_TOKENS; count += 1) tokens.offer(handover('a'))
    const last = tokens.offer(handover('a'))
    expect([other, first, last].map((token) => tokens.take(token).ok)).to.deep.equal([true, false, true])
    expect(tokens.take(other).ok, 'a second time').to.equal(false)
  })
})
