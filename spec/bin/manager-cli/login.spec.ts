// Who the client is, and how it asks.
import { statSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { CliWorld } from '../../support/http/cli-world.js'

describe('manager-cli: login', () => {
  const world = CliWorld.forSuite()

  it('keeps a token of mode 0600 and uses it without a password', async () => {
    const person = world.as('admin', 'repman')
    await person.run('topology')
    expect((statSync(path.join(person.home, 'manager/sessions.json')).mode & 0o777).toString(8)).to.equal('600')
    const { status } = await world.as('admin', undefined, { XDG_CONFIG_HOME: person.home }).run('topology')
    expect(status).to.equal(0)
  })

  it('ends with 4 for a wrong password, none, and a missing grant', async () => {
    expect(await world.as('boss', 'wrong').run('topology')).to.deep.include({
      status: 4,
      stderr: 'the login of boss was refused\n',
    })
    expect((await world.as('boss', undefined).run('topology')).stderr).to.contain('no password for boss')
    expect((await world.as('viewer', 'see-only').run('switchover', '--cluster', 'demo')).status).to.equal(4)
  })

  it('takes a flag before the variable', async () => {
    const { status } = await world.as('boss', 'wrong').run('--user', 'admin', '--password', 'repman', 'topology')
    expect(status).to.equal(0)
  })

  it('asks for the password on a terminal, and shows nothing of it', async () => {
    const running = world.as('admin', undefined).startOnTerminal('topology')
    await running.said('Password of admin: ')
    running.child.stdin?.write('rep\u007fpman\r')
    const { status, stdout } = await running.ended
    expect(status, stdout).to.equal(0)
    expect(stdout).to.contain('db1:3306').and.not.contain('repman').and.not.contain('rep')
    expect(stdout).to.contain('\u001b[32m')
  })

  it('ends with 130 when the question is interrupted', async () => {
    const running = world.as('admin', undefined).startOnTerminal('topology')
    await running.said('Password of admin: ')
    running.child.stdin?.write('\u0003')
    expect((await running.ended).status).to.equal(130)
  })
})
