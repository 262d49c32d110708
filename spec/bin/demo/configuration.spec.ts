import { statSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { configurationFile, type Demo, newPassword, readDemo, writeDemo } from '../../../bin/demo/configuration.js'
import { reveal } from '../../../lib/base/secret.js'
import { loadConfiguration } from '../../../lib/settings/index.js'
import { newDirectory } from '../../support/machine/directories.js'

const demo = (directory: string): Demo => ({
  directory,
  ports: { api: 20005, http: 20001, db1: 23306, db2: 23307, db3: 23308 },
  password: 'a-password',
  databasePassword: 'another',
})

describe('writeDemo', () => {
  it('writes a configuration without a fault or a warning, with what was chosen', async () => {
    const directory = path.join(newDirectory('demo'), 'data')
    await writeDemo(demo(directory))
    const loaded = await loadConfiguration({ file: configurationFile(directory) })
    if (!loaded.ok) throw new Error(JSON.stringify(loaded.faults))
    expect(loaded.warnings).to.deep.equal([])
    const { server, clusters } = loaded.configuration
    expect(server.settings['api-port']).to.equal(20005)
    expect(reveal(server.settings['api-credentials'])).to.equal('admin:a-password')
    const cluster = clusters.get('demo')?.settings
    expect(cluster?.['db-servers-hosts']).to.deep.equal(['127.0.0.1:23306', '127.0.0.1:23307', '127.0.0.1:23308'])
    expect(cluster?.['failover-mode']).to.equal('automatic')
    expect(cluster?.['api-config-download-tokens'], 'WARN0310').to.equal(true)
  })

  it('keeps the files, which hold passwords, and the folder that it creates for their owner', async () => {
    const directory = path.join(newDirectory('demo'), 'data')
    await writeDemo(demo(directory))
    expect((statSync(directory).mode & 0o777).toString(8)).to.equal('700')
    for (const name of ['config.toml', 'demo.json'])
      expect((statSync(path.join(directory, name)).mode & 0o777).toString(8), name).to.equal('600')
  })
})

describe('readDemo', () => {
  it('gives what the last run chose, wherever the folder was moved to', async () => {
    const directory = newDirectory('demo')
    await writeDemo({ ...demo(directory) })
    expect(await readDemo(directory)).to.deep.equal(demo(directory))
  })

  it('gives nothing on the first run', async () => {
    expect(await readDemo(newDirectory('demo'))).to.equal(undefined)
  })
})

describe('newPassword', () => {
  it('is another each time, and of letters that shells and lists leave alone', () => {
    const passwords = Array.from({ length: 50 }, newPassword)
    expect(new Set(passwords).size).to.equal(50)
    for (const password of passwords) expect(password).to.match(/^[\w-]{12}$/)
  })
})
