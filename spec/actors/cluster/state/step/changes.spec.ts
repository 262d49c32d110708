import { expect } from 'chai'
import { compareSnapshots } from '../../../../../actors/cluster/state/step/changes.js'
import { primary, refused, replica, situation } from '../../../../support/simulator/situation.js'

const before = situation([primary(), replica(2)]).snapshot

describe('compareSnapshots', () => {
  it('says nothing when nothing has changed', () => {
    expect(compareSnapshots(before, { ...before, at: before.at + 1 }).events).to.deep.equal([])
  })

  it('opens and closes findings with a line each that names code and sentence', () => {
    const finding = { code: 'ERR00012', detail: 'Both servers are down.' } as const
    const opened = compareSnapshots(before, { ...before, findings: [...before.findings, finding] })
    expect(opened.opened).to.deep.equal([finding])
    expect(opened.events[0]?.text).to.match(/^OPENED ERR00012 : .*Both servers are down\.$/)
    const closed = compareSnapshots({ ...before, findings: [...before.findings, finding] }, before)
    expect(closed.events[0]).to.include({ kind: 'finding-closed', level: 'STATE' })
  })

  it('raises an alert when a server fails, and takes it back when it returns', () => {
    const dead = situation([primary(1, {}, { ...refused, failures: 9, refusals: 9 }), replica(2)]).snapshot
    const levels = (from: typeof before, to: typeof before) =>
      compareSnapshots(from, to).events.flatMap(({ kind, level }) => (kind === 'state' ? [level] : []))
    expect(levels(before, dead)).to.include('ALERT')
    expect(levels(dead, before)).to.include('ALERTOK')
  })

  it('reports which server became the primary', () => {
    const moved = { ...before, primary: 'db2' }
    expect(compareSnapshots(before, moved).events.at(-1)).to.include({ kind: 'primary', server: 'db2' })
  })
})
