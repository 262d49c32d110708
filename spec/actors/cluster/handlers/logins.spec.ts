// Plans wait for a login of the replication account: it is tried at once, and waited for in bounded time.
import { expect } from 'chai'
import { clusterBehaviour as behaviour } from '../../../../actors/cluster/handlers/behaviour.js'
import { initialState } from '../../../../actors/cluster/state/start.js'
import type { ClusterState } from '../../../../actors/cluster/state/state.js'
import { secret } from '../../../../lib/base/secret.js'
import { freshMemory } from '../../../../lib/model/memory.js'
import { markOf } from '../../../../lib/model/plan-id.js'
import type { SourceLogin } from '../../../../lib/model/server/reading.js'
import type { ServerSnapshot } from '../../../../lib/model/snapshot.js'
import { defaultSettings, exportSettings, withSettings } from '../../../../lib/settings/index.js'
import { cutOff, NOW, primary, refused, replica, situation } from '../../../support/simulator/situation.js'

const none = secret('')
const hosts = { 'db-servers-hosts': ['db1', 'db2', 'db3'] }
const settings = defaultSettings({ ...hosts, 'replication-credential': secret('repl:right') })
const accepted: SourceLogin = { at: NOW + 5, user: 'repl', state: 'accepted', message: '' }

function stateWith(servers: readonly ServerSnapshot[], given = settings): ClusterState {
  const { snapshot, memory } = situation(servers)
  const init = { name: 'c1', directory: '/nowhere', settings: exportSettings(given) }
  return { ...initialState(init, { memory: freshMemory, damage: [] }, NOW), snapshot, memory, ready: true }
}

const healthy = (probeMs = 1) => [primary(), replica(2, { server: { probeMs } }), replica(3)]
const at = (now: number, since = now) => ({ now, since, reply: 1 })
const plan = (state: ClusterState, arrival = at(NOW)) =>
  behaviour['plan-switchover'](state, { candidate: 'db2' }, arrival)
const found = (state: ClusterState, login: SourceLogin) =>
  behaviour['observed-login'](state, { server: 'db2', login }, at(NOW + 5)).state

/** A reply that was given at once. */
function given<T>(reply: ReturnType<typeof plan>['reply']): T {
  if (typeof reply === 'object' && 'ok' in reply && reply.ok) return reply.value as T
  throw new Error(`the plan was not answered: ${JSON.stringify(reply)}`)
}
const preview = (outcome: ReturnType<typeof plan>) => given<Parameters<typeof markOf>[0]>(outcome.reply)

describe('plan-switchover', () => {
  it('tries the login of the replication account at once, and is answered when it was accepted', () => {
    const state = stateWith(healthy())
    const asked = plan(state)
    expect(asked.commands?.map(({ type, ...rest }) => ('server' in rest ? [type, rest.server] : type))).to.deep.equal([
      ['try-login', 'db2'],
    ])
    expect(asked.reply).to.have.property('until').above(NOW)
    expect(preview(plan(found(state, accepted), at(NOW + 5, NOW)))).to.include({ possible: true })
  })

  it('is refused when the login was denied', () => {
    const denied: SourceLogin = { ...accepted, state: 'denied', message: 'error 1045', repair: 'ALTER USER x;' }
    const answered = preview(plan(found(stateWith(healthy()), denied), at(NOW + 5, NOW)))
    expect(answered).to.include({ possible: false }).and.not.have.property('unchecked')
    expect(answered.refusal).to.include('ALTER USER x;')
  })

  it('waits longer for a server that is far away, and says then that it is unchecked, with the id of one that is', () => {
    const until = (state: ClusterState) => (plan(state).reply as { readonly until: number }).until
    const state = stateWith(healthy())
    const end = until(state)
    expect(until(stateWith(healthy(200)))).to.be.above(end)
    expect(plan(state, at(end - 1, NOW)).reply).to.deep.equal({ until: end })
    const late = preview(plan(state, at(end, NOW)))
    expect(late).to.include({ possible: false }).and.have.property('unchecked')
    expect(markOf(late)).to.equal(markOf(preview(plan(found(state, accepted), at(NOW + 5, NOW)))))
  })

  it('is answered at once without a replication account, and where it is refused for another reason', () => {
    expect(
      preview(plan(stateWith(healthy(), defaultSettings({ ...hosts, 'replication-credential': none })))),
    ).to.include({ possible: true })
    const closed = [primary(1, { readOnly: true }), replica(2)]
    expect(preview(plan(stateWith(closed)))).to.include({ possible: false })
  })

  it('trusts no login of an account that was changed since', () => {
    const { snapshot } = stateWith([])
    const init = { name: 'c1', directory: '/nowhere', settings: exportSettings(settings) }
    const start = initialState(init, { memory: freshMemory, damage: [] }, NOW)
    const servers = start.snapshot.servers.map((server) => ({ ...server, login: accepted }))
    const known = { ...start, snapshot: { ...snapshot, servers } }
    const loginsWith = (credential: string) => {
      const changed = withSettings(settings, { 'replication-credential': secret(credential) })
      const { state } = behaviour.reconfigure(known, { settings: exportSettings(changed) }, at(NOW + 10))
      return state.snapshot.servers.map(({ login }) => login)
    }
    const each = (login: unknown) => servers.map(() => login)
    expect(loginsWith('repl:right')).to.deep.equal(each(accepted))
    expect(loginsWith('repl:another')).to.deep.equal(each({ ...accepted, outdated: true }))
    expect(loginsWith('')).to.deep.equal(each(undefined))
  })

  it('begins the switchover of a plan that was unchecked: the operation checks the login itself', () => {
    const state = stateWith(healthy())
    const end = (plan(state).reply as { readonly until: number }).until
    const confirmed = markOf(preview(plan(state, at(end, NOW))))
    for (const login of [undefined, accepted]) {
      const now = login ? found(state, login) : state
      const wish = { user: 'ann', candidate: 'db2', wait: false, confirmed }
      const begun = behaviour.switchover(now, wish, at(end + 1))
      expect(begun.state.snapshot.operation?.steps.map(({ command }) => command.type).slice(0, 2)).to.deep.equal([
        'reprobe',
        'check-login',
      ])
    }
  })
})

describe('a failover', () => {
  const dead = [primary(1, {}, refused), replica(2, cutOff), replica(3, cutOff)]

  it('that a person plans waits for the login', () => {
    const asked = behaviour['plan-failover'](stateWith(dead), {}, at(NOW))
    expect(asked.reply).to.have.property('until')
  })

  it('waits for no login when it begins, asked for or not', () => {
    const automatic = withSettings(settings, { 'failover-mode': 'automatic' })
    const begun = [
      behaviour.tick(stateWith(dead, automatic), {}, at(NOW)),
      behaviour.failover(stateWith(dead), { user: 'ann', wait: false }, at(NOW)),
    ]
    for (const { state, commands = [] } of begun) {
      expect(state.snapshot.operation?.kind).to.equal('failover')
      expect(commands.map(({ type }) => type))
        .to.include('operate')
        .and.not.include('try-login')
    }
  })
})

describe('plan-work', () => {
  it('of a new source waits for the login there', () => {
    const chain = stateWith(healthy(), withSettings(settings, { 'replication-multi-tier-slave': true }))
    const work = { type: 'relocate', server: 'db3', source: 'db2' } as const
    const asked = behaviour['plan-work'](chain, { work }, at(NOW))
    expect(asked.commands?.map(({ type }) => type)).to.deep.equal(['try-login'])
    const answered = behaviour['plan-work'](found(chain, accepted), { work }, at(NOW + 5, NOW))
    expect(answered.commands?.map(({ type }) => type)).to.deep.equal(['plan-work'])
  })
})
