import { expect } from 'chai'
import { listed } from '../../../../bin/cli/console/fleet-page.js'
import { parseKeys } from '../../../../bin/cli/console/keys.js'
import { type ConsoleState, press, startState, type } from '../../../../bin/cli/console/state.js'
import type { WireServer } from '../../../../http/client/wire.js'
import { fleetRowOf } from '../../../support/http/fleet-rows.js'

const server = (host: string, readOnly: WireServer['readOnly']): WireServer => ({
  ...{ id: `id-${host}`, name: host, host, port: '3306', state: 'Slave', failCount: 0, readOnly, isMaintenance: false },
  ...{ prefered: false, ignored: false, semiSyncMasterStatus: false, semiSyncSlaveStatus: false },
  replicationHealth: '',
})

const start: ConsoleState = {
  ...startState(['shop', 'blog'], 'shop'),
  topology: {
    ...{ cluster: 'shop', topology: 'master-slave', mode: 'automatic', closesReplicas: true },
    servers: [server('db1', 'OFF'), server('db2', 'ON')],
  },
}

/** Presses one key after the other. */
const pressed = (typed: string, state = start) => {
  let step: ReturnType<typeof press> = { state }
  for (const key of parseKeys(typed)) step = press(step.state, key)
  return step
}

describe('press', () => {
  for (const [typed, order] of [
    ['sy', { type: 'switchover' }],
    ['\u001b[Bsy', { type: 'switchover', candidate: 'db2:3306' }],
    ['\u0013Y', { type: 'switchover' }],
    ['fy', { type: 'failover' }],
    ['\u001bOBmy', { type: 'maintenance', server: 'id-db2', on: true }],
    ['iy', { type: 'set', setting: 'failover-mode', value: 'manual' }],
    ['\u0012y', { type: 'set', setting: 'failover-readonly-state', value: 'false' }],
    ['\u0005y', { type: 'reset-failover-control' }],
  ] as const)
    it(`asks, and orders ${JSON.stringify(order)}`, () => {
      expect(pressed(typed.slice(0, -1)).state.question?.text).to.match(/\?$/)
      expect(pressed(typed).order).to.deep.equal(order)
      expect(pressed(typed).state.question).to.equal(undefined)
    })

  it('takes every other answer for a no', () => {
    for (const answer of ['n', '\r', ' ', 's', '\u001b[A']) {
      const { order, state } = pressed(`s${answer}`)
      expect(order).to.equal(undefined)
      expect(state.message?.text).to.equal('Nothing was changed.')
    }
  })

  const fleet: ConsoleState = {
    ...start,
    page: 'fleet',
    fleet: {
      search: '',
      isTyping: false,
      rows: [fleetRowOf('shop'), fleetRowOf('blog', { state: 'broken', errors: 1 }), fleetRowOf('mail')],
    },
  }

  it('shows all clusters on request, and opens the selected one with its server pages', () => {
    expect(pressed('c').state).to.deep.include({ page: 'fleet' })
    const opened = pressed('\u001b[A\u001b[A\r', fleet).state
    expect([opened.page, opened.cluster]).to.deep.equal(['cluster', 'blog'])
    expect(pressed('\r').state.view).to.equal('server')
    expect(pressed('c\u001b').state.page).to.equal('cluster')
  })

  it('changes nothing from the page of all clusters', () => {
    for (const key of ['s', 'f', 'm', 'i', 'r', 'e']) {
      const { state, order } = pressed(key, fleet)
      expect([order, state.question]).to.deep.equal([undefined, undefined])
    }
  })

  it('searches by typing: letters are no keys then, Enter keeps what was found, Escape clears it', () => {
    const typing = pressed('/', fleet).state
    const typed = [...'mai'].reduce((state, letter) => type(state, letter).state, typing)
    expect(typed.fleet).to.deep.include({ search: 'mai', isTyping: true })
    expect(listed(typed.fleet).map(({ name }) => name)).to.deep.equal(['mail'])
    const found = type(typed, '\r').state
    expect(pressed('\r', found).state.cluster).to.equal('mail')
    expect(type(typed, '\u007f').state.fleet.search).to.equal('ma')
    expect(listed(type(typed, '\u001b').state.fleet)).to.have.lengthOf(3)
    expect(type(typed, '\u0003').quit).to.equal(true)
  })

  it('leaves, also out of a question', () => {
    for (const typed of ['q', '\u0003', '\u0011', 'sq']) expect(pressed(typed).quit).to.equal(true)
  })

  it('selects servers, no further than there are', () => {
    expect(pressed('\u001b[B\u001b[B\u001b[B').state.selected).to.equal(1)
    expect(pressed('\u001b[A').state.selected).to.equal(0)
  })

  it('goes from cluster to cluster, and forgets what it knew of the one before', () => {
    expect(pressed('n').state).to.deep.equal(startState(['shop', 'blog'], 'blog'))
    expect(pressed('nn').state.cluster).to.equal('shop')
    expect(pressed('\u0010').state.cluster).to.equal('blog')
  })

  it('shows findings, the verdict and help, and goes back', () => {
    expect(['a', 'x', 'h', '\u0008', 'aa', 'xd'].map((typed) => pressed(typed).state.view)).to.deep.equal([
      ...['findings', 'explain', 'help', 'help', 'events', 'events'],
    ])
  })

  it('forgets a verdict with its view: it is of the moment at which it was read', () => {
    const verdict = {} as NonNullable<ConsoleState['verdict']>
    const read: ConsoleState = { ...start, view: 'explain', verdict }
    for (const typed of ['d', 'x', 'a', 'h', 'ch'])
      expect(pressed(typed, read).state.verdict, typed).to.equal(undefined)
    expect(pressed(' ', read).state.verdict).to.equal(verdict)
  })

  it('turns pages, of events back in time, and begins again in another view', () => {
    expect(['h', 'h ', 'h\u001b[6~ ', 'h b', 'hb'].map((typed) => pressed(typed).state.scrolled)).to.deep.equal([
      ...[0, 8, 16, 0, 0],
    ])
    expect([' ', 'b', '\u001b[5~b '].map((typed) => pressed(typed).state.scrolled)).to.deep.equal([0, 8, 8])
    expect(['ba', 'a x', 'a d'].map((typed) => pressed(typed).state.scrolled)).to.deep.equal([0, 0, 0])
  })

  it('reports an unknown key', () => {
    expect(pressed('z').state.message?.text).to.contain('Unknown key')
  })
})
