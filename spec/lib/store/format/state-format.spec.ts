import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import type { Migration } from '../../../../lib/store/format/migrations.js'
import {
  currentFormat,
  FORMAT_FILE,
  moveFormat,
  prepareFormat,
  RESTORING,
  readFormat,
} from '../../../../lib/store/format/state-format.js'
import { newDirectory } from '../../../support/machine/directories.js'

const value = async (directory: string) => {
  const found = await readFormat(directory)
  return found.ok ? found.value?.format : found.failure.message
}

/** A later release that renames a file. */
const later: readonly Migration[] = [
  { change: 'the number' },
  {
    change: 'a is called b',
    forwards: async (directory) => rename(directory, 'a', 'b'),
    back: async (directory) => rename(directory, 'b', 'a'),
  },
]

function rename(directory: string, from: string, to: string): void {
  if (!existsSync(path.join(directory, from))) return
  writeFileSync(path.join(directory, to), readFileSync(path.join(directory, from)))
  writeFileSync(path.join(directory, from), '')
}

function directoryWith(files: Readonly<Record<string, string>>): string {
  const directory = newDirectory('format')
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(directory, name), text)
  return directory
}

describe('state format', () => {
  it('is written into a new directory', async () => {
    const directory = newDirectory('format')
    expect(await prepareFormat(directory)).to.deep.include({ ok: true })
    expect(await value(directory)).to.equal(currentFormat)
  })

  it('brings a directory of a version without numbers forwards, and back, and changes nothing else', async () => {
    const directory = directoryWith({ 'default.toml': 'x' })
    expect(await value(directory)).to.equal(0)
    await prepareFormat(directory)
    expect(await value(directory)).to.equal(currentFormat)
    expect(await moveFormat(directory, 0)).to.deep.include({ ok: true })
    expect(readdirSync(directory)).to.deep.equal(['default.toml'])
  })

  it('runs the migrations of a later release one by one in both directions', async () => {
    const directory = directoryWith({ a: 'kept' })
    await prepareFormat(directory, later)
    expect(readFileSync(path.join(directory, 'b'), 'utf8')).to.equal('kept')
    expect(await moveFormat(directory, 1, later)).to.deep.include({ ok: true })
    expect(readFileSync(path.join(directory, 'a'), 'utf8')).to.equal('kept')
    expect(await value(directory)).to.equal(1)
  })

  it('refuses a newer format and names the version that wrote it', async () => {
    const directory = directoryWith({ [FORMAT_FILE]: '{"format":2,"version":"0.2.0"}' })
    const refused = await prepareFormat(directory)
    expect(refused.ok ? '' : refused.failure.message).to.match(
      /format 2, written by manager 0\.2\.0; this is manager .* format 1\./,
    )
    expect(await value(directory)).to.equal(2)
  })

  it('keeps the number when a migration fails, so that the next start repeats it', async () => {
    const directory = directoryWith({ a: 'kept' })
    const failing: Migration = { change: 'x', forwards: () => Promise.reject(new Error('disk full')) }
    const moved = await prepareFormat(directory, [{ change: 'the number' }, failing])
    expect(moved.ok ? '' : moved.failure.message).to.contain('stays in format 1: disk full')
    expect(await value(directory)).to.equal(1)
  })

  it('refuses a damaged number and an interrupted restore', async () => {
    expect(await value(directoryWith({ [FORMAT_FILE]: 'x' }))).to.contain('contains no number')
    const directory = newDirectory('format')
    mkdirSync(path.join(directory, RESTORING))
    const refused = await prepareFormat(directory)
    expect(refused.ok ? '' : refused.failure.message).to.contain('restore-state again')
  })
})
