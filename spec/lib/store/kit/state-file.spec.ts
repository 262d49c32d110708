import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'chai'
import { unwrap } from '../../../../lib/base/result.js'
import { readState, type StateFormat, writeState } from '../../../../lib/store/index.js'
import { newDirectory } from '../../../support/machine/directories.js'

const format: StateFormat<{ count: number }> = {
  version: 2,
  accept: (value) =>
    typeof value === 'object' && value !== null && 'count' in value && typeof value.count === 'number'
      ? { count: value.count }
      : undefined,
}

const newFile = () => path.join(newDirectory('state'), 'state.json')

describe('readState', () => {
  it('answers nothing, and no damage, before the first write', async () => {
    expect(await readState(newFile(), format)).to.deep.equal({ damage: [] })
  })

  it('answers what writeState wrote', async () => {
    const file = newFile()
    unwrap(await writeState(file, format, { count: 7 }))
    expect(await readState(file, format)).to.deep.equal({ value: { count: 7 }, damage: [] })
  })

  for (const [name, text] of [
    ['a torn file', '{"version":2,"val'],
    ['an empty file', ''],
    ['a file of another version', '{"version":1,"value":{"count":1}}'],
    ['a file of another shape', '{"version":2,"value":{"count":"many"}}'],
  ] as const)
    it(`falls back to the last good copy for ${name} and names the damage`, async () => {
      const file = newFile()
      unwrap(await writeState(file, format, { count: 1 }))
      unwrap(await writeState(file, format, { count: 2 }))
      await writeFile(file, text)
      const reading = await readState(file, format)
      expect(reading.value).to.deep.equal({ count: 1 })
      expect(reading.damage).to.have.length(1)
      expect(reading.damage[0]).to.include(file)
    })

  it('answers nothing but the damage when both copies are damaged', async () => {
    const file = newFile()
    await writeFile(file, 'x')
    await writeFile(`${file}.old`, 'y')
    const reading = await readState(file, format)
    expect(reading.value).to.equal(undefined)
    expect(reading.damage).to.have.length(2)
  })
})

describe('writeState', () => {
  it('never replaces the last good copy with a damaged file', async () => {
    const file = newFile()
    unwrap(await writeState(file, format, { count: 1 }))
    unwrap(await writeState(file, format, { count: 2 }))
    await writeFile(file, 'torn')
    unwrap(await writeState(file, format, { count: 3 }))
    expect((await readState(file, format)).value).to.deep.equal({ count: 3 })
    expect(await readFile(`${file}.old`, 'utf8')).to.include('"count":1')
    expect(await readFile(`${file}.damaged`, 'utf8')).to.equal('torn')
  })
})
