// Tokens on a real folder: good once, for their time, for their server, and never found in a file.
import { execFileSync } from 'node:child_process'
import { readdir, stat } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'chai'
import { unwrap } from '../../../../lib/base/result.js'
import { checkBootstrapToken, makeBootstrapToken, spendBootstrapToken } from '../../../../lib/store/index.js'
import { newDirectory } from '../../../support/machine/directories.js'

describe('bootstrap tokens', () => {
  const make = async (directory: string, lifeMs = 1_000, at = 0) =>
    unwrap(await makeBootstrapToken(directory, { user: 'admin', at, expiresAt: at + lifeMs })).token

  it('are valid once, for the first of several callers', async () => {
    const directory = newDirectory('token')
    const token = await make(directory)
    expect(await checkBootstrapToken(directory, token, 5)).to.equal(true)
    const taken = await Promise.all(Array.from({ length: 8 }, () => spendBootstrapToken(directory, token, 5)))
    expect(taken.filter(Boolean)).to.have.lengthOf(1)
    expect(await checkBootstrapToken(directory, token, 5)).to.equal(false)
  })

  it('are good until their time has passed, and for their own server', async () => {
    const [one, two] = [newDirectory('token'), newDirectory('token')]
    const token = await make(one)
    expect(await checkBootstrapToken(one, token, 999)).to.equal(true)
    expect(await spendBootstrapToken(one, token, 1_000)).to.equal(false)
    expect(await checkBootstrapToken(two, token, 5)).to.equal(false)
    for (const wrong of ['', 'mbt_', `${token}x`, token.slice(4), '../../x'])
      expect(await checkBootstrapToken(one, wrong, 5), wrong).to.equal(false)
  })

  it('leave only their hash behind, for the owner alone', async () => {
    const directory = newDirectory('token')
    const token = await make(directory)
    const [name = ''] = await readdir(path.join(directory, '.tokens'))
    expect(name).to.match(/^[0-9a-f]{64}\.json$/)
    expect((await stat(path.join(directory, '.tokens', name))).mode & 0o777).to.equal(0o600)
    const found = execFileSync('sh', ['-c', `grep -rF -- "${token}" "${directory}" || echo none`]).toString()
    expect(found).to.equal('none\n')
  })

  it('are refused when too many lie unused, and expired ones make room', async () => {
    const directory = newDirectory('token')
    for (let count = 0; count < 32; count += 1) await make(directory)
    const refused = await makeBootstrapToken(directory, { user: 'admin', at: 5, expiresAt: 50 })
    expect(!refused.ok && refused.failure.code).to.equal('wrong-state')
    expect(await make(directory, 10, 1_000)).to.match(/^mbt_/)
    expect(await readdir(path.join(directory, '.tokens'))).to.have.lengthOf(1)
  })
})
