import { expect } from 'chai'
import { faults } from './faults.js'
import { writeScript } from './script.js'

const length = { episodes: 4, steps: 5 }
const many = Array.from({ length: 300 }, (_, seed) => writeScript(seed, length))

describe('writeScript', () => {
  it('writes the same for the same seed, and something else for another one', () => {
    expect(writeScript(7, length)).to.deep.equal(writeScript(7, length))
    expect(writeScript(7, length)).to.not.deep.equal(writeScript(8, length))
  })

  it('has every fault and every kind of cluster come sooner or later', () => {
    const steps = many.flatMap(({ episodes }) => episodes.flat())
    expect(new Set(steps.map(({ fault }) => fault))).to.have.all.keys(Object.keys(faults))
    expect(new Set(many.map(({ semiSync, gated }) => `${semiSync} ${gated}`)).size).to.equal(4)
    expect(new Set(many.map(({ init }) => init)).size).to.equal(4)
    expect(new Set(many.map(({ policy, stopped }) => `${policy} ${stopped}`)).size).to.equal(5)
    expect(many.filter(({ semiSync, policy }) => !semiSync && policy !== 'observed')).to.deep.equal([])
  })

  it('cuts no server off where there is no gate', () => {
    const open = many.filter(({ gated }) => !gated).flatMap(({ episodes }) => episodes.flat())
    expect(open.map(({ fault }) => fault)).to.not.include('cut a server off')
  })

  it('keeps to the faults that are asked for', () => {
    const script = writeScript(1, { ...length, only: ['kill all'] })
    expect(new Set(script.episodes.flat().map(({ fault }) => fault))).to.deep.equal(new Set(['kill all']))
  })
})
