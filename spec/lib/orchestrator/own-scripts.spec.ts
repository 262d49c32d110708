// Scripts of the operator in place of an orchestrator: what they are given, and where.
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { done } from '../../../lib/base/result.js'
import { createAgentOrchestrator, createMissingOrchestrator } from '../../../lib/orchestrator/agent.js'
import { withOwnScripts } from '../../../lib/orchestrator/own-scripts.js'
import { newDirectory } from '../../support/machine/directories.js'
import '../../support/run/programs.js'

const directory = newDirectory('own-scripts')
const none = { provision: '', unprovision: '', start: '', stop: '' }
const service = { kind: 'database', host: 'db1', port: 3306, name: 'db1', id: 'db1' } as const

/** Starts a database by a script that writes down its arguments, as all users see them, and its password. */
async function start(user: string) {
  const script = path.join(directory, 'start')
  writeFileSync(
    script,
    `#!/bin/sh\ntr '\\0' '|' <"/proc/$$/cmdline" >"$0.seen"\nprintf %s "$MANAGER_SERVICE_PASSWORD" >"$0.password"\n`,
  )
  chmodSync(script, 0o700)
  const scripts = { database: { ...none, start: script }, proxy: none }
  const login = { user, password: 'hidden-password' }
  const logins = { database: login, proxy: login }
  const orchestrator = withOwnScripts(createMissingOrchestrator('kube'), { cluster: 'shop', scripts, logins })
  const run = { log: () => {}, signal: new AbortController().signal }
  return { script, started: await orchestrator.start(service as never, run as never) }
}

describe('withOwnScripts', () => {
  it('gives the password in the environment, never as an argument', async () => {
    const { script, started } = await start('monitor')
    expect(started).to.have.property('ok', true)
    expect(readFileSync(`${script}.seen`, 'utf8')).to.match(/\|db1\|3306\|monitor\|\|shop\|$/)
    expect(readFileSync(`${script}.seen`, 'utf8')).to.not.include('hidden-password')
    expect(readFileSync(`${script}.password`, 'utf8')).to.equal('hidden-password')
  })

  it('leaves to the host only what no script does', () => {
    const agent = createAgentOrchestrator({
      ...{ kind: 'slapos', login: { user: '', password: '' } },
      raise: async () => done,
      sinceAsked: async () => 0,
    })
    const scripts = { database: { ...none, start: '/opt/start' }, proxy: none }
    const logins = { database: { user: '', password: '' }, proxy: { user: '', password: '' } }
    const { left } = withOwnScripts(agent, { cluster: 'shop', scripts, logins })
    expect(agent.left?.(service as never, 'start')).to.equal('left to the host: it acts when it asks for need-start')
    expect(agent.left?.(service as never, 'stop')).to.equal(undefined)
    for (const action of ['start', 'restart', 'stop'] as const)
      expect(left?.(service as never, action), action).to.equal(undefined)
    expect(left?.(service as never, 'apply')).to.equal('left to the host: it acts when it asks for need-config-change')
  })

  it('starts nothing whose argument would read as an option', async () => {
    const { started } = await start('--checkpoint-action=exec=id')
    expect(started).to.have.nested.property('failure.code', 'script-failed')
  })
})
