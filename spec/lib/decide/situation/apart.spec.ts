// The server of a recovery is listed with the cluster, and no decision about the cluster concerns it.
import { expect } from 'chai'
import type { Result } from '../../../../lib/base/result.js'
import { planBootstrap } from '../../../../lib/decide/repair/bootstrap.js'
import { planCleanup } from '../../../../lib/decide/repair/cleanup.js'
import { judgeGroup } from '../../../../lib/decide/repair/group.js'
import { planRelocate } from '../../../../lib/decide/repair/relocate.js'
import { refuseWhileMade } from '../../../../lib/decide/situation/apart.js'
import { lostByPrimary } from '../../../../lib/decide/situation/history/history.js'
import type { NewServer, NewServerStage } from '../../../../lib/model/operation/recovery.js'
import type { ServerSnapshot } from '../../../../lib/model/snapshot.js'
import {
  primary,
  replica,
  type SituationDraft,
  server,
  situation,
  stateOf,
} from '../../../support/simulator/situation.js'

const db9: NewServer = {
  ...{ server: 'db9', host: 'h', port: 9, user: 'ann', since: 0, backup: 17, stage: 'ready', begun: 1 },
}
const apart = { newServers: { db9 } }
const recovered = (executed = '0-1-90', draft: Partial<ServerSnapshot> = {}) =>
  server(9, { maintenance: true, state: stateOf(9, { executed, readOnly: true }), ...draft })
const judged = (servers: readonly ServerSnapshot[], memory: SituationDraft['memory'] = apart, more = {}) =>
  situation(servers, { ...more, memory })

describe('the server of a recovery', () => {
  const asked: Readonly<Record<string, (memory: SituationDraft['memory']) => Result<unknown>>> = {
    'a topology is formed': (memory) =>
      planBootstrap(judged([primary(1), replica(2), recovered()], memory), { topology: 'master-slave' }),
    'replication is ended everywhere': (memory) =>
      planCleanup(judged([primary(1), replica(2), recovered()], memory), { force: true }),
    'it is given a source': (memory) =>
      planRelocate(judged([primary(1), replica(2), recovered()], memory), { server: 'db9', source: 'db1' }),
    'a group is formed': (memory) => judgeGroup(judged([primary(1), server(2), recovered()], memory)),
  }
  for (const [what, ask] of Object.entries(asked))
    it(`is left alone when ${what}, and is a server like the others once it is attached`, () => {
      expect(ask(apart))
        .to.have.nested.property('failure.message')
        .that.matches(/^db9 .*is kept apart/)
      expect(ask({}))
        .to.not.have.nested.property('failure.message')
        .that.matches(/is kept apart/)
    })

  it('does not keep another server from getting a source', () => {
    const settings = { 'replication-multi-tier-slave': true }
    const scene = judged([primary(1), replica(2), replica(3), recovered()], apart, { settings })
    expect(planRelocate(scene, { server: 'db3', source: 'db2' }).ok).to.equal(true)
  })

  it('is not found as the primary while it is filled, although it alone takes writes', () => {
    const closed = server(1, { state: stateOf(1, { readOnly: true }) })
    const filled = recovered('', { state: stateOf(9, { executed: '', readOnly: false }) })
    const primaryOf = (memory: SituationDraft['memory']) =>
      judged([filled, closed], { ...memory, primary: 'nobody', discovered: false }).snapshot.primary
    expect(primaryOf({})).to.equal('db9')
    expect(primaryOf(apart)).to.not.equal('db9')
  })

  it('does not change the topology of a single server', () => {
    expect(judged([primary(1), recovered()]).snapshot.topology).to.equal('active-passive')
  })

  it('says nothing of what the primary lost, although it holds more of an earlier numbering', () => {
    const now = [primary(1, { executed: '0-1-20' }), recovered('0-1-500')]
    const lost = (memory: SituationDraft['memory']) => {
      const scene = judged([...now, replica(2, { received: '0-1-20' })], memory)
      const [first] = scene.snapshot.servers
      return scene.memory.held && first ? { held: scene.memory.held.set, lost: lostByPrimary(scene, first) } : undefined
    }
    expect(lost(apart)?.held).to.not.deep.equal(lost({})?.held)
    expect(lost(apart)?.held).to.deep.equal(
      judged([...now.slice(0, 1), replica(2, { received: '0-1-20' })], {}).memory.held?.set,
    )
  })

  it('is a finding when it could not be removed, until it is gone', () => {
    const findingOf = (kept: NewServer) =>
      judged([primary(1), recovered()], { newServers: { db9: kept } }).snapshot.findings.find(
        ({ code }) => code === 'WARN0405',
      )?.detail
    const failed: NewServer = { ...db9, stage: 'removing', failure: 'its host does not answer' }
    expect(findingOf({ ...failed, left: true })).to.equal('h:9: its host does not answer')
    // The reason of a job that failed, while what it created is being removed.
    expect(findingOf(failed)).to.equal(undefined)
    expect(findingOf(db9)).to.equal(undefined)
    expect(judged([primary(1)], {}).snapshot.findings.map(({ code }) => code)).to.not.include('WARN0405')
  })

  it('lets passwords rotate once it holds its data, and names itself until then', () => {
    const refusal = (stage: NewServerStage) => {
      const refused = refuseWhileMade({ newServers: { db9: { ...db9, stage } } })
      return refused && !refused.ok ? refused.failure.message : undefined
    }
    expect(refuseWhileMade({})).to.equal(undefined)
    expect(refusal('ready')).to.equal(undefined)
    for (const stage of ['adding', 'making'] as const) expect(refusal(stage)).to.match(/^h:9 is being filled/)
    expect(refusal('removing')).to.match(/^h:9 is being removed: .*manager-cli recovered remove h:9/)
  })
})
