// What the process of a task gets, and which specs are units.
import { existsSync } from 'node:fs'
import { expect } from 'chai'
import { environmentOf } from './process.js'
import { listSpecs } from './specs.js'
import { divide } from './tasks.js'

describe('environmentOf', () => {
  const none = '/run/no-such-folder/none'

  it('leads units to no program, on a machine that has it neither', () => {
    expect(existsSync(none)).to.equal(false)
    expect(environmentOf({ startsPrograms: false }, { isSoak: false, none }).PATH).to.equal(none)
  })

  it('leaves the programs of the machine to what is marked as starting some', () => {
    expect(environmentOf({ startsPrograms: true }, { isSoak: true, none })).to.include({ SPEC_SOAK: '1' })
    expect(environmentOf({ startsPrograms: true }, { isSoak: true, none })).to.not.have.property('PATH', none)
  })
})

describe('listSpecs', () => {
  it('has a spec that starts programs by what it tests among those of programs, by its mark', () => {
    const restic = listSpecs().find(({ file }) => file.endsWith('backup/place/places.spec.js'))
    expect(restic).to.include({ isProgram: true, isStory: false })
    if (restic) expect(divide([restic], { usual: {}, chunks: 1 })[0]).to.include({ startsPrograms: true })
  })
})
