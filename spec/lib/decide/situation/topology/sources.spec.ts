// Whom a replica follows among the members: by address, else by what its source calls itself, now or when last seen.
import { expect } from 'chai'
import { resolveSources } from '../../../../../lib/decide/situation/topology/sources.js'
import type { Memory } from '../../../../../lib/model/memory.js'
import type { ServerSnapshot } from '../../../../../lib/model/snapshot.js'
import { primary, replica, server, settings, situation } from '../../../../support/simulator/situation.js'

const elsewhere = { host: '10.0.0.1', port: 3307, serverNumber: 1, user: 'repl' }
const unseen = server(1, { observation: 'refused' })

/** A replica of db1 that knows it by another address. */
const follower = (uuid?: string): ServerSnapshot => {
  const known = replica(2)
  const [channel] = known.state?.channels ?? []
  if (!known.state || !channel) throw new Error('a replica has a channel')
  const source = { ...elsewhere, ...(uuid === undefined ? {} : { uuid }) }
  return { ...known, state: { ...known.state, channels: [{ ...channel, source }] } }
}

const sourceOf = (servers: readonly ServerSnapshot[], memory: Pick<Memory, 'identities'> = {}) =>
  resolveSources(servers, { settings, memory }).find(({ id }) => id === 'db2')?.sourceId

describe('resolveSources', () => {
  it('finds the source by its address', () => {
    expect(sourceOf([unseen, replica(2)])).to.equal('db1')
  })

  it('finds it by its server number where the address is another one', () => {
    expect(sourceOf([primary(), follower()])).to.equal('db1')
  })

  it('finds it by its uuid', () => {
    const uuid = 'a7c1'
    expect(sourceOf([primary(7, { uuid }, { id: 'db1' }), follower(uuid)])).to.equal('db1')
  })

  it('finds one that was not seen since the start by what it called itself before', () => {
    expect(sourceOf([unseen, follower()])).to.equal(undefined)
    expect(sourceOf([unseen, follower()], { identities: { db1: { serverNumber: 1 } } })).to.equal('db1')
  })

  it('finds none where two servers have the same number', () => {
    expect(sourceOf([primary(), primary(1, {}, { id: 'db3', host: 'db3' }), follower()])).to.equal(undefined)
  })
})

describe('buildSnapshot', () => {
  it('remembers what each server calls itself, and changes nothing when nothing changed', () => {
    const { memory } = situation([primary(), replica(2)])
    expect(memory.identities).to.deep.equal({ db1: { serverNumber: 1 }, db2: { serverNumber: 2 } })
    expect(situation([unseen, replica(2)], { memory }).memory.identities).to.equal(memory.identities)
  })

  it('remembers the number of each server that was seen as a member, while it shows nothing, until it is not listed', () => {
    const { memory } = situation([primary(), replica(2)])
    expect(memory.members).to.deep.equal({ db1: 1, db2: 2 })
    expect(situation([unseen, replica(2)], { memory }).memory.members).to.equal(memory.members)
    expect(situation([primary()], { memory }).memory.members).to.deep.equal({ db1: 1 })
  })
})
