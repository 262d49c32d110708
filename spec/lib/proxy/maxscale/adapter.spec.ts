// MaxScale through its REST API: a stand-in that keeps state and refuses what the real one refuses.
import { expect } from 'chai'
import { unwrap } from '../../../../lib/base/result.js'
import type { ProxyTarget } from '../../../../lib/proxy/kit/index.js'
import { createMaxscale, type MaxscaleConfig } from '../../../../lib/proxy/maxscale/index.js'
import { type MaxscaleStandIn, startMaxscale } from '../../../support/proxies/maxscale.js'

type State = ProxyTarget['readers'][number]['state']

const signal = () => AbortSignal.timeout(30_000)
const login = { user: 'admin', password: 'mariadb' }
const names = ['db1', 'db2', 'db3'] as const
const hosts = Object.fromEntries(names.map((name, index) => [name, { address: '10.0.0.1', port: 3306 + index }]))

const target = (primary: string | undefined, ...states: readonly State[]): ProxyTarget => {
  const at = (name: string) => ({ id: name, host: '10.0.0.1', port: hosts[name]?.port ?? 0 })
  return {
    ...(primary ? { primary: at(primary) } : {}),
    readers: names.map((name, index) => ({ ...at(name), state: states[index] ?? 'ready' })),
  }
}

describe('createMaxscale', () => {
  let standIn: MaxscaleStandIn
  let config: MaxscaleConfig

  beforeEach(async () => {
    standIn = await startMaxscale({ ...login, servers: hosts })
    standIn.monitorFinds('db1')
    config = {
      ...{ id: 'px1', name: 'lb1', host: '127.0.0.1', port: standIn.port, ...login, timeoutMs: 20_000, patienceMs: 0 },
      rules: { own: false, byPort: true },
    }
  })
  afterEach(() => standIn.stop())

  const apply = (wanted: ProxyTarget, change: Partial<MaxscaleConfig> = {}) =>
    createMaxscale({ ...config, ...change }).apply(wanted, signal())
  const owning = { rules: { own: true, byPort: true } }
  const states = () => names.map((name) => standIn.state(name))

  it('gets no request when nothing differs', async () => {
    unwrap(await apply(target('db1', 'drain')))
    expect(standIn.changes).to.deep.equal([])
  })

  it('is set to maintenance, and cleared', async () => {
    unwrap(await apply(target('db1', 'drain', 'maint')))
    expect(standIn.state('db2')).to.match(/Maintenance/)
    unwrap(await apply(target('db1', 'drain')))
    expect(standIn.state('db2')).not.to.match(/Maintenance/)
    expect(standIn.ended).to.deep.equal([])
  })

  it('refuses all writes while no server may take them: the primary goes into maintenance and its sessions end', async () => {
    unwrap(await apply(target(undefined, 'drain')))
    expect(standIn.changes).to.deep.equal(['set db1 maintenance'])
    expect(standIn.ended).to.deep.equal(['db1'])
  })

  it('waits for its own monitor to see the new primary', async () => {
    unwrap(await apply(target(undefined, 'drain')))
    const applied = apply(target('db2', 'ready', 'drain'), { patienceMs: 20_000 })
    const runs = setInterval(() => standIn.monitorFinds('db2'), 20)
    try {
      unwrap(await applied)
    } finally {
      clearInterval(runs)
    }
    expect(states()).to.deep.equal(['Running, Slave', 'Master, Running', 'Running, Slave'])
  })

  it('names what its own monitor still sees otherwise', async () => {
    expect(await apply(target('db2', 'ready', 'drain'))).to.have.nested.property(
      'failure.message',
      'lb1: db1 still takes writes; db2 takes no writes yet',
    )
  })

  it('takes the roles from the manager where its monitor is to be off', async () => {
    unwrap(await apply(target('db1', 'drain'), owning))
    expect(standIn.changes).to.deep.equal(['stop monitor'])
    unwrap(await apply(target(undefined, 'drain'), owning))
    expect(standIn.state('db1')).to.equal('Maintenance, Running')
    unwrap(await apply(target('db2', 'drain', 'drain', 'maint'), owning))
    expect(states()).to.deep.equal(['Running', 'Master, Running', 'Maintenance, Running'])
    unwrap(await apply(target('db2', 'ready', 'drain', 'ready'), owning))
    expect(states()).to.deep.equal(['Running, Slave', 'Master, Running', 'Running, Slave'])
  })

  it('has no two primaries at any moment', async () => {
    standIn.monitorRuns = false
    unwrap(await apply(target('db2', 'ready', 'drain'), owning))
    expect(standIn.changes.indexOf('clear db1 master')).to.be.lessThan(standIn.changes.indexOf('set db2 master'))
  })

  it('knows a server by its host alone where no other has it and the port may differ', async () => {
    const one = await startMaxscale({ ...login, servers: { only: { address: '10.0.0.9', port: 4006 } } })
    one.monitorFinds('only')
    const wanted: ProxyTarget = {
      primary: { id: 'db9', host: '10.0.0.9', port: 3306 },
      readers: [{ id: 'db9', host: '10.0.0.9', port: 3306, state: 'drain' }],
    }
    const applied = await apply(wanted, { port: one.port, rules: { own: false, byPort: false } })
    const strict = await apply(wanted, { port: one.port })
    await one.stop()
    unwrap(applied)
    expect(strict).to.have.nested.property('failure.message').that.includes('there is no server at 10.0.0.9:3306')
  })

  it('is read: version, servers with their states and connections', async () => {
    const reading = await createMaxscale(config).read(signal())
    expect(reading).to.include({ id: 'px1', kind: 'maxscale', alive: true, version: '23.08.5' })
    expect(reading.backends.map(({ port, group, state }) => `${port} ${group} ${state}`)).to.deep.equal([
      '3306 write Master, Running',
      '3307 read Running, Slave',
      '3308 read Running, Slave',
    ])
    expect(reading.backends[0]?.connections).to.equal(2)
  })

  for (const [what, prepare, change, words] of [
    ['never answers', () => (standIn.mood = 'hung'), { timeoutMs: 100 }, /no answer within 100 ms/],
    ['refuses the login', () => undefined, { password: 'wrong' }, /401: Access denied/],
    ['dies in the middle of an answer', () => (standIn.mood = 'dying'), {}, /aborted|ECONNRESET|hang up/],
    ['answers garbage', () => (standIn.mood = 'garbage'), {}, /not JSON/],
    ['is gone', () => undefined, { port: 1 }, /ECONNREFUSED/],
  ] as const)
    it(`is not alive, takes nothing and says why, when it ${what}`, async () => {
      prepare()
      const proxy = createMaxscale({ ...config, ...change })
      const reading = await proxy.read(signal())
      expect(reading).to.include({ alive: false, version: '' })
      expect(reading.error).to.match(words)
      expect(await proxy.apply(target('db2'), signal())).to.have.nested.property('failure.code', 'proxy-failed')
      const renewal = { logins: [{ user: 'monitor', password: 'new' }], servers: [] }
      expect(await proxy.renewLogin?.(renewal, signal())).to.have.nested.property('failure.code', 'proxy-failed')
      expect(standIn.changes).to.deep.equal([])
      expect(standIn.accounts()).to.deep.equal(['monitor:monitor'])
    })

  describe('when passwords are rotated', () => {
    const logins = [
      { user: 'monitor', password: 'new' },
      { user: 'repl', password: 'of replicas' },
    ]
    const renew = async (until = signal(), ...reached: readonly (keyof typeof hosts)[]) => {
      const servers = names.map((name) => ({
        ...{ host: '10.0.0.1', port: hosts[name]?.port ?? 0 },
        reached: reached.length === 0 || reached.includes(name),
      }))
      const renewed = await createMaxscale(config).renewLogin?.({ logins, servers }, until)
      if (!renewed) throw new Error('it takes new passwords')
      return renewed
    }

    it('logs in with the new ones: its monitor and its services', async () => {
      unwrap(await renew())
      expect(standIn.accounts()).to.deep.equal(['monitor:new'])
      expect(standIn.changes).to.deep.equal(['alter monitor password', 'alter write password'])
      expect(states()).to.deep.equal(['Master, Running', 'Running, Slave', 'Running, Slave'])
      unwrap(await renew())
    })

    it('takes the one of replicas for what it would start replication with', async () => {
      Object.assign(standIn.parameters.monitors.monitor ?? {}, {
        replication_user: 'repl',
        replication_password: 'old',
      })
      unwrap(await renew())
      expect(standIn.parameters.monitors.monitor).to.include({ password: 'new', replication_password: 'of replicas' })
    })

    it('keeps its other accounts', async () => {
      const other = await startMaxscale({ ...login, account: { user: 'own', password: 'own' }, servers: hosts })
      config = { ...config, port: other.port }
      const renewed = await renew()
      await other.stop()
      unwrap(renewed)
      expect(other.accounts()).to.deep.equal(['own:own'])
      expect(other.changes).to.deep.equal([])
    })

    it('keeps what it watches another cluster with, also by an account of the same name', async () => {
      const other = await startMaxscale({ ...login, servers: { db1: { address: '10.0.0.2', port: 3306 } } })
      config = { ...config, port: other.port }
      const renewed = await renew()
      await other.stop()
      unwrap(renewed)
      expect(other.accounts()).to.deep.equal(['monitor:monitor'])
    })

    it('is not done before its monitor has run with it', async () => {
      const ending = new AbortController()
      let asked = 0
      standIn.looks = () => {
        if (standIn.changes.includes('alter monitor password') && ++asked > 3) ending.abort()
        return false
      }
      const renewed = await renew(ending.signal)
      expect(renewed).to.have.nested.property('failure.code', 'proxy-failed')
      expect(ending.signal.aborted, 'it was still waited for').to.equal(true)
      standIn.looks = () => true
      unwrap(await renew())
    })

    it('is not done while its monitor is refused where the manager is not, and says so without a password', async () => {
      standIn.accepts = ({ password }) => password === 'monitor'
      const ending = new AbortController()
      const refused = setInterval(() => {
        if (standIn.state('db1').includes('Auth Error')) ending.abort()
      }, 200)
      const renewed = await renew(ending.signal)
      clearInterval(refused)
      expect(renewed).to.have.nested.property('failure.code', 'proxy-failed')
      expect(JSON.stringify(renewed))
        .to.match(/it sees db1 as Auth Error, Down|not seen|given up/)
        .and.not.contain('"new"')
      standIn.accepts = () => true
      unwrap(await renew())
    })

    it('is done where a server is down for the manager, too', async () => {
      standIn.states.get('db3')?.clear()
      standIn.states.get('db3')?.add('Down')
      unwrap(await renew(signal(), 'db1', 'db2'))
    })

    it('does not wait for a monitor that the manager has stopped', async () => {
      standIn.monitorRuns = false
      unwrap(await renew())
      expect(standIn.accounts()).to.deep.equal(['monitor:new'])
    })
  })
})

describe('MaxscaleStandIn', () => {
  it('refuses roles while its monitor runs, and states that there are not', async () => {
    const standIn = await startMaxscale({ ...login, servers: hosts })
    const put = async (path: string) => {
      const authorization = `Basic ${Buffer.from('admin:mariadb').toString('base64')}`
      const answer = await fetch(`http://127.0.0.1:${standIn.port}/v1${path}`, {
        method: 'PUT',
        headers: { authorization },
      })
      return `${answer.status} ${await answer.text()}`
    }
    const answers = [
      await put('/servers/db1/set?state=master'),
      await put('/servers/db1/set?state=king'),
      await put('/servers/db9/set?state=maintenance'),
      await put('/servers/db1/set?state=maintenance'),
    ]
    await standIn.stop()
    expect(answers[0]).to.match(/^403 .*only the maintenance status/)
    expect(answers[1]).to.match(/^403 .*Invalid state/)
    expect(answers[2]).to.match(/^404 /)
    expect(answers[3]).to.equal('204 ')
  })

  it('shows no password, and refuses to alter what there is not, or without saying what', async () => {
    const standIn = await startMaxscale({ ...login, servers: hosts })
    const ask = async (path: string, body?: string) => {
      const authorization = `Basic ${Buffer.from('admin:mariadb').toString('base64')}`
      const method = body === undefined ? 'GET' : 'PATCH'
      const request = { method, headers: { authorization }, ...(body === undefined ? {} : { body }) }
      const answer = await fetch(`http://127.0.0.1:${standIn.port}/v1${path}`, request)
      return `${answer.status} ${await answer.text()}`
    }
    const altered = (parameters: object) => JSON.stringify({ data: { attributes: { parameters } } })
    const shown = await ask('/monitors')
    const answers = [
      await ask('/monitors/monitor', '{}'),
      await ask('/monitors/monitor', 'no JSON'),
      await ask('/monitors/monitor', altered({ passwd: 'new' })),
      await ask('/monitors/other', altered({ password: 'new' })),
      await ask('/monitors/monitor', altered({ password: 'new' })),
    ]
    await standIn.stop()
    expect(shown).to.contain('"user":"monitor","password":"*****"')
    expect(answers[0]).to.match(/^403 .*No '\/data' field defined/)
    expect(answers[1]).to.match(/^403 /)
    expect(answers[2]).to.match(/^403 .*Unknown parameter: passwd/)
    expect(answers[3]).to.match(/^404 /)
    expect(answers[4]).to.equal('204 ')
  })
})
