// Which replicas of MySQL get super_read_only, and which are named instead.
import { expect } from 'chai'
import { planRepair } from '../../../../lib/decide/repair/repair.js'
import type { ReadOnlySet, ServerState } from '../../../../lib/model/server/reading.js'
import type { ServerSnapshot } from '../../../../lib/model/snapshot.js'
import { slowReading } from '../../../support/http/view-input.js'
import { crash, NOW, primary, replica, type SituationDraft, situation } from '../../../support/simulator/situation.js'

const mysql = (server: ServerSnapshot, flavour: 'mysql' | 'percona' | 'mariadb' = 'mysql'): ServerSnapshot => {
  const state = server.state as ServerState
  return { ...server, state: { ...state, identity: { ...state.identity, flavour } } }
}
const started: ReadOnlySet = { on: true, byStatement: false, superOn: false }
const half = (set: ReadOnlySet | undefined = started, more: Partial<ServerSnapshot> = {}) =>
  replica(2, {
    state: { readOnly: true, superReadOnly: false },
    server: { slow: slowReading('db2', { at: NOW, ...(set ? { readOnlySet: set } : {}) }), ...more },
  })
/** The manager replaced db2 when it died. */
const replaced = [crash({ oldPrimary: 'db2' })]
const judge = (server: ServerSnapshot, draft: SituationDraft = {}) => {
  const judged = situation([mysql(primary()), server], { ...draft, memory: { history: replaced, ...draft.memory } })
  const commands = planRepair(judged)?.commands.map((command) =>
    'server' in command ? `${command.type} ${command.server}` : '',
  )
  const named = judged.snapshot.findings.filter(({ code }) => code === 'WARN0273').map(({ server: id }) => id)
  return { commands, named }
}
const closes = { commands: ['make-read-only db2'], named: [] }
const names = { commands: undefined, named: ['db2'] }
const nothing = { commands: undefined, named: [] }

describe('A replica of MySQL that is read_only and not super_read_only', () => {
  for (const [claim, expected, server, draft] of [
    ['is closed where it was the primary and started so', closes, mysql(half()), {}],
    ['is closed of Percona Server, too', closes, mysql(half(), 'percona'), {}],
    ['is named where it never was the primary', names, mysql(half()), { memory: { history: [] } }],
    ['is named where a statement has set it so', names, mysql(half({ ...started, byStatement: true })), {}],
    [
      'is named where replicas are not to be closed',
      names,
      mysql(half()),
      { settings: { 'force-slave-readonly': false } },
    ],
    ['is left alone where its owner sets the state', nothing, mysql(half(started, { readOnlyIgnored: true })), {}],
    ['is left alone in maintenance', nothing, mysql(half(started, { maintenance: true })), {}],
    ['is left until its process was read', nothing, mysql(half(started, { restartedAt: NOW + 1 })), {}],
    ['is left where a statement opened it since', nothing, mysql(half({ ...started, superOn: true })), {}],
    ['is no replica of MariaDB', nothing, half(), {}],
  ] as const)
    it(claim, () => expect(judge(server, draft)).to.deep.equal(expected))

  it('is named, and the plan is shown, where the manager only observes', () => {
    expect(judge(mysql(half()), { settings: { 'monitoring-observe': true } }).named).to.deep.equal(['db2'])
  })

  it('is not closed on a reading from before the manager closed it', () => {
    expect(judge(mysql(half()), { memory: { fenced: { db2: { at: NOW } } } }).commands).to.equal(undefined)
  })
})
