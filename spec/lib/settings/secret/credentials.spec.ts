import { expect } from 'chai'
import { reveal, secret } from '../../../../lib/base/secret.js'
import { credentials } from '../../../../lib/settings/secret/credentials.js'

describe('credentials', () => {
  for (const [text, user, password] of [
    ['root:maria:db', 'root', 'maria:db'],
    ['root:', 'root', ''],
    ['root', 'root', ''],
    ['', '', ''],
  ] as const)
    it(`splits ${text || 'nothing'} at the first colon`, () => {
      const split = credentials(secret(text))
      expect([split.user, reveal(split.password)]).to.deep.equal([user, password])
    })
})
