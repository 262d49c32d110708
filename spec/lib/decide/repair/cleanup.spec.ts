// Ending all replication so that a topology can be formed again.
import { expect } from 'chai'
import { planCleanup } from '../../../../lib/decide/repair/cleanup.js'
import type { ServerSnapshot } from '../../../../lib/model/snapshot.js'
import {
  acknowledgedSource,
  primary,
  replica,
  running,
  type SituationDraft,
  server,
  silent,
  situation,
  stateOf,
} from '../../../support/simulator/situation.js'

const plan = (servers: readonly ServerSnapshot[], force: boolean, draft: SituationDraft = {}) =>
  planCleanup(situation(servers, draft), { force })
const steps = (servers: readonly ServerSnapshot[], force: boolean) => {
  const found = plan(servers, force)
  return (
    found.ok &&
    found.value.commands.flatMap((command) => ('server' in command ? [`${command.type} ${command.server}`] : []))
  )
}

describe('planCleanup', () => {
  it('lets replicas catch up with a closed primary, forgets the primary last, and opens it', () => {
    expect(steps([primary(1, { semiSync: acknowledgedSource() }), replica(2), replica(3)], true)).to.deep.equal([
      ...['make-read-only db1', 'catch-up db2', 'catch-up db3', 'set-semi-sync db1'],
      ...['forget-history db2', 'forget-history db3', 'forget-history db1', 'make-writable db1'],
    ])
  })

  it('ends running replication only where that is confirmed, by the request or by the setting', () => {
    const replicating = [primary(1), replica(2)]
    expect(plan(replicating, false)).to.have.nested.property('failure.code', 'vetoed')
    const allowed = plan(replicating, false, { settings: { 'replication-cleanup-force': true } })
    expect(allowed).to.deep.equal(plan(replicating, true))
    expect(allowed.ok).to.equal(true)
  })

  it('makes no server read-only when none replicates, and needs no force', () => {
    const alone = [primary(1), server(2, { state: stateOf(2) })]
    expect(steps(alone, false)).to.deep.equal(['forget-history db2', 'forget-history db1', 'make-writable db1'])
  })

  it('opens the primary again when it cannot be done', () => {
    const found = plan([primary(), replica(2)], true)
    expect(found.ok && found.value.undo).to.deep.equal([{ type: 'make-writable', server: 'db1', checked: true }])
  })

  it('names who replicates, and how to pass by that', () => {
    const refused = plan([primary(), replica(2)], false)
    expect(refused).to.have.nested.property('failure.code', 'vetoed')
    expect(refused).to.have.nested.property('failure.message').that.contains('db2').and.contains('force=true')
  })

  for (const [code, servers, draft] of [
    ['operation-running', [primary(), replica(2)], { operation: running() }],
    ['wrong-state', [primary(), replica(2, { server: silent() })], {}],
  ] as const)
    it(`is refused with ${code}, forced or not`, () => {
      expect(plan(servers, true, draft)).to.have.nested.property('failure.code', code)
    })
})
