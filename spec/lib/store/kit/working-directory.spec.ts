// Folders that several callers need at once.
import { existsSync, statSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { makeDirectory } from '../../../../lib/store/kit/working-directory.js'
import { newDirectory } from '../../../support/machine/directories.js'

describe('makeDirectory', () => {
  it('creates every level once for callers at the same time', async () => {
    const root = newDirectory('levels')
    const deep = path.join(root, 'a/b/c')
    await Promise.all(Array.from({ length: 20 }, (_, number) => makeDirectory(path.join(deep, String(number % 2)))))
    expect(['0', '1'].every((name) => existsSync(path.join(deep, name)))).to.equal(true)
    expect(statSync(deep).mode & 0o777).to.equal(0o750)
  })
})
