// The printed commands, as people and scripts run them, against a real gateway over a scripted manager.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { parse } from 'yaml'
import { CliWorld } from '../../support/http/cli-world.js'
import { newDirectory } from '../../support/machine/directories.js'

describe('manager-cli: nouns and verbs', () => {
  const world = CliWorld.forSuite()

  it('shows a list as a table, or a part of it in any format', async () => {
    const { status, stdout } = await world.client.run('server', 'list')
    expect(status).to.equal(0)
    expect(stdout)
      .to.match(/^HOST +PORT +STATE +RO +FAILS /)
      .and.match(/^db1 +3306 +Master /m)
    expect((await world.client.run('server', 'list', '--query', '[].host')).stdout).to.equal('db1\ndb2\ndb3\n')
    const yaml = await world.client.run(
      'server',
      'list',
      '--output',
      'yaml',
      '--query',
      "[?state=='Master'].{host: host}",
    )
    expect(parse(yaml.stdout)).to.deep.equal([{ host: 'db1' }])
    expect(await world.client.json('topology', '--query', 'length(servers)')).to.equal(3)
  })

  it('does what a verb says, with its flags', async () => {
    const outcome = await world.client.run('setting', 'set', 'failover-limit', '3')
    expect([outcome.status, outcome.stderr]).to.deep.equal([0, ''])
    expect(outcome.stdout).to.match(/^failover-limit is 3 now \(saved: kept over restarts\)\.\n/)
    expect((await world.client.run('server', 'start', 'db1:3306', '--force')).status).to.equal(0)
    expect(world.face.calls.find(({ name }) => name === 'run-service')?.given).to.deep.include({ force: true })
  })

  it('says what it did where the answer is empty, to people alone', async () => {
    const server = await world.client.run('server', 'set-maintenance', 'db2:3306')
    expect([server.status, server.stdout]).to.deep.equal([0, 'server set-maintenance db2:3306: done.\n'])
    const user = await world.client.run('user', 'add', 'ann', '--new-password', 'hers')
    expect(user.stdout).to.equal('user add ann: done.\n')
    expect((await world.client.run('user', 'drop', 'ann', '--yes', '--output', 'json')).stdout).to.equal('')
  })

  it('prints what a reload found in the files as `manager check` does', async () => {
    const found = { place: '/etc/c.toml:7', section: 'demo', name: 'failovr-mode', problem: 'unknown setting' }
    world.face.replies.set('reloadSettings', { ok: true, faults: [], warnings: [found], recognised: [] })
    const { stdout } = await world.client.run('setting', 'reload')
    expect(stdout).to.equal(
      'warning: /etc/c.toml:7: [demo] failovr-mode: unknown setting\nvalid: 0 errors, 1 warning, 0 without effect\n',
    )
  })

  it('revokes a token by its label, where one alone has it', async () => {
    const make = (label: string) => world.client.json<{ id: string }>('token', 'create', label)
    const [{ id }, twin, other] = [await make('nightly'), await make('twin'), await make('twin')]
    expect(await world.client.json('token', 'revoke', 'nightly', '--yes')).to.include({ id, revoked: true })
    const again = await world.client.run('token', 'revoke', 'nightly', '--yes')
    expect([again.status, again.stderr]).to.match(/^5,nightly is neither the id nor the label of a valid token/)
    const both = await world.client.run('token', 'revoke', 'twin', '--yes')
    expect([both.status, both.stderr].join()).to.contain('2,2 tokens are labelled twin').and.contain(other.id)
    expect(await world.client.json('token', 'revoke', twin.id, '--yes')).to.include({ revoked: true })
  })

  it('lists the users of a cluster', async () => {
    const { stdout } = await world.client.run('user', 'list')
    expect(stdout).to.match(/^USER +ACCESS +ROLES +ADDED +SIGN-ON\nadmin +show +false +false\n$/)
  })

  it('makes no user of the password that was meant for it and given as that of the login', async () => {
    const { status, stderr } = await world.client.run('user', 'add', 'ann', '--password', 'hers')
    expect([status, stderr]).to.deep.equal([
      2,
      '--password is used for the login (prefer MANAGER_PASSWORD); use --new-password for the value to send\n',
    ])
    expect(world.face.calls).to.deep.equal([])
    expect((await world.client.run('user', 'add', 'ann', '--new-password', 'hers')).status).to.equal(0)
    expect(world.face.calls[0]?.given).to.deep.include({ username: 'ann', password: 'hers' })
  })

  it('takes rows that want no login without one', async () => {
    const nobody = world.as('nobody', undefined)
    expect((await nobody.run('monitor', 'alive')).stdout).to.equal('alive  running\n')
    for (const words of [
      ['check', 'is-master'],
      ['need', 'start'],
    ]) {
      const { status, stderr } = await nobody.run(...words, 'db1:3306', '--cluster', 'demo')
      expect(status, stderr).to.be.oneOf([0, 1])
      expect(stderr).not.to.contain('password')
    }
  })

  it('refuses without a terminal what loses something, without --yes', async () => {
    const refused = await world.client.run('server', 'unprovision', 'db2')
    expect(refused.status).to.equal(3)
    expect(refused.stderr).to.match(/^server unprovision db2: .+ No terminal: pass --yes to confirm\.\n$/)
    expect(world.face.calls).to.deep.equal([])
    expect((await world.client.run('server', 'unprovision', 'db2', '--yes')).status).to.equal(0)
    expect(world.face.calls.map(({ name }) => name)).to.deep.equal(['run-service'])
  })

  for (const [answer, status, calls] of [
    ['y\r', 0, 1],
    ['\r', 3, 0],
  ] as const)
    it(`asks on a terminal, and ${calls === 1 ? 'does it' : 'leaves it'} as answered`, async () => {
      const running = world.client.startOnTerminal('server', 'unprovision', 'db2')
      await running.said('[y/N]')
      running.child.stdin?.write(answer)
      expect((await running.ended).status).to.equal(status)
      expect(world.face.calls.length).to.equal(calls)
    })

  for (const words of [['failover'], ['cluster', 'failover'], ['stop', 'db2'], ['server', 'stop', 'db2']])
    it(`asks on a terminal before ${words.join(' ')}, and does it without one`, async () => {
      const running = world.client.startOnTerminal(...words)
      await running.said('[y/N]')
      running.child.stdin?.write('n\r')
      expect((await running.ended).status).to.equal(3)
      const done = () => world.face.calls.map(({ name }) => name).filter((name) => !name.startsWith('plan-'))
      expect(done()).to.deep.equal([])
      const { status, stderr } = await world.client.run(...words)
      expect(status, stderr).to.equal(0)
      expect(done()).to.have.lengthOf(1)
    })

  for (const words of [
    ['unprovision'],
    ['unprovision', 'db2'],
    ['user', 'drop', 'nobody'],
    ['cluster', 'delete', 'demo'],
  ])
    it(`refuses ${words.join(' ')} without a terminal, without --yes`, async () => {
      const { status, stderr } = await world.client.run(...words)
      expect({ status, stderr }).to.deep.include({ status: 3 })
      expect(stderr).to.contain('pass --yes')
      expect(world.face.calls).to.deep.equal([])
    })

  it('takes --force for a yes', async () => {
    expect((await world.client.run('unprovision', 'db2', '--force')).status).to.equal(0)
    expect(world.face.calls.map(({ name }) => name)).to.deep.equal(['run-service'])
  })

  it('names the nearest of what there is not', async () => {
    expect(await world.client.run('servr', 'list')).to.deep.include({ status: 2 })
    expect((await world.client.run('servr', 'list')).stderr).to.contain('Did you mean server?')
    expect((await world.client.run('server', 'lst')).stderr).to.contain('Did you mean list?')
    const { status, stderr } = await world.client.run('server', 'start', 'bd1')
    expect(status).to.equal(5)
    expect(stderr).to.match(/Did you mean db1\?/)
    expect((await world.client.run('server', 'start', 'moon')).stderr).to.contain('db1:3306')
  })

  it('reports what is wrong with a path before it asks for anything', async () => {
    const { status, stderr } = await world.client.run('server', 'list', '--query', '[')
    expect(status).to.equal(2)
    expect(stderr).to.match(/^invalid --query "\[": .+\n$/)
  })

  it('asks for a word that is missing', async () => {
    expect(await world.client.run('server', 'start')).to.deep.include({ status: 2 })
    expect((await world.client.run('user', 'add')).stderr).to.contain('username')
  })

  it('writes a download into a file', async () => {
    world.face.metricPieces = async function* () {
      yield Buffer.from('up 1\n')
    }
    const file = path.join(newDirectory('download'), 'metrics.txt')
    const { status, stdout } = await world.client.run('monitor', 'metrics')
    expect(status).to.equal(0)
    expect(stdout).to.equal('up 1\n')
    expect(await world.client.run('monitor', 'metrics', '--file', file)).to.deep.include({
      status: 0,
      stdout: `${file}\n`,
    })
    expect(readFileSync(file, 'utf8')).to.equal(stdout)
  })
})

describe('manager-cli: login and logout', () => {
  const world = CliWorld.forSuite()

  it('keeps a token for later runs until it is forgotten', async () => {
    const person = world.as('admin', 'repman')
    const { status, stderr } = await person.run('login')
    expect([status, stderr]).to.match(/admin is logged in at 127\.0\.0\.1:\d+ and sees demo\./)
    const later = world.as('admin', undefined, { XDG_CONFIG_HOME: person.home })
    expect((await later.run('server', 'list')).status).to.equal(0)
    expect((await later.run('logout')).status).to.equal(0)
    expect((await later.run('server', 'list')).status).to.equal(4)
  })

  it('names what there is for completions with the kept token, and is silent without', async () => {
    const person = world.as('admin', 'repman')
    await person.run('login')
    const quiet = world.as('admin', undefined, { XDG_CONFIG_HOME: person.home })
    const none = { status: 0, stdout: '', stderr: '' }
    expect((await quiet.run('names', 'server')).stdout).to.equal('db1:3306\ndb2:3306\ndb3:3306\n')
    expect((await quiet.run('names', 'cluster')).stdout).to.equal('demo\n')
    expect((await quiet.run('names', 'value', '--', 'failover-mode')).stdout).to.equal('manual\nautomatic\n')
    expect((await quiet.run('names', 'code')).stdout).to.match(/^ERR00001$/m)
    expect((await quiet.run('names', 'silence')).status).to.equal(0)
    expect(await world.as('nobody', undefined).run('names', 'server')).to.deep.equal(none)
    expect(await world.as('admin', undefined, { MANAGER_PORT: '1' }).run('names', 'server')).to.deep.equal(none)
  })

  it('logs in again, also where a token is kept', async () => {
    const person = world.as('boss', 'wrong')
    expect((await person.run('login')).status).to.equal(4)
  })

  it('uses an API token in place of a login', async () => {
    const { token } = await world.client.json<{ token: string }>('token', 'create', 'ci', '--expire-days', '1')
    const machine = world.as('nobody', undefined, { MANAGER_API_TOKEN: token })
    expect((await machine.run('topology')).status).to.equal(0)
    expect((await world.as('nobody', undefined, { MANAGER_API_TOKEN: 'mat_no' }).run('topology')).status).to.equal(4)
  })
})
