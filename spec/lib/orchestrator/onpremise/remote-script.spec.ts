// Scripts as remote commands, run by a real sh: whole or not at all, whatever the values hold.
import { spawnSync } from 'node:child_process'
import { expect } from 'chai'
import { CUT_OFF, quote, remoteCommand } from '../../../../lib/orchestrator/onpremise/remote-script.js'

const run = (text: string, environment: Readonly<Record<string, string>> = {}, cut = 0) => {
  const { command, input } = remoteCommand({ text, environment, sudo: false, limitSeconds: 5 })
  const ended = spawnSync('sh', ['-c', command], { input: input.slice(0, input.length - cut), encoding: 'utf8' })
  return { status: ended.status, out: ended.stdout, err: ended.stderr, command }
}

describe('remoteCommand', () => {
  it('passes every value unchanged and shows none of them among its arguments', () => {
    const value = 'it\'s "a" $(touch /tmp/no) `x` \\ $HOME\nsecond line; #'
    const { out, command } = run('printf %s "$MANAGER_PASSWORD"', { MANAGER_PASSWORD: value })
    expect(out).to.equal(value)
    expect(command).to.not.contain('second line')
  })

  it('passes the status and does not let a program of the script read its rest', () => {
    expect(run('cat >/dev/null\necho still here\nexit 7')).to.include({ status: 7, out: 'still here\n' })
  })

  it('runs nothing of a script that was cut off', () => {
    const { status, out, err } = run('echo started\n', {}, 3)
    expect({ status, out }).to.deep.equal({ status: CUT_OFF, out: '' })
    expect(err).to.equal('the script did not arrive whole\n')
  })

  it('refuses a name that no shell has', () => {
    expect(() => remoteCommand({ text: '', environment: { 'A B': '1' }, sudo: false, limitSeconds: 5 })).to.throw(
      /not a variable name/,
    )
  })

  it('asks sudo for no password', () => {
    expect(remoteCommand({ text: '', environment: {}, sudo: true, limitSeconds: 5 }).command).to.match(
      /^sudo -n timeout /,
    )
  })
})

describe('quote', () => {
  it('leaves nothing for the shell to read', () => expect(quote("a'b")).to.equal("'a'\\''b'"))
})
