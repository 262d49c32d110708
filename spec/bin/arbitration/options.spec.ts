import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { readArbitratorOptions } from '../../../bin/arbitration/options.js'
import { packageRoot } from '../../../lib/base/package-root.js'
import { newDirectory } from '../../support/machine/directories.js'

const SECRET = 'sixteen letters!'

describe('readArbitratorOptions', () => {
  const read = (text: string, secrets = `# a fleet\n${SECRET}\n\n`) => {
    const directory = newDirectory('arbitrator')
    writeFileSync(path.join(directory, 'secrets'), secrets)
    writeFileSync(path.join(directory, 'a.toml'), text.replace('SECRETS', path.join(directory, 'secrets')))
    return readArbitratorOptions(path.join(directory, 'a.toml'))
  }

  it('needs no more than the secrets', async () => {
    expect(await read('secrets-file = "SECRETS"')).to.deep.equal({
      ok: true,
      value: {
        ...{ listen: { host: '0.0.0.0', port: 10_012 }, secrets: [SECRET], leaseMs: 10_000 },
        stateFile: '/var/lib/manager-arbitrator/state.json',
      },
    })
  })

  it('reads address, lease and file', async () => {
    const text = 'secrets-file = "SECRETS"\nlisten = "[::1]:7"\nlease = 5\nstate-file = "/s.json"'
    const options = await read(text, `${SECRET}\n${SECRET}2\n`)
    expect(options.ok && options.value).to.deep.equal({
      ...{ listen: { host: '::1', port: 7 }, secrets: [SECRET, `${SECRET}2`], leaseMs: 5_000, stateFile: '/s.json' },
    })
  })

  for (const [text, secrets, problem] of [
    ['', undefined, /secrets-file/],
    ['secrets-file = "SECRETS"', '# none\n', /there is no secret/],
    ['secrets-file = "SECRETS"', 'short\n', /at least 16 characters/],
    ['secrets-file = "SECRETS"\nlease = 4', undefined, /lease/],
    ['secrets-file = "SECRETS"\nlisten = "a b"', undefined, /host:port/],
    ['secrets-file = "SECRETS"\nlisen = "x"', undefined, /lisen/],
    ['secrets-file = "/nowhere/secrets"', undefined, /no such file/],
  ] as const)
    it(`refuses ${text.replaceAll('\n', ', ')} with ${secrets?.trim() ?? 'a secret'}`, async () => {
      const options = await read(text, secrets)
      expect(!options.ok && options.failure.message).to.match(problem)
    })
})

describe('bin/arbitrator', () => {
  it('ends with 2 where its configuration has errors', () => {
    const { status, stderr } = spawnSync(
      process.execPath,
      [path.join(packageRoot, 'bin/arbitrator'), '/nowhere.toml'],
      {
        encoding: 'utf8',
      },
    )
    expect([status, stderr]).to.deep.equal([
      2,
      "/nowhere.toml: ENOENT: no such file or directory, open '/nowhere.toml'\n",
    ])
  })
})
