// Commands over SSH on real sshd processes: trusted by key, bounded in number and time, every failure named.
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'chai'
import type { Result } from '../../../../lib/base/result.js'
import { unwrap } from '../../../../lib/base/result.js'
import { KnownHosts } from '../../../../lib/connect/ssh/known-hosts.js'
import { createSshPool, type SshPool, type SshPoolOptions, type SshTarget } from '../../../../lib/connect/ssh/ssh.js'
import { type SshHosts, startSshHosts } from '../../../support/hosts/sshd.js'
import { alarm } from '../../../support/machine/alarm.js'
import { newDirectory } from '../../../support/machine/directories.js'
import { freePorts } from '../../../support/machine/ports.js'

const neverAborted = new AbortController().signal
const addresses = ['127.0.2.1', '127.0.2.2', '127.0.2.3', '127.0.2.4', '127.0.2.5', '127.0.2.6']
const codeOf = (result: Result<unknown>) => (result.ok ? 'ok' : result.failure.code)
const messageOf = (result: Result<unknown>) => (result.ok ? '' : result.failure.message)

describe('createSshPool', () => {
  let sshd: SshHosts
  const pools: SshPool[] = []
  let files = 0

  const pool = (more: Partial<SshPoolOptions> = {}): SshPool => {
    files += 1
    const knownHosts = new KnownHosts(path.join(newDirectory('ssh'), `known-${files}`))
    const made = createSshPool({
      ...{ knownHosts, firstUse: 'accept', connectMs: 30_000, maxHosts: 4, idleMs: 60_000 },
      ...more,
    })
    pools.push(made)
    return made
  }
  const target = (index = 0): SshTarget => ({
    ...{ host: addresses[index] ?? '', port: sshd.port, user: sshd.user, privateKey: sshd.key },
  })
  const command = (text: string, more: object = {}) => ({
    command: text,
    timeoutMs: 60_000,
    signal: neverAborted,
    ...more,
  })

  before(async () => {
    sshd = await startSshHosts({ addresses })
  })
  afterEach(() => {
    for (const made of pools.splice(0)) made.close()
  })
  after(() => sshd.stop())

  it('delivers lines as they arrive, from both outputs, and the status', async () => {
    const lines: string[] = []
    const asked = command('echo one; echo two >&2; cat; exit 7', {
      input: 'three\n',
      onLine: (line: string) => lines.push(line),
    })
    const answer = unwrap(await pool().run(target(), asked))
    expect(lines.toSorted()).to.deep.equal(['one', 'three', 'two'])
    expect(answer.code).to.equal(7)
  })

  it('runs the next command on the existing connection', async () => {
    const one = pool()
    const client = async () => unwrap(await one.run(target(), command('echo $SSH_CONNECTION'))).lastLines[0]
    expect(await client()).to.equal(await client())
  })

  it('reconnects after the host was restarted', async () => {
    const knownHosts = new KnownHosts(path.join(newDirectory('ssh'), 'known'))
    const one = pool({ knownHosts })
    unwrap(await one.run(target(5), command('true')))
    await sshd.hosts[5]?.changeKey()
    await writeFile(knownHosts.file, '')
    // The first command may still use the closing connection and fail; the next one opens a new connection.
    await one.run(target(5), command('true'))
    expect(codeOf(await one.run(target(5), command('true')))).to.equal('ok')
  })

  it('acts on a limited number of hosts at once, one command at a time on each', async () => {
    const one = pool({ maxHosts: 3 })
    const marks = newDirectory('marks')
    /** Ends only when a second host acts too: logging in may take longer than a command. */
    const note = (index: number) =>
      `echo "$(date +%s%N) + ${index}"; touch ${marks}/${index}; ` +
      `while [ "$(ls ${marks} | wc -l)" -lt 2 ]; do sleep 0.1; done; sleep 0.2; echo "$(date +%s%N) - ${index}"`
    const lines: string[] = []
    const ask = (index: number) =>
      one.run(target(index), command(note(index), { onLine: (line: string) => lines.push(line) }))
    await Promise.all([0, 1, 2, 3, 4, 0, 1].map(ask))
    let open: string[] = []
    let most = 0
    for (const [, sign, host = ''] of lines.toSorted().map((line) => line.split(' '))) {
      if (sign === '+') expect(open).to.not.include(host)
      open = sign === '+' ? [...open, host] : open.filter((each) => each !== host)
      most = Math.max(most, open.length)
    }
    expect(most).to.be.within(2, 3)
    expect(one.limit.peak).to.equal(3)
  })

  it('aborts a command that takes too long, reports its last line, and runs the next on another connection', async () => {
    const one = pool()
    unwrap(await one.run(target(), command('true')))
    const { timer, ring } = alarm()
    const late = command('echo started; sleep 30; echo no', { timer, onLine: () => ring(60_000) })
    const result = await one.run(target(), late)
    expect(codeOf(result)).to.equal('deadline-passed')
    expect(messageOf(result)).to.match(/not done within 60000 ms; its last line: started$/)
    expect(unwrap(await one.run(target(), command('echo next'))).lastLines).to.deep.equal(['next'])
  })

  it('cancels waiting commands on the abort signal', async () => {
    const one = pool({ maxHosts: 1 })
    const first = one.run(target(0), command('true'))
    const given = new AbortController()
    const second = one.run(target(1), command('true', { signal: given.signal }))
    given.abort()
    expect(messageOf(await second)).to.match(/ended while it waited for its turn/)
    expect(codeOf(await first)).to.equal('ok')
  })

  it('names a host that is down', async () => {
    const [closed = 0] = await freePorts(1)
    const result = await pool().run({ ...target(), port: closed }, command('true'))
    expect(codeOf(result)).to.equal('ssh-unreachable')
    expect(messageOf(result)).to.contain(`127.0.2.1:${closed}: connect ECONNREFUSED`)
  })

  it('gives up on a host that hangs', async () => {
    sshd.hosts[4]?.pause()
    const result = await pool({ connectMs: 400 }).run(target(4), command('true'))
    sshd.hosts[4]?.resume()
    expect(codeOf(result)).to.equal('ssh-unreachable')
    expect(messageOf(result)).to.match(/[Tt]imed out/)
  })

  it('reports that a key, or a password, is refused', async () => {
    const key = await pool().run({ ...target(), privateKey: sshd.strangerKey }, command('true'))
    expect(codeOf(key)).to.equal('ssh-rejected')
    expect(messageOf(key)).to.match(/refuses the login \(key\)$/)
    const { privateKey: _, ...keyless } = target()
    const password = await pool().run({ ...keyless, password: 'wrong' }, command('true'))
    expect(messageOf(password)).to.match(/refuses the login \(password\)$/)
    expect(messageOf(await pool().run(keyless, command('true')))).to.match(/neither a key nor a password is configured/)
  })

  it('reports that a key file holds no key', async () => {
    const result = await pool().run({ ...target(), privateKey: 'no key' }, command('true'))
    expect(messageOf(result)).to.match(/privateKey/)
  })

  describe('host keys', () => {
    it('are stored at first use and trusted afterwards', async () => {
      const knownHosts = new KnownHosts(path.join(newDirectory('ssh'), 'below/known'))
      unwrap(await pool({ knownHosts }).run(target(), command('true')))
      const text = await readFile(knownHosts.file, 'utf8')
      expect(text).to.match(new RegExp(`^\\[127\\.0\\.2\\.1\\]:${sshd.port} ssh-ed25519 \\S+\\n$`))
      unwrap(await pool({ knownHosts, firstUse: 'refuse' }).run(target(), command('true')))
      expect(await readFile(knownHosts.file, 'utf8')).to.equal(text)
    })

    it('of unknown hosts are refused when so configured, with the fingerprint to compare', async () => {
      const result = await pool({ firstUse: 'refuse' }).run(target(), command('true'))
      expect(codeOf(result)).to.equal('ssh-host-key')
      expect(messageOf(result)).to.match(/is not in .+; it presents ssh-ed25519 SHA256:\S{43}$/)
    })

    it('that have changed are refused by name, whatever the policy', async () => {
      const knownHosts = new KnownHosts(path.join(newDirectory('ssh'), 'known'))
      unwrap(await pool({ knownHosts }).run(target(3), command('true')))
      await sshd.hosts[3]?.changeKey()
      const result = await pool({ knownHosts }).run(target(3), command('true'))
      expect(codeOf(result)).to.equal('ssh-host-key')
      expect(messageOf(result)).to.contain('the host key has changed').and.to.contain(knownHosts.file)
    })

    it('are refused when the file revokes them or lists only keys of another type', async () => {
      const first = new KnownHosts(path.join(newDirectory('ssh'), 'known'))
      unwrap(await pool({ knownHosts: first }).run(target(), command('true')))
      const line = await readFile(first.file, 'utf8')
      await writeFile(first.file, `@revoked ${line}`)
      expect(messageOf(await pool({ knownHosts: first }).run(target(), command('true')))).to.match(/is revoked in/)
      await writeFile(first.file, line.replace('ssh-ed25519', 'ssh-rsa'))
      expect(codeOf(await pool({ knownHosts: first }).run(target(), command('true')))).to.equal('ssh-host-key')
    })

    it('are found under hashed names and patterns as OpenSSH writes them', async () => {
      const knownHosts = new KnownHosts(path.join(newDirectory('ssh'), 'known'))
      unwrap(await pool({ knownHosts }).run(target(), command('true')))
      const line = await readFile(knownHosts.file, 'utf8')
      const { execFileSync } = await import('node:child_process')
      execFileSync('ssh-keygen', ['-q', '-H', '-f', knownHosts.file], { stdio: 'ignore' })
      expect(await readFile(knownHosts.file, 'utf8')).to.match(/^\|1\|/)
      unwrap(await pool({ knownHosts, firstUse: 'refuse' }).run(target(), command('true')))
      await writeFile(knownHosts.file, line.replace('[127.0.2.1]', '[127.0.2.*]'))
      unwrap(await pool({ knownHosts, firstUse: 'refuse' }).run(target(), command('true')))
    })
  })
})
