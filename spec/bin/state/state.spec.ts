// The state of a manager archived and put in place: bytes, refusals, encryption, and files that change meanwhile.
import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { create } from 'tar'
import { backupState } from '../../../bin/state/backup-state.js'
import { copyState, listState } from '../../../bin/state/collect.js'
import { restoreState } from '../../../bin/state/restore-state.js'
import { type Configuration, loadConfiguration } from '../../../lib/settings/index.js'
import { FORMAT_FILE, occupy, prepareFormat, RESTORING } from '../../../lib/store/index.js'
import { newDirectory } from '../../support/machine/directories.js'

interface Ground {
  readonly place: string
  readonly data: string
  readonly key: string
  readonly configuration: Configuration
}

async function ground(): Promise<Ground> {
  const place = newDirectory('state')
  const data = path.join(place, 'data')
  const key = path.join(place, 'key')
  mkdirSync(path.join(data, 'shop/db1_3306/data'), { recursive: true })
  mkdirSync(path.join(data, 'backups/shop'), { recursive: true })
  await prepareFormat(data)
  writeFileSync(path.join(data, 'default.toml'), '[saved-default]\n', { mode: 0o600 })
  writeFileSync(path.join(data, 'shop/journal.jsonl'), '{"a":1}\n{"b":2}\n{"unfini')
  writeFileSync(path.join(data, 'shop/db1_3306/data/ibdata1'), 'a database')
  writeFileSync(path.join(data, 'backups/shop/full'), 'a backup')
  writeFileSync(key, `${Buffer.alloc(32, 7).toString('base64')}\n`, { mode: 0o600 })
  const file = path.join(place, 'config.toml')
  writeFileSync(
    file,
    `[Default]\nmonitoring-datadir = ${JSON.stringify(data)}\nmonitoring-key-path = ${JSON.stringify(key)}\n`,
    { mode: 0o640 },
  )
  const loaded = await loadConfiguration({ file })
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.faults))
  return { place, data, key, configuration: loaded.configuration }
}

const messageOf = (result: Awaited<ReturnType<typeof restoreState>>): string =>
  result.ok ? result.value : result.failure.message

describe('backup and restore of the state', () => {
  it('speaks of the key of secrets only where there is one', async () => {
    const { place, key, configuration } = await ground()
    const wishes = [{ file: path.join(place, 'a') }, { file: path.join(place, 'b'), keys: path.join(place, 'keys') }]
    const texts = async () => (await Promise.all(wishes.map((wish) => backupState(configuration, wish)))).map(messageOf)
    const [plain, sealed] = await texts()
    expect(plain).to.contain(`the key ${key} is not in it`)
    expect(sealed).to.contain('contains the key of secrets')
    rmSync(key)
    for (const text of await texts()) expect(text).to.contain(`there is no key of secrets (${key})`)
  })

  it('restores every file with its bytes and mode in another directory, whole lines only, without backups and data of databases', async () => {
    const { place, data, configuration } = await ground()
    const file = path.join(place, 'state.tar.gz')
    expect(messageOf(await backupState(configuration, { file }))).to.contain('is not encrypted')
    expect(statSync(file).mode & 0o777).to.equal(0o600)
    const target = path.join(place, 'elsewhere')
    expect(messageOf(await restoreState({ file, directory: target }))).to.contain('format 1')
    expect(await listState(target)).to.deep.equal(await listState(data))
    expect(await listState(target)).to.deep.equal(['default.toml', FORMAT_FILE, 'shop/journal.jsonl'].sort())
    expect(readFileSync(path.join(target, 'shop/journal.jsonl'), 'utf8')).to.equal('{"a":1}\n{"b":2}\n')
    expect(statSync(path.join(target, 'default.toml')).mode & 0o777).to.equal(0o600)
    expect(readdirSync(place).filter((name) => name.startsWith('.'))).to.deep.equal([])
  })

  it('encrypts for a key that it creates, and then contains the key of secrets; another key opens nothing', async () => {
    const { place, key, configuration } = await ground()
    const file = path.join(place, 'state.age')
    const keys = path.join(place, 'state-keys.txt')
    expect(messageOf(await backupState(configuration, { file, keys }))).to.contain('is encrypted')
    expect(readFileSync(file).includes('saved-default')).to.equal(false)
    expect(messageOf(await restoreState({ file, directory: path.join(place, 'a') }))).to.contain(
      'name the file of its key',
    )
    renameSync(key, `${key}.lost`)
    expect(messageOf(await restoreState({ file, keys, directory: path.join(place, 'a') }))).to.contain(
      `${key}: written`,
    )
    expect(readFileSync(key)).to.deep.equal(readFileSync(`${key}.lost`))
    expect(statSync(key).mode & 0o777).to.equal(0o600)
    const other = path.join(place, 'other-keys.txt')
    await backupState(configuration, { file: path.join(place, 'other'), keys: other })
    expect((await restoreState({ file, keys: other, directory: path.join(place, 'b') })).ok).to.equal(false)
  })

  it('keeps the former state, and a configuration that differs', async () => {
    const { place, data, configuration } = await ground()
    const file = path.join(place, 'state.tar.gz')
    await backupState(configuration, { file })
    writeFileSync(path.join(data, 'default.toml'), 'changed since')
    appendFileSync(path.join(place, 'config.toml'), '# edited\n')
    const said = messageOf(await restoreState({ file, directory: data }))
    expect(said).to.contain('config.toml differs and was kept')
    const [former = ''] = readdirSync(data).filter((name) => name.startsWith('.replaced-'))
    expect(readFileSync(path.join(data, former, 'default.toml'), 'utf8')).to.equal('changed since')
    expect(readFileSync(path.join(data, 'default.toml'), 'utf8')).to.equal('[saved-default]\n')
    expect(readFileSync(path.join(data, 'backups/shop/full'), 'utf8')).to.equal('a backup')
  })

  it('refuses a running manager, a newer format, another layout, a damaged archive and what is no archive; nothing changes', async () => {
    const { place, data, configuration } = await ground()
    const file = path.join(place, 'state.tar.gz')
    await backupState(configuration, { file })
    const target = path.join(place, 'target')
    mkdirSync(target)
    writeFileSync(path.join(target, 'mine'), 'x')
    const altered = async (name: string, change: (manifest: Record<string, unknown>) => void) => {
      const folder = newDirectory('altered')
      mkdirSync(path.join(folder, 'state'))
      const manifest = {
        kind: 'manager-state',
        layout: 1,
        format: 1,
        version: '9.0.0',
        directory: target,
        files: [{ name: 'state/a', sha256: '00', mode: 0o600 }],
      }
      change(manifest)
      writeFileSync(path.join(folder, 'manifest.json'), JSON.stringify(manifest))
      writeFileSync(path.join(folder, 'state/a'), 'a')
      await create({ cwd: folder, file: path.join(place, name), gzip: true }, ['manifest.json', 'state/a'])
      return messageOf(await restoreState({ file: path.join(place, name), directory: target }))
    }
    expect(await altered('newer', (manifest) => Object.assign(manifest, { format: 99 }))).to.contain(
      'format 99, written by manager 9.0.0',
    )
    expect(await altered('layout', (manifest) => Object.assign(manifest, { layout: 2 }))).to.contain('layout 2')
    expect(
      await altered('outside', (manifest) =>
        Object.assign(manifest, { files: [{ name: '../a', sha256: '', mode: 0o600 }] }),
      ),
    ).to.contain('outside of it')
    expect(await altered('damaged', () => undefined)).to.contain('damaged: state/a')
    writeFileSync(path.join(place, 'text'), 'no archive')
    expect((await restoreState({ file: path.join(place, 'text'), directory: target })).ok).to.equal(false)
    expect(readdirSync(target)).to.deep.equal(['mine'])
    await occupy(data)
    expect(messageOf(await restoreState({ file, directory: data }))).to.contain('stop it first')
  })
})

describe('copyState', () => {
  it('copies one moment: two files that are replaced together never come from two', async () => {
    const { data, place } = await ground()
    let turn = 0
    const replace = () => {
      turn += 1
      for (const name of ['one.json', 'two.json']) {
        writeFileSync(path.join(data, `${name}.tmp`), String(turn))
        renameSync(path.join(data, `${name}.tmp`), path.join(data, name))
      }
    }
    replace()
    const busy = setInterval(replace, 2)
    setTimeout(() => clearInterval(busy), 600)
    const copied = await copyState(data, path.join(place, 'copy'))
    clearInterval(busy)
    expect(copied.ok).to.equal(true)
    const texts = ['one.json', 'two.json'].map((name) => readFileSync(path.join(place, 'copy', name), 'utf8'))
    expect(texts[0]).to.equal(texts[1])
  })

  it('leaves out what an interrupted restore left', async () => {
    const { data } = await ground()
    mkdirSync(path.join(data, RESTORING))
    writeFileSync(path.join(data, RESTORING, 'x'), '')
    expect((await listState(data)).filter((name) => name.includes('restoring'))).to.deep.equal([])
  })
})
