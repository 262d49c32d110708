// The console's screen at every width: states become lines that fit, and say what they must.
import { expect } from 'chai'
import fc from 'fast-check'
import { renderScreen, scrollLimit } from '../../../../bin/cli/console/screen.js'
import { addEvent, addPast, type ConsoleState, press, startState, views } from '../../../../bin/cli/console/state.js'
import { textWidth } from '../../../../bin/cli/output/text-width.js'
import type { WireServer } from '../../../../http/client/wire.js'
import type { ClusterEvent } from '../../../../lib/model/event.js'
import { fleetRowOf } from '../../../support/http/fleet-rows.js'

const server = (host: string, state: WireServer['state'], readOnly: WireServer['readOnly'] = 'ON'): WireServer => ({
  ...{ id: host, name: host, host, port: '3306', state, failCount: 0, readOnly, isMaintenance: false },
  ...{ prefered: false, ignored: false, semiSyncMasterStatus: false, semiSyncSlaveStatus: false },
  replicationHealth: '',
})

const event = (text: string): ClusterEvent => ({
  ...{ id: 1, at: 0, cluster: 'shop', kind: 'state', level: 'INFO', text },
})

const seen: ConsoleState = addEvent(
  {
    ...startState(['shop', 'blog'], 'shop'),
    topology: {
      ...{ cluster: 'shop', topology: 'master-slave', mode: 'automatic' },
      servers: [server('db1', 'Master', 'OFF'), server('数据库二号', 'Slave'), server('db3', 'SlaveErr')],
    },
    alerts: { errors: [{ number: 'ERR00012', desc: 'No primary', hint: 'Check it.' }], warnings: [] },
  },
  event('db3 changed from Slave to SlaveErr'),
)

const texts = (state: ConsoleState, columns = 100, rows = 24): readonly string[] =>
  renderScreen(state, { columns, rows }).map((line) =>
    line
      .map(({ text }) => text)
      .join('')
      .trimEnd(),
  )

describe('renderScreen', () => {
  it('shows the cluster, its servers, its events and the keys', () => {
    const lines = texts(seen)
    expect(lines).to.have.length(24)
    expect(lines[0]).to.equal('shop (1 of 2)  master-slave  failover automatic  1 error  0 warnings')
    expect(lines[1]).to.match(/^SERVER +STATE +RO +LAG/)
    expect(lines[2]).to.match(/^db1:3306 +Master +OFF/)
    expect(lines[3]).to.match(/^数据库二号:3306 +Slave/)
    expect(lines[5]).to.equal('Events')
    expect(lines[6]).to.equal('00:00:00 db3 changed from Slave to SlaveErr')
    expect(lines.at(-1)).to.contain('q quit')
  })

  it('says whether it has read what happened before, and shows it before what came meanwhile', () => {
    const empty = startState(['shop'], 'shop')
    const body = (state: ConsoleState) => texts(state).slice(texts(state).indexOf('Events') + 1)
    expect(body(empty)[0]).to.equal('Reading what happened before …')
    expect(body(addPast(empty, []))[0]).to.equal('Nothing has happened yet.')
    expect(body(addPast(empty, undefined))[0]).to.match(/^None since .* earlier ones could not be read/)
    const now = event('db2 is Slave')
    const read = addPast(addEvent(empty, now), [{ ...event('db1 is Master'), at: -1 }, now])
    expect(read.events.map(({ text }) => text)).to.deep.equal(['db1 is Master', 'db2 is Slave'])
  })

  it('keeps columns of wide characters in line', () => {
    const [one = '', two = ''] = texts(seen).slice(2)
    const place = (line: string, word: string) => textWidth(line.slice(0, line.indexOf(word)))
    expect(place(one, 'Master')).to.equal(place(two, 'Slave'))
  })

  it('marks the selected server, and colours states', () => {
    const lines = renderScreen({ ...seen, selected: 1 }, { columns: 100, rows: 24 })
    expect(lines[3]?.every(({ style }) => style === 'inverse')).to.equal(true)
    expect(lines[4]?.find(({ text }) => text.startsWith('SlaveErr'))?.style).to.equal('red')
  })

  it('asks at the bottom, and says why nothing is known', () => {
    const question = { text: 'Switch shop over?', order: { type: 'failover' } } as const
    expect(texts({ ...seen, question }).at(-2)).to.equal('Switch shop over? [y/N]')
    expect(texts({ ...seen, lost: 'nothing listens' })[0]).to.equal('shop (1 of 2)  nothing listens')
    expect(texts({ ...seen, lost: 'nothing listens', seenAt: 61_000 })[0]).to.equal(
      'shop (1 of 2)  as of 00:01:01: nothing listens',
    )
  })

  it('says of what moment all clusters are shown when the manager does not answer, also while one is searched', () => {
    const fleet = { search: '', isTyping: false, rows: [fleetRowOf('shop')], seenAt: 61_000 }
    const lost: ConsoleState = { ...seen, page: 'fleet', fleet, lost: 'nothing listens' }
    const head = 'All clusters  as of 00:01:01: nothing listens'
    for (const state of [lost, press(lost, 'search').state]) {
      expect(texts(state)[0]).to.equal(head)
      expect(texts(state)[3]).to.match(/^shop +healthy/)
    }
    const { seenAt: _, rows: __, ...none } = fleet
    expect(texts({ ...lost, fleet: none })[0]).to.equal('All clusters  nothing listens')
  })

  it('keeps help and the way out among the keys, however narrow the terminal is', () => {
    expect(texts(seen, 60).at(-1)).to.equal('s switchover  f failover  m maintenance  h help  q quit')
    expect(texts({ ...seen, view: 'explain' }, 40).at(-1)).to.equal('d events  s switchover  h help  q quit')
    expect(texts(seen, 14).at(-1)).to.equal('h help  q quit')
  })

  it('shows that a view goes on, and shows all of it page by page', () => {
    const size = { columns: 60, rows: 16 }
    const helping: ConsoleState = { ...seen, view: 'help' }
    expect(texts(helping, 60, 16)[5]).to.match(/^Keys {2}1 to 8 of \d+ lines \(space, b\)$/)
    const limit = scrollLimit(helping, size)
    const last = texts({ ...helping, scrolled: limit }, 60, 16)
    expect(last.at(-3)).to.match(/^q +quit$/)
    expect(texts({ ...helping, scrolled: limit + 50 }, 60, 16)).to.deep.equal(last)
    expect(texts({ ...helping, scrolled: 8 }, 60, 16)[6]).to.equal(texts(helping, 60, 40)[14])
  })

  it('goes back through the events from the latest', () => {
    const many = Array.from({ length: 40 }, (_, index) => event(`event ${index}`)).reduce(addEvent, seen)
    expect(texts(many, 60, 16).at(-3)).to.contain('event 39')
    expect(texts({ ...many, scrolled: 8 }, 60, 16).at(-3)).to.contain('event 31')
    expect(texts({ ...many, scrolled: 500 }, 60, 16)[6]).to.contain('db3 changed')
  })

  it('shows findings with what to do, and the keys', () => {
    expect(texts({ ...seen, view: 'findings' }).slice(5, 8)).to.deep.equal([
      'Open findings',
      'ERR00012 No primary',
      '    Check it.',
    ])
    expect(texts({ ...seen, view: 'help' }, 100, 30).join('\n')).to.contain('maintenance of the selected server')
  })

  it('shows a finding to its end, however long it is', () => {
    const desc = 'A sentence about replication that goes on and on until it needs more than one line of the terminal'
    const alerts = { errors: [{ number: 'ERR00012', desc, hint: '' }], warnings: [] }
    const lines = texts({ ...seen, alerts, view: 'findings' }).slice(6, 8)
    expect(lines.map((line) => line.replace('ERR00012', '').trim()).join(' ')).to.equal(desc)
  })

  it('follows the selection through more servers than there are lines', () => {
    const servers = Array.from({ length: 60 }, (_, index) => server(`db${index}`, 'Slave'))
    const topology = { cluster: 'shop', topology: 'master-slave', mode: 'manual', servers }
    const lines = texts({ ...seen, topology, selected: 41 }, 100, 20)
    expect(lines).to.have.length(20)
    expect(lines.join('\n')).to.match(/^db41:3306/m)
  })

  it('shows the latest events where not all have room', () => {
    const many = Array.from({ length: 90 }, (_, index) => event(`event ${index}`)).reduce(addEvent, seen)
    expect(texts(many, 80, 20).join('\n'))
      .to.contain('event 89')
      .and.not.contain('event 1\n')
  })

  it('lets nothing that a database says steer the terminal', () => {
    expect(texts(addEvent(seen, event('a\u001b[2Jb'))).join('\n')).to.contain('a�[2Jb')
  })

  it('fits every terminal, whatever is shown', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 60 })
    const state = fc.record({
      view: fc.constantFrom(...views),
      hosts: fc.array(text, { maxLength: 40 }),
      said: fc.array(text, { maxLength: 40 }),
      selected: fc.nat(40),
    })
    fc.assert(
      fc.property(state, fc.integer({ min: 1, max: 220 }), fc.integer({ min: 1, max: 60 }), (given, columns, rows) => {
        const { view, hosts, said, selected } = given
        const topology = {
          ...{ cluster: 'shop', topology: 'master-slave', mode: 'manual' },
          servers: hosts.map((host) => server(host, 'Slave')),
        }
        const shown = said.map(event).reduce(addEvent, { ...seen, view, topology, selected })
        const lines = renderScreen(shown, { columns, rows })
        expect(lines.length).to.be.at.most(rows)
        if (rows >= 8) expect(lines.length).to.equal(rows)
        for (const line of lines) expect(textWidth(line.map((piece) => piece.text).join(''))).to.be.at.most(columns)
      }),
      { numRuns: 150 },
    )
  })
})
