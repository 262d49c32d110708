import { expect } from 'chai'
import { routes } from '../../../http/api/index.js'
import { renderServers } from '../../../http/api/views/server/server.js'
import { gradeState, lagOf, positionOf, semiSyncOf, showTopics, type WireServer } from '../../../http/client/wire.js'
import { readableStates } from '../../../lib/model/snapshot.js'
import { formedTopologies, stateTexts, topologyTexts } from '../../../lib/model/wire.js'
import { viewInput } from '../../support/http/view-input.js'

const [first, second] = JSON.parse(JSON.stringify(renderServers(viewInput()))) as readonly WireServer[]

const known = (path: string): boolean => routes.some(({ paths }) => paths.includes(path as `/${string}`))

describe('wire', () => {
  it('finds every field it reads in a server as the API shows it', () => {
    for (const field of ['id', 'name', 'host', 'port', 'state', 'failCount', 'readOnly', 'isMaintenance'])
      expect(first).to.have.property(field)
    for (const field of ['prefered', 'ignored', 'semiSyncMasterStatus', 'semiSyncSlaveStatus', 'replicationHealth'])
      expect(first).to.have.property(field)
  })

  it('shows the lag of a replica, its want, and that a primary has none', () => {
    if (!first || !second) throw new Error('the input has two servers')
    expect(lagOf(first)).to.equal(undefined)
    expect(lagOf(second)).to.equal(0)
    expect(lagOf({ ...second, replications: [{ secondsBehindMaster: { Int64: 0, Valid: false } }] })).to.equal(null)
  })

  it('shows on which side a server is semi-synchronous', () => {
    if (!first) throw new Error('the input has a server')
    const off = { ...first, semiSyncMasterStatus: false, semiSyncSlaveStatus: false }
    expect(semiSyncOf(off)).to.equal('off')
    expect(semiSyncOf({ ...off, semiSyncMasterStatus: true })).to.equal('source')
    expect(semiSyncOf({ ...off, semiSyncSlaveStatus: true })).to.equal('replica')
  })

  it('writes the position of either flavour', () => {
    if (!first) throw new Error('the input has a server')
    expect(positionOf(first)).to.equal('0-1-150')
    expect(positionOf({ ...first, currentGtid: [], gtidExecuted: '3e1f-1:1-5' })).to.equal('3e1f-1:1-5')
  })

  it('grades every state', () => {
    const graded = Object.values(stateTexts).map(gradeState)
    expect(graded.filter((grade) => grade === 'good')).to.have.length(4)
    expect(graded.filter((grade) => grade === 'bad')).to.have.length(5)
  })

  it('grades as good, besides a primary, the states that may be read from, and no other', () => {
    const names = Object.keys(stateTexts) as (keyof typeof stateTexts)[]
    const good = names.filter((name) => gradeState(stateTexts[name]) === 'good')
    expect(good).to.have.members(['primary', ...readableStates])
  })

  it('reads addresses that the API has', () => {
    for (const address of Object.values(showTopics)) expect(known(address.replace('GET ', '')), address).to.equal(true)
  })

  it('knows topologies by the names of the wire', () => {
    expect(Object.values(topologyTexts)).to.include.members([...formedTopologies])
  })
})
