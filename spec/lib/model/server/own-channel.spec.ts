import { expect } from 'chai'
import { foreignChannels, isAmbiguous, type Member, ownChannel } from '../../../../lib/model/server/own-channel.js'
import type { Channel } from '../../../../lib/model/server/reading.js'
import { channel } from '../../../support/simulator/situation.js'

const member = (number: number, rest: Partial<Member> = {}): Member => ({
  ...{ id: `db${number}`, host: `db${number}`, port: 3306, serverNumber: number },
  ...rest,
})
const others = [member(1), member(2, { uuid: 'u2' })]

/** From db<source>; 9 is none of the cluster. */
const from = (source: number, name: string, rest: Partial<Channel['source']> = {}): Channel => {
  const made = channel({ source, name })
  return { ...made, source: { ...made.source, ...rest } }
}
/** A foreign source with the server_id of a member. */
const collides = (name: string) => from(9, name, { serverNumber: 1 })
/** A member at another of its addresses. */
const elsewhere = (name: string) => from(1, name, { host: 'replication-network-1' })

type Case = readonly [
  what: string,
  channels: readonly Channel[],
  own: string | undefined,
  foreign: readonly string[],
  name?: string,
]

const cases: readonly Case[] = [
  ['the only channel to a member, whatever its name', [from(1, 'a')], 'a', []],
  ['the channel to a member beside one to a foreign source', [from(9, 'x'), from(1, '')], '', ['x']],
  ['the same where the foreign one has the configured name', [from(9, ''), from(1, 'a')], 'a', ['']],
  ['the same where the foreign source has the server_id of a member', [collides('x'), from(1, '')], '', ['x']],
  ['the same where the member is known by its server_id alone', [from(9, 'x'), elsewhere('')], '', ['x']],
  ['the same where it is known by its uuid', [from(9, 'x'), from(8, 'a', { uuid: 'u2' })], 'a', ['x']],
  ['of several to members the one with the configured name', [from(1, 'a'), from(2, 'b')], 'b', [], 'B'],
  ['none of several to members where no name decides', [from(1, 'a'), from(2, 'b')], undefined, []],
  ['none where the only one follows a foreign source', [from(9, 'x')], undefined, ['x']],
  ['the one with the configured name where its source is no member', [from(9, 'x')], 'x', [], 'x'],
  ['the default one where its source is no member', [from(9, '')], '', []],
]

describe('ownChannel', () => {
  for (const [what, channels, own, foreign, name = ''] of cases)
    it(`is ${what}`, () => {
      const known = { name, others }
      expect(ownChannel(channels, known)?.name).to.equal(own)
      expect(ownChannel([...channels].reverse(), known)?.name).to.equal(own)
      expect(foreignChannels(channels, known).map((each) => each.name)).to.deep.equal(foreign)
    })

  it('is not one that was known as foreign, when the own one is gone and the source has the server_id of a member', () => {
    expect(ownChannel([collides('x')], { name: '', others })?.name).to.equal('x')
    expect(ownChannel([collides('x')], { name: '', others, foreign: ['x'] })).to.equal(undefined)
    expect(ownChannel([from(1, 'x')], { name: '', others, foreign: ['x'] })?.name).to.equal('x')
  })
})

describe('isAmbiguous', () => {
  it('holds where several channels follow members and no name decides', () => {
    expect(isAmbiguous([from(1, 'a'), from(2, 'b')], { name: '', others })).to.equal(true)
    expect(isAmbiguous([from(1, 'a'), from(2, 'b')], { name: 'a', others })).to.equal(false)
    expect(isAmbiguous([from(1, 'a'), from(9, 'b')], { name: '', others })).to.equal(false)
  })
})
