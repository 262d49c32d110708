// Events that are enabled on a replica and write on it whether it is read-only or not: when they are read, and what is said of them.
import { expect } from 'chai'
import { asksEvents, stopEvents, unplannedEvents } from '../../../../lib/decide/situation/events.js'
import { slowReading } from '../../../support/http/view-input.js'
import { crash, primary, replica, situation, stateOf } from '../../../support/simulator/situation.js'

const tick = { schema: 'app', name: 'tick', definer: 'root@%' }
const privileged = { ...tick, privileged: true as const }
const withEvents = (events: readonly (typeof tick)[], eventScheduler = false) =>
  replica(2, { state: { eventScheduler }, server: { slow: slowReading('db2', { events }) } })

const detailOf = ({ snapshot }: ReturnType<typeof situation>): string =>
  snapshot.findings.flatMap(({ code, server, detail }) => (code === 'WARN0270' ? `${server} ${detail}` : [])).join()

describe('WARN0270', () => {
  it('names the events that wait for the scheduler of a replica, and those that run', () => {
    expect(detailOf(situation([primary(), withEvents([privileged])]))).to.match(
      /^db2 .*: app\.tick of root@%\. Its event scheduler is off; a start of the server with event_scheduler=ON runs them\.$/,
    )
    expect(detailOf(situation([primary(), withEvents([privileged], true)]))).to.match(/is on, and runs them\.$/)
  })

  it('does not concern events that read-only stops, a server in maintenance, or the primary', () => {
    expect(detailOf(situation([primary(), withEvents([tick])]))).to.equal('')
    const away = { ...withEvents([privileged]), maintenance: true }
    expect(detailOf(situation([primary(), away]))).to.equal('')
    const own = primary(1, { eventScheduler: true }, { slow: slowReading('db1', { events: [privileged] }) })
    expect(detailOf(situation([own, replica(2)]))).to.equal('')
  })
})

describe('asksEvents', () => {
  const gaveUp = { memory: { primary: 'db1', history: [crash({ oldPrimary: 'db2', newPrimary: 'db1' })] } }
  const asks = (of: ReturnType<typeof situation>): readonly string[] =>
    of.snapshot.servers.filter((server) => asksEvents(of, server)).map(({ id }) => id)

  it('reads them on a former primary, on all where a scheduler runs, and nowhere else', () => {
    expect(asks(situation([primary(), replica(2)], gaveUp))).to.deep.equal(['db2'])
    expect(asks(situation([primary(1, { eventScheduler: true }), replica(2)]))).to.deep.equal(['db1', 'db2'])
    expect(asks(situation([primary(), replica(2)]))).to.deep.equal([])
  })

  it('does not concern MySQL, whose super_read_only stops every event', () => {
    const identity = { ...stateOf(2).identity, flavour: 'mysql' as const }
    const mysql = replica(2, { state: { identity } })
    expect(asks(situation([primary(), mysql], gaveUp))).to.deep.equal([])
  })
})

describe('unplannedEvents', () => {
  const runs = primary(1, { eventScheduler: true })

  it('refuses a switchover whose plan does not stop a scheduler that runs by now, and no other one', () => {
    expect(unplannedEvents(runs, [])).to.match(/^the event scheduler of .* was switched on meanwhile/)
    expect(unplannedEvents(runs, stopEvents(runs))).to.equal(undefined)
    expect(unplannedEvents(primary(), [])).to.equal(undefined)
  })
})
