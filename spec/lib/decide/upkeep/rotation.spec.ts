// New passwords: when a rotation may begin, its order, and that no client is ever locked out, whatever happens in between.
import { expect } from 'chai'
import fc from 'fast-check'
import {
  beginRotation,
  cancelRotation,
  informed,
  judgeRotation,
  leftSecond,
  nextStep,
  type RotationStep,
  renewed,
  settled,
} from '../../../../lib/decide/upkeep/rotation.js'
import { isRotating, type Rotation } from '../../../../lib/model/operation/rotation.js'
import type { ServerSnapshot, Snapshot } from '../../../../lib/model/snapshot.js'
import {
  channel,
  primary,
  replica,
  running,
  type SituationDraft,
  silent,
  situation,
} from '../../../support/simulator/situation.js'

const fresh: Rotation = { id: 'rotation-1', owner: 'ann', startedAt: 0, phase: 'admitting', users: [], renewed: [] }
const logins = {
  monitor: { user: 'monitor', from: 'old', to: 'new' },
  replication: { user: 'repl', from: 'old', to: 'new' },
}
const healthy = [primary(), replica(2), replica(3)]
const snapshotOf = (servers: readonly ServerSnapshot[], draft: SituationDraft = {}): Snapshot =>
  situation(servers, draft).snapshot
const step = (rotation: Partial<Rotation>, servers: readonly ServerSnapshot[] = healthy, draft?: SituationDraft) =>
  nextStep({ ...fresh, ...rotation }, snapshotOf(servers, draft), 'repl')

describe('judgeRotation', () => {
  it('allows a healthy cluster to start', () => {
    expect(judgeRotation(snapshotOf(healthy), 'repl')).to.have.property('ok', true)
  })

  for (const [code, servers, draft] of [
    ['operation-running', healthy, { operation: running() }],
    ['wrong-state', [primary(), replica(2, { server: silent() })], {}],
    ['wrong-state', [primary(), replica(2, { io: 'stopped' })], {}],
    ['wrong-state', [primary(), replica(2, { sql: 'stopped' })], {}],
  ] as const)
    it(`refuses with ${code}`, () => {
      expect(judgeRotation(snapshotOf(servers, draft), 'repl')).to.have.nested.property('failure.code', code)
    })
})

describe('nextStep', () => {
  it('changes accounts on the primary first', () => {
    expect(step({})).to.deep.equal({ type: 'admit', servers: ['db1', 'db2', 'db3'] })
    expect(step({ phase: 'narrowing' })).to.deep.equal({ type: 'narrow', servers: ['db1', 'db2', 'db3'] })
  })

  it('leaves the settings to their owner', () => {
    expect(step({ phase: 'adopting' })).to.deep.equal({ type: 'adopt' })
  })

  it('writes down whose turn it is, then takes it', () => {
    const marked = step({ phase: 'renewing', renewed: ['db1'] })
    expect(marked).to.have.nested.property('rotation.turn').that.deep.equals({ server: 'db2', start: true })
    expect(step({ phase: 'renewing', renewed: ['db1'], turn: { server: 'db2', start: true } })).to.deep.equal({
      ...{ type: 'renew', server: 'db2', channels: [''], start: true },
    })
  })

  it('starts a replica again that a killed manager left stopped', () => {
    const stopped = [primary(), replica(2, { io: 'stopped' }), replica(3)]
    expect(step({ phase: 'renewing', turn: { server: 'db2', start: true } }, stopped)).to.include({
      ...{ type: 'renew', start: true },
    })
  })

  it('leaves a replica stopped that a person stopped', () => {
    const stopped = [primary(), replica(2, { io: 'stopped', sql: 'stopped' }), replica(3)]
    expect(step({ phase: 'renewing', renewed: ['db1'] }, stopped))
      .to.have.nested.property('rotation.turn')
      .that.deep.equals({ server: 'db2', start: false })
  })

  it('passes by channels into other clusters', () => {
    const foreign = [primary(), replica(2, { source: 9 })]
    expect(step({ phase: 'renewing', renewed: ['db1'] }, foreign)).to.have.nested.property('rotation.renewed[1]', 'db2')
  })

  it('takes the channel of a source that replicas reach at another address, also beside one into another cluster', () => {
    const own = channel({ source: 1, name: 'own' })
    const foreign = channel({ source: 9, name: 'foreign' })
    const channels = [{ ...own, source: { ...own.source, host: '10.1.0.1' } }, foreign]
    const beside = [primary(), replica(2, { state: { channels } })]
    const named = { settings: { 'replication-source-name': 'own' } }
    expect(step({ phase: 'renewing', turn: { server: 'db2', start: true } }, beside, named)).to.deep.include({
      channels: ['own'],
    })
  })

  it('passes by a channel into another cluster whose source has the server_id of the own one', () => {
    const foreign = channel({ source: 9, name: 'x' })
    const collides = { ...foreign, source: { ...foreign.source, serverNumber: 1 } }
    const beside = [primary(), replica(2, { state: { channels: [collides, channel({ source: 1 })] } })]
    const turn = { server: 'db2', start: true }
    expect(step({ phase: 'renewing', renewed: ['db1'], turn }, beside)).to.deep.include({ channels: [''] })
  })

  it('configures the proxies when every replica has the new one, and removes the old passwords afterwards', () => {
    const all = ['db1', 'db2', 'db3']
    expect(step({ phase: 'renewing', renewed: all })).to.have.nested.property('rotation.phase', 'informing')
    expect(step({ phase: 'informing', renewed: all })).to.deep.equal({ type: 'inform' })
    const next = informed({ ...fresh, phase: 'informing', informed: ['lb1'] }, { took: ['lb2'], left: [] })
    expect(next).to.deep.include({ phase: 'narrowing', informed: ['lb1', 'lb2'] })
  })

  it('settles first what an earlier one left, where accounts have no room for another password', () => {
    const begun = { id: 'rotation-2', owner: 'ann', startedAt: 0, users: ['monitor'] }
    expect(beginRotation({ settles: false }, begun)).to.include({ phase: 'admitting' })
    const rotation = beginRotation({ settles: true }, begun)
    expect(rotation).to.include({ phase: 'renewing', settling: true })
    const next = informed({ ...rotation, phase: 'informing' }, { took: ['lb1'], left: [] })
    expect(next).to.include({ phase: 'narrowing', settling: true })
    expect(settled(next)).to.deep.equal({ ...begun, phase: 'admitting', renewed: [] })
  })

  it('settles only what a rotation left', () => {
    for (const [phase, message, left] of [
      ['succeeded', undefined, false],
      ['cancelled', undefined, false],
      ['succeeded', 'db2 did not answer', true],
      ['stopped', 'it was cancelled', true],
      ['renewing', undefined, false],
    ] as const)
      expect(leftSecond({ ...fresh, phase, ...(message ? { message } : {}) }), phase).to.equal(left)
    expect(leftSecond(undefined)).to.equal(false)
  })

  it('waits for proxies, and names them with the reason', () => {
    const left = [{ name: 'lb1', reason: 'no answer' }]
    const waiting = informed({ ...fresh, phase: 'informing' }, { took: ['lb2'], left })
    expect(waiting).to.deep.include({ phase: 'informing', waitsFor: 'lb1: no answer', informed: ['lb2'] })
  })

  it('does not configure proxies while an operation runs: it routes', () => {
    expect(step({ phase: 'informing' }, healthy, { operation: running() }).type).to.equal('wait')
  })

  it('leaves both passwords valid when cancelled while it waits for a proxy, and names it', () => {
    const rotation = { ...fresh, phase: 'informing', waitsFor: 'lb1: no answer' } as const
    const cancelled = cancelRotation({ rotation, logins }, { user: 'ann', adopted: true })
    expect(cancelled.logins).to.equal(logins)
    expect(step(cancelled.rotation)).to.deep.equal({ type: 'inform' })
    const ended = informed(cancelled.rotation, { took: [], left: [{ name: 'lb1', reason: 'no answer' }] })
    expect(ended).to.have.property('phase', 'stopped')
    expect(ended.message).to.contain('lb1').and.contain('cancelled by ann')
    expect(informed(cancelled.rotation, { took: ['lb1'], left: [] })).to.have.property('phase', 'narrowing')
  })

  for (const [reason, rotation, servers, draft] of [
    ['an operation', {}, healthy, { operation: running() }],
    ['a server that is down', {}, [primary(), replica(2, { server: silent() })], {}],
    [
      'a replica that is down',
      { phase: 'renewing', renewed: ['db1'] },
      [primary(), replica(2, { server: silent() })],
      {},
    ],
    ['a replica that is half stopped', { phase: 'renewing' }, [primary(), replica(2, { sql: 'stopped' })], {}],
  ] as const)
    it(`waits for ${reason}`, () => {
      let found = step(rotation as Partial<Rotation>, servers, draft)
      if (found.type === 'next') found = step(found.rotation, servers, draft)
      expect(found.type).to.equal('wait')
    })

  it('goes back as long as nothing uses the new passwords, without replicas that are down', () => {
    for (const phase of ['admitting', 'adopting'] as const) {
      const cancelled = cancelRotation({ rotation: { ...fresh, phase }, logins }, { user: 'ann', adopted: false })
      expect(cancelled.rotation).to.include({ phase: 'narrowing', back: true, cancelledBy: 'ann' })
      expect(cancelled.logins.monitor).to.deep.equal({ user: 'monitor', from: 'new', to: 'old', back: true })
      const found = step(cancelled.rotation, [primary(), replica(2, { server: silent() }), replica(3)])
      expect(found).to.deep.equal({ type: 'narrow', servers: ['db1', 'db3'], leftOut: 'db2' })
    }
  })

  it('leaves both passwords valid when cancelled while replicas change, and names those that may use the old one', () => {
    const rotation = { ...fresh, phase: 'renewing', renewed: ['db1', 'db3'], waitsFor: 'db2' } as const
    const cancelled = cancelRotation({ rotation, logins }, { user: 'ann', adopted: true })
    expect(cancelled.logins).to.equal(logins)
    const found = step(cancelled.rotation, [primary(), replica(2, { server: silent() }), replica(3)])
    expect(found).to.have.nested.property('rotation.phase', 'stopped')
    expect(found).to.have.nested.property('rotation.message').that.contains('db2').and.contains('cancelled by ann')
    // A replica that has its turn is not left stopped.
    const turn = { server: 'db2', start: true } as const
    const stopped = [primary(), replica(2, { io: 'stopped', sql: 'stopped' }), replica(3)]
    expect(step({ ...cancelled.rotation, turn }, stopped)).to.include({ type: 'renew', server: 'db2', start: true })
  })

  it('ends on those that answer when it is cancelled while the old passwords go', () => {
    const rotation = { ...fresh, phase: 'narrowing', renewed: ['db1', 'db2', 'db3'] } as const
    const cancelled = cancelRotation({ rotation, logins }, { user: 'ann', adopted: true })
    const found = step(cancelled.rotation, [primary(), replica(2, { server: silent() }), replica(3)])
    expect(found).to.deep.include({ type: 'narrow', servers: ['db1', 'db3'] })
    expect(step(cancelled.rotation, [primary(1, {}, silent()), replica(2), replica(3)]).type).to.equal('wait')
  })

  it('never locks out a client, wherever it is interrupted, whichever server fails or becomes the primary', () => {
    const happening = fc.oneof(
      fc.record({ type: fc.constant('kill' as const), after: fc.nat(4) }),
      fc.record({ type: fc.constant('flip' as const), server: fc.nat(3) }),
      fc.record({ type: fc.constant('move' as const), server: fc.nat(2) }),
      fc.constant({ type: 'step' as const }),
      fc.constant({ type: 'cancel' as const }),
    )
    fc.assert(
      fc.property(fc.array(happening, { maxLength: 40 }), (happenings) => {
        const world = new World()
        for (const each of happenings) {
          if (each.type === 'flip') world.flip(each.server)
          else if (each.type === 'move') world.move(each.server)
          else if (each.type === 'cancel') world.cancel()
          else world.step(each.type === 'kill' ? each.after : Number.POSITIVE_INFINITY)
          expect(world.lockedOut()).to.deep.equal([])
        }
        world.heal()
        for (let turn = 0; turn < 20; turn += 1) world.step(Number.POSITIVE_INFINITY)
        expect(world.lockedOut()).to.deep.equal([])
        expect(isRotating(world.rotation)).to.equal(false)
        const { phase, message } = world.rotation
        // Servers that did not answer get the primary's log, which these three do not have.
        if (phase === 'stopped') expect(message).to.contain('accounts accept the old and the new passwords')
        else if (message === undefined)
          expect(new Set(world.accepted())).to.deep.equal(new Set([phase === 'succeeded' ? 'new' : 'old']))
      }),
      { numRuns: 500 },
    )
  })
})

/** The state of the proxy among those that fail. */
const PROXY = 3

/** Three servers with their accounts and source definitions, and a proxy; whatever is done may be cut short. */
class World {
  rotation: Rotation = fresh
  #settings = 'old'
  #proxy = 'old'
  #primary = 0
  readonly #down = new Set<number>()
  readonly #accounts = [['old'], ['old'], ['old']]
  readonly #sources: (string | undefined)[] = [undefined, 'old', 'old']

  flip(server: number): void {
    if (!this.#down.delete(server)) this.#down.add(server)
  }

  cancel(): void {
    if (!isRotating(this.rotation) || this.rotation.cancelledBy) return
    const adopted = this.#settings === 'new'
    this.rotation = cancelRotation({ rotation: this.rotation, logins }, { user: 'ann', adopted }).rotation
  }

  heal(): void {
    this.#down.clear()
  }

  /** A change of the primary gives every replica that answers the password of the settings. */
  move(server: number): void {
    if (this.#down.size > 0) return
    this.#primary = server
    for (const each of [0, 1, 2]) this.#sources[each] = each === server ? undefined : this.#settings
  }

  accepted(): readonly string[] {
    return this.#accounts.map((passwords) => passwords.join())
  }

  /** Servers that the manager or the proxy cannot log in to, or that cannot log in to their source. */
  lockedOut(): readonly string[] {
    return [0, 1, 2].flatMap((each) => {
      const source = this.#sources[each]
      return [
        ...(this.#accounts[each]?.includes(this.#settings) ? [] : [`the manager at ${each}`]),
        ...(this.#accounts[each]?.includes(this.#proxy) ? [] : [`the proxy at ${each}`]),
        ...(source === undefined || this.#accounts[this.#primary]?.includes(source) ? [] : [`${each} at its source`]),
      ]
    })
  }

  /** One step; killed after so many changes, before its end is written down. */
  step(killedAfter: number): void {
    if (!isRotating(this.rotation)) return
    const found = nextStep(this.rotation, this.#snapshot(), 'repl')
    let left = killedAfter
    const isAlive = () => left-- > 0
    const next = this.#perform(found, isAlive)
    if (next && isAlive()) this.rotation = next
  }

  #perform(found: RotationStep, isAlive: () => boolean): Rotation | undefined {
    if (found.type === 'next') return found.rotation
    if (found.type === 'adopt') {
      if (isAlive()) this.#settings = 'new'
      return { ...this.rotation, phase: 'renewing' }
    }
    if (found.type === 'renew') {
      if (isAlive()) this.#sources[Number(found.server.slice(2)) - 1] = this.#settings
      return renewed(this.rotation, found.server)
    }
    if (found.type === 'wait') return undefined
    if (found.type === 'inform') {
      const name = 'the proxy'
      if (this.rotation.informed?.includes(name)) return informed(this.rotation, { took: [], left: [] })
      if (this.#down.has(PROXY)) return informed(this.rotation, { took: [], left: [{ name, reason: 'it is down' }] })
      if (isAlive()) this.#proxy = this.#settings
      return informed(this.rotation, { took: [name], left: [] })
    }
    const { type } = found
    const isBack = this.rotation.back === true
    for (const id of found.servers)
      if (isAlive())
        this.#accounts[Number(id.slice(2)) - 1] = type === 'admit' ? ['old', 'new'] : [isBack ? 'old' : 'new']
    if (type === 'admit') return { ...this.rotation, phase: 'adopting' }
    const message = found.leftOut === undefined ? {} : { message: found.leftOut }
    return { ...this.rotation, phase: isBack ? 'cancelled' : 'succeeded', ...message }
  }

  #snapshot(): Snapshot {
    const servers = [0, 1, 2].map((each) => {
      const draft = this.#down.has(each) ? silent() : {}
      if (this.#sources[each] === undefined) return primary(each + 1, {}, draft)
      return replica(each + 1, { source: this.#primary + 1, server: draft })
    })
    return snapshotOf(servers, { memory: { primary: `db${this.#primary + 1}` } })
  }
}
