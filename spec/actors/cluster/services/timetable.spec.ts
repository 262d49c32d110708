// What is due by schedule is begun in the scheduler's name; what is refused or missed is told with its next moment.
import { expect } from 'chai'
import { Timetable } from '../../../../actors/cluster/services/timetable.js'
import { fail, ok, type Result } from '../../../../lib/base/result.js'
import { MINUTE, SECOND } from '../../../../lib/base/time.js'
import type { Roll } from '../../../../lib/model/work/roll.js'
import { defaultSettings } from '../../../../lib/settings/index.js'
import { eventually } from '../../../support/databases/database.js'

const wanted = {
  'monitoring-scheduler': true,
  'scheduler-rolling-restart': true,
  'scheduler-rolling-restart-cron': '0 30 11 * * *',
} as const

const roll = (kind: Roll['kind']): Roll => ({
  ...{ id: `rolling-${kind}`, kind, owner: 'scheduler', startedAt: 0, home: 'db1', primary: 'db1', servers: [] },
  phase: 'running',
})

/** A timetable whose wall clock is moved by hand; begun work, and what was told. */
function world(answer: () => Result<Roll> = () => ok(roll('restart'))) {
  const clock = { at: new Date(2026, 10, 21, 11, 29, 59, 970).getTime() }
  const state = { settings: defaultSettings(wanted) }
  const begun: { readonly user: string; readonly kind: string }[] = []
  const notes: string[] = []
  const tell = (_: string, { text }: { readonly text?: string }) => void notes.push(text ?? '')
  const table = new Timetable(
    { state, tell: tell as never },
    (wish) => {
      begun.push({ user: wish.user, kind: wish.kind })
      return Promise.resolve(answer())
    },
    () => clock.at,
  )
  return { clock, state, begun, notes, table }
}

describe('Timetable', () => {
  it('begins what is due in the name of the scheduler, once', async () => {
    const { clock, begun, notes, table } = world()
    table.reconfigured()
    expect(notes[0]).to.match(/^By schedule \(0 30 11 \* \* \*\) a rolling restart: next at 2026-11-21T/)
    clock.at += 30
    await eventually(() => begun.length > 0, 'it begins')
    table.reconfigured()
    table.close()
    expect(begun).to.deep.equal([{ user: 'scheduler', kind: 'restart' }])
    expect(notes).to.have.length(1)
  })

  it('tells why it did not begin, and when it will next', async () => {
    const { clock, notes, table } = world(() => fail('operation-running', 'the rolling optimize of admin is running'))
    table.reconfigured()
    clock.at += 30
    await eventually(() => notes.length > 1, 'it tells')
    table.close()
    expect(notes[1]).to.contain('it did not begin: the rolling optimize of admin is running; next at 2026-11-22T')
  })

  it('passes by a moment that nobody was there for', async () => {
    const { clock, begun, notes, table } = world()
    table.reconfigured()
    clock.at += 5 * MINUTE + 30 * SECOND
    await eventually(() => notes.length > 1, 'it tells')
    table.close()
    expect(notes[1]).to.contain('was missed and is not made up for; next at 2026-11-22T')
    expect(begun).to.deep.equal([])
  })

  it('ends with the setting that wanted it', async () => {
    const { clock, state, begun, notes, table } = world()
    table.reconfigured()
    state.settings = defaultSettings({ ...wanted, 'monitoring-scheduler': false })
    table.reconfigured()
    clock.at += 30
    expect(notes[1]).to.equal('The rolling restart is no longer done by schedule')
    expect(begun).to.deep.equal([])
    table.close()
  })
})
