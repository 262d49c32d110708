// The first key of a cluster's backups: one, however many create it at once.
import path from 'node:path'
import { expect } from 'chai'
import { addKey, ensureKeys, readKeys } from '../../../../lib/backup/stream/keys.js'
import { unwrap } from '../../../../lib/base/result.js'
import { newDirectory } from '../../../support/machine/directories.js'

describe('the keys of backups', () => {
  it('have one first key, which all requests made at once get', async () => {
    const file = path.join(newDirectory('keys'), 'keys.txt')
    const answers = (await Promise.all(Array.from({ length: 12 }, () => ensureKeys(file, 0)))).map(unwrap)
    const { identities, recipient } = unwrap(await readKeys(file))
    expect(identities).to.have.length(1)
    expect(new Set(answers)).to.deep.equal(new Set([recipient]))
  })

  it('keep the keys before a new one', async () => {
    const file = path.join(newDirectory('keys'), 'keys.txt')
    const first = unwrap(await ensureKeys(file, 0))
    const second = unwrap(await addKey(file, 1))
    expect(unwrap(await readKeys(file)).identities).to.have.length(2)
    expect(unwrap(await ensureKeys(file, 2)))
      .to.equal(second)
      .and.not.equal(first)
  })
})
