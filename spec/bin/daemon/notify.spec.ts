// The protocol of sd_notify against a real datagram socket: by both programs that send, and from the daemon's start to its end.
import { spawn } from 'node:child_process'
import { chmodSync, mkdirSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { openNotifier, watchBeats } from '../../../bin/daemon/notify.js'
import { newDirectory } from '../../support/machine/directories.js'
import { endWithRun } from '../../support/machine/leftovers.js'
import { ManagerProcess } from '../../support/manager/manager-process.js'
import { eventually } from '../../support/wait.js'

/** Binds the socket and prints each datagram on a line, its own line ends as blanks. */
const RECEIVE = `$| = 1; my $path = shift; $path =~ s/^@/\\0/; socket(my $s, PF_UNIX, SOCK_DGRAM, 0) or die;
bind($s, pack_sockaddr_un($path)) or die "$!"; print "bound\\n";
while (defined recv($s, my $bytes, 4096, 0)) { $bytes =~ tr/\\n/|/; print "$bytes\\n" }`

class ServiceManager {
  readonly #lines: string[] = []
  readonly #child

  constructor(socket: string) {
    this.#child = spawn('perl', ['-MSocket', '-e', RECEIVE, socket], { stdio: ['ignore', 'pipe', 'inherit'] })
    endWithRun(this.#child)
    this.#child.stdout.on('data', (bytes: Buffer) => this.#lines.push(...bytes.toString().trimEnd().split('\n')))
  }

  /** Those that carry an assignment; barriers of systemd-notify are not messages. */
  messages(): readonly string[] {
    return this.#lines.filter((line) => line !== 'bound' && !line.startsWith('BARRIER='))
  }

  bound = () => eventually(() => this.#lines.includes('bound'), 'the socket is bound')

  end = () => this.#child.kill('SIGKILL')
}

/** A folder that has only this program of the senders. */
function programs(name: string): string {
  const folder = newDirectory(name)
  mkdirSync(path.join(folder, 'bin'))
  symlinkSync(`/usr/bin/${name}`, path.join(folder, 'bin', name))
  chmodSync(folder, 0o755)
  return path.join(folder, 'bin')
}

describe('openNotifier', () => {
  for (const [program, socket] of [
    ['systemd-notify', path.join(newDirectory('notify'), 'socket')],
    ['perl', path.join(newDirectory('notify'), 'socket')],
    ['perl', `@manager-spec-${process.pid}`],
  ] as const)
    it(`reports ready, heartbeats and the end by ${program} to ${socket.startsWith('@') ? 'an abstract socket' : 'a file'}`, async () => {
      const service = new ServiceManager(socket)
      await service.bound()
      const environment = { NOTIFY_SOCKET: socket, WATCHDOG_USEC: '300000', PATH: programs(program) }
      let beat = 0
      const { ready, stopping } = openNotifier({
        environment,
        pid: process.pid,
        log: () => undefined,
        beats: () => new Map([['host-1', ++beat]]),
        condition: () => '2 clusters',
      })
      expect(environment).to.have.all.keys('PATH')
      ready()
      await eventually(() => expect(service.messages()).to.include('WATCHDOG=1|STATUS=2 clusters'), 'a heartbeat')
      await stopping()
      await eventually(
        () => expect(service.messages().at(-1)).to.equal('STOPPING=1|STATUS=stopping'),
        'the report of its end',
      )
      expect(service.messages()[0]).to.equal('READY=1|STATUS=2 clusters')
      service.end()
    })

  it('withholds the heartbeat while a host thread hangs, and logs which', async () => {
    const socket = path.join(newDirectory('notify'), 'socket')
    const service = new ServiceManager(socket)
    await service.bound()
    const logged: string[] = []
    const { ready, stopping } = openNotifier({
      environment: { NOTIFY_SOCKET: socket, WATCHDOG_USEC: '150000', PATH: programs('perl') },
      pid: process.pid,
      log: (_level, code, fields) => logged.push(`${code} ${JSON.stringify(fields)}`),
      beats: () => new Map([['host-1', 7]]),
      condition: () => '2 clusters',
    })
    ready()
    await eventually(
      () => expect(logged.filter((line) => line.includes('host-1')).length).to.be.greaterThan(3),
      'the log names the thread',
    )
    await stopping()
    // The first check after the start has nothing to compare with.
    expect(service.messages().filter((line) => line.startsWith('WATCHDOG')).length).to.be.at.most(1)
    service.end()
  })

  it('sends no heartbeat that is meant for another process', async () => {
    const socket = path.join(newDirectory('notify'), 'socket')
    const service = new ServiceManager(socket)
    await service.bound()
    const { ready, stopping } = openNotifier({
      environment: { NOTIFY_SOCKET: socket, WATCHDOG_USEC: '1000', WATCHDOG_PID: '1', PATH: programs('perl') },
      pid: process.pid,
      log: () => undefined,
      beats: () => new Map(),
      condition: () => '',
    })
    ready()
    await stopping()
    await eventually(
      () => expect(service.messages()).to.deep.equal(['READY=1|STATUS=', 'STOPPING=1|STATUS=stopping']),
      'begin and end, nothing else',
    )
    service.end()
  })

  it('sends nothing where no service manager listens', async () => {
    const environment = { PATH: '' }
    const { ready, stopping } = openNotifier({
      environment,
      pid: process.pid,
      log: () => expect.fail('nothing is logged'),
      beats: () => expect.fail('no heartbeat is read'),
      condition: () => '',
    })
    ready()
    await stopping()
  })
})

describe('watchBeats', () => {
  it('names the threads that have not moved, not those that have just come up', () => {
    let beats = new Map([['host-1', 1]])
    const silent = watchBeats(() => beats)
    expect(silent()).to.deep.equal([])
    beats = new Map([
      ['host-1', 1],
      ['host-2', 5],
    ])
    expect(silent()).to.deep.equal(['host-1'])
    beats = new Map([
      ['host-1', 2],
      ['host-2', 6],
    ])
    expect(silent()).to.deep.equal([])
  })
})

describe('the daemon under a service manager', () => {
  it('is ready when it answers, beats while it runs, and reports its end before it ends', async () => {
    const socket = path.join(newDirectory('notify'), 'socket')
    const service = new ServiceManager(socket)
    await service.bound()
    Object.assign(process.env, { NOTIFY_SOCKET: socket, WATCHDOG_USEC: '900000' })
    const manager = await ManagerProcess.create({ clusters: {} })
    try {
      manager.start()
      for (const name of ['NOTIFY_SOCKET', 'WATCHDOG_USEC']) delete process.env[name]
      await eventually(
        () => expect(service.messages()[0]).to.match(/^READY=1\|STATUS=0 clusters, API on port \d+$/),
        'it is ready',
      )
      await manager.alive()
      await eventually(
        () => expect(service.messages().some((line) => line.startsWith('WATCHDOG=1|'))).to.equal(true),
        'a heartbeat',
      )
      expect(await manager.end('SIGTERM')).to.equal(0)
      await eventually(
        () => expect(service.messages().at(-1)).to.equal('STOPPING=1|STATUS=stopping'),
        'the report of its end',
      )
    } finally {
      service.end()
      await manager.destroy()
    }
  })
})
