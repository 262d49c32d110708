import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'chai'
import { heldRestMs, keepMemory, recall } from '../../../../actors/cluster/operations/remember.js'
import { initialState } from '../../../../actors/cluster/state/start.js'
import { freshMemory } from '../../../../lib/model/memory.js'
import { newDirectory } from '../../../support/machine/directories.js'
import { eventually } from '../../../support/wait.js'

const memory = { ...freshMemory, primary: 'db1', failoverCount: 2, maintenance: ['db3'] }
const state = { ...initialState({ name: 'c1', directory: '', settings: {} }, { memory, damage: [] }, 1_000), memory }

async function saved(): Promise<string> {
  const directory = newDirectory('memory')
  const keeper = keepMemory(directory, () => state, { onFailure: () => undefined })
  keeper.save()
  await keeper.close()
  return directory
}

describe('recall', () => {
  it('returns what was kept, and checks again whether everything is visible', async () => {
    const recalled = await recall(await saved())
    expect(recalled.memory).to.deep.equal({ ...memory, discovered: false })
    expect(recalled.damage).to.deep.equal([])
  })

  it('begins afresh where nothing was kept', async () => {
    expect((await recall(newDirectory('memory'))).memory).to.deep.equal(freshMemory)
  })

  it('falls back to the last good copy of a damaged file and says so', async () => {
    const directory = await saved()
    const file = path.join(directory, 'state.json')
    await writeFile(`${file}.old`, await readFile(file))
    await writeFile(file, '{"version":1,"value":{"mem')
    const recalled = await recall(directory)
    expect(recalled.memory.primary).to.equal('db1')
    expect(recalled.damage).to.have.length(1)
  })
})

describe('keepMemory', () => {
  it('answers when what is remembered is on disk, and why it is not', async () => {
    const complaints: string[] = []
    const [directory, gone] = [newDirectory('memory'), path.join(newDirectory('memory'), 'gone')]
    const [keeper, failing] = [directory, gone].map((one) =>
      keepMemory(one, () => state, { onFailure: (text) => complaints.push(text) }),
    )
    expect((await keeper?.saved())?.ok).to.equal(true)
    expect((await recall(directory)).memory.primary).to.equal('db1')
    const written = await failing?.saved()
    expect(written?.ok === false && written.failure.message).to.equal(complaints[0])
    await Promise.all([keeper?.close(), failing?.close()])
  })

  it('saves what has grown without being asked, sooner in a small fleet than in a large one', async () => {
    let present = state
    const directory = newDirectory('memory')
    const keeper = keepMemory(directory, () => present, { onFailure: () => undefined })
    present = { ...state, memory: { ...memory, held: { primary: 'db1', set: { '0-1': [[1, 7]] }, at: 5 } } }
    await eventually(async () => (await recall(directory)).memory.held?.set['0-1']?.[0]?.[1] === 7, 'it is on disk')
    await keeper.close()
    expect([1, 100, 400, 10_000].map(heldRestMs)).to.deep.equal([5_000, 5_000, 20_000, 60_000])
  })
})
