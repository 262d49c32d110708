// What is due by schedule is started in the scheduler's name; what is refused or missed is reported with its next moment.
import { expect } from 'chai'
import { Timetable } from '../../../../actors/cluster/services/timetable.js'
import { fail, ok, type Result } from '../../../../lib/base/result.js'
import { MINUTE, SECOND } from '../../../../lib/base/time.js'
import type { Roll } from '../../../../lib/model/operation/roll.js'
import { defaultSettings } from '../../../../lib/settings/index.js'
import { eventually } from '../../../support/wait.js'

const wanted = {
  'monitoring-scheduler': true,
  'scheduler-db-servers-logical-backup': false,
  'scheduler-db-servers-logs-table-rotate': false,
  'scheduler-db-servers-analyze': false,
  'monitoring-schema-scheduler': false,
  'scheduler-rolling-restart': true,
  'scheduler-rolling-restart-cron': '0 30 11 * * *',
} as const

const roll = (kind: Roll['kind']): Roll => ({
  ...{ id: `rolling-${kind}`, kind, owner: 'scheduler', startedAt: 0, home: 'db1', primary: 'db1', servers: [] },
  phase: 'running',
})

/** A timetable with a manual wall clock; the started work, and the notes. */
function world(answer: () => Result<Roll> = () => ok(roll('restart'))) {
  const clock = { at: new Date(2026, 10, 21, 11, 29, 59, 970).getTime() }
  const state = { settings: defaultSettings(wanted) }
  const started: { readonly user: string; readonly kind: string }[] = []
  const notes: string[] = []
  const tell = (_: string, { text }: { readonly text?: string }) => void notes.push(text ?? '')
  const table = new Timetable(
    { state, tell: tell as never },
    (request) => {
      started.push({ user: request.user, kind: request.kind })
      return Promise.resolve(answer())
    },
    () => clock.at,
  )
  return { clock, state, started, notes, table }
}

describe('Timetable', () => {
  it('begins what is due in the name of the scheduler, once', async () => {
    const { clock, started, notes, table } = world()
    table.reconfigured()
    expect(notes[0]).to.match(/^By schedule \(0 30 11 \* \* \*\) a rolling restart: next at 2026-11-21T/)
    clock.at += 30
    await eventually(() => started.length > 0, 'it begins')
    table.reconfigured()
    table.close()
    expect(started).to.deep.equal([{ user: 'scheduler', kind: 'restart' }])
    expect(notes).to.have.length(1)
  })

  it('reports why it did not begin, and when it will next', async () => {
    const { clock, notes, table } = world(() => fail('operation-running', 'the rolling optimize of admin is running'))
    table.reconfigured()
    clock.at += 30
    await eventually(() => notes.length > 1, 'it reports')
    table.close()
    expect(notes[1]).to.contain('it did not begin: the rolling optimize of admin is running; next at 2026-11-22T')
  })

  it('skips a moment at which the manager did not run', async () => {
    const { clock, started, notes, table } = world()
    table.reconfigured()
    clock.at += 5 * MINUTE + 30 * SECOND
    await eventually(() => notes.length > 1, 'it reports')
    table.close()
    expect(notes[1]).to.contain('was missed and is not made up for; next at 2026-11-22T')
    expect(started).to.deep.equal([])
  })

  it('ends with the setting that wanted it', async () => {
    const { clock, state, started, notes, table } = world()
    table.reconfigured()
    state.settings = defaultSettings({ ...wanted, 'monitoring-scheduler': false })
    table.reconfigured()
    clock.at += 30
    expect(notes[1]).to.equal('The rolling restart is no longer done by schedule')
    expect(started).to.deep.equal([])
    table.close()
  })
})
