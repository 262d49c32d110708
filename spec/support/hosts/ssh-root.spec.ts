// Hosts over SSH run what they are asked to run and nothing before it.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { unwrap } from '../../../lib/base/result.js'
import { MINUTE } from '../../../lib/base/time.js'
import { KnownHosts } from '../../../lib/connect/ssh/known-hosts.js'
import { openSsh } from '../../../lib/connect/ssh/session.js'
import { newDirectory } from '../machine/directories.js'
import { whyNoHosts } from './host-root.js'
import { type SshRoots, startSshRoots } from './ssh-root.js'

describe('startSshRoots', () => {
  let roots: SshRoots | undefined

  before(async function () {
    const reason = await whyNoHosts()
    if (reason !== undefined) {
      process.stderr.write(`      skipped: ${reason}\n`)
      return this.skip()
    }
    roots = await startSshRoots(['127.0.3.71'])
  })
  after(() => roots?.end())

  it('gives root an empty home', async () => {
    expect(await roots?.hosts[0]?.root.outputOf('ls -A /root')).to.equal('')
  })

  it('runs no login file before a command', async () => {
    const {
      hosts: [host],
      keyFile,
      port,
    } = roots as SshRoots
    if (!host) throw new Error('there is no host')
    host.root.write('/root/.bashrc', 'echo read; exit 3\n')
    const session = unwrap(
      await openSsh(
        { host: host.address, port, user: 'root', privateKey: readFileSync(keyFile, 'utf8') },
        {
          ...{ firstUse: 'accept', connectMs: MINUTE },
          knownHosts: new KnownHosts(path.join(newDirectory('known-hosts'), 'known_hosts')),
        },
      ),
    )
    const { signal } = new AbortController()
    const answer = unwrap(await session.run({ command: 'echo asked', timeoutMs: MINUTE, signal }))
    session.close()
    expect(answer).to.deep.equal({ code: 0, lastLines: ['asked'] })
  })
})
