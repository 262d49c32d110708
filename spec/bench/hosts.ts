// One apply cycle over 100 hosts by SSH: its time beside the plain `ssh` program, and that no more hosts than allowed are busy.
import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process'
import { setMaxListeners } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import net from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { createLimit } from '../../lib/base/limit.js'
import { sharePath } from '../../lib/base/package-root.js'
import { ok, unwrap } from '../../lib/base/result.js'
import { SECOND, sleep } from '../../lib/base/time.js'
import { KnownHosts } from '../../lib/connect/ssh/known-hosts.js'
import { createSshPool } from '../../lib/connect/ssh/ssh.js'
import type { ServiceSpec } from '../../lib/model/operation/services.js'
import { createOnPremiseOrchestrator } from '../../lib/orchestrator/onpremise/index.js'
import { atMost, atMostTimes, type BenchRow, judgeRow } from './row.js'

const HOSTS = 100
const AT_ONCE = 8
/** Hosts that the `ssh` program is measured on; its time is taken times `HOSTS / FLOOR_HOSTS`. */
const FLOOR_HOSTS = 24
const execute = promisify(execFile)

const addresses = Array.from({ length: HOSTS }, (_, index) => `127.0.5.${index + 1}`)

/** What a delivery costs on a host at least: a check of its files and a few lines reported. */
const script = 'for line in 1 2 3 4 5; do echo "$MANAGER_HOST_NAME: line $line"; done\n'

export async function benchHosts(): Promise<readonly BenchRow[]> {
  const directory = await mkdtemp(path.join(tmpdir(), 'manager-hosts-'))
  const sshd = await startSshd(directory)
  try {
    writeFileSync(path.join(directory, 'start.sh'), script)
    const floor = (await timeOf(() => plainCycle(directory, sshd.port))) * (HOSTS / FLOOR_HOSTS)
    const { cold, warm, peak, lines } = await applyCycles(directory, sshd.port)
    if (lines !== 2 * 5 * HOSTS) throw new Error(`${lines} lines came from ${HOSTS} hosts in two cycles`)
    const name = `apply to ${HOSTS} hosts, floor the ssh program`
    return [
      judgeRow({ name, value: cold, unit: 's', floor, target: atMostTimes(1.5) }),
      judgeRow({ name: `${name}, connections kept`, value: warm, unit: 's', floor, target: atMostTimes(1) }),
      judgeRow({ name: `hosts busy at once, ${AT_ONCE} allowed`, value: peak, unit: 'hosts', target: atMost(AT_ONCE) }),
    ]
  } finally {
    sshd.end()
    await rm(directory, { recursive: true, force: true })
  }
}

async function applyCycles(directory: string, port: number) {
  const pool = createSshPool({
    knownHosts: new KnownHosts(path.join(directory, 'known_hosts')),
    ...{ firstUse: 'accept', connectMs: 10 * SECOND, maxHosts: AT_ONCE, idleMs: 60 * SECOND },
  })
  const privateKey = await readFile(path.join(directory, 'user'), 'utf8')
  const orchestrator = createOnPremiseOrchestrator({
    ...{ cluster: 'bench', pool, sudo: false, login: { user: '', password: '' } },
    account: async () => ok({ user: userInfo().username, port, privateKey }),
    environment: async ({ host }) => ok({ MANAGER_HOST_NAME: host }),
    dataDir: () => path.join(directory, 'data'),
    configDir: () => path.join(directory, 'etc'),
    baseDir: () => '',
    tlsFiles: () => ({ ca: '', cert: '', key: '' }),
    builtIn: async () => ok(await readFile(sharePath('scripts/onpremise/host.sh'), 'utf8')),
    ...{ startScript: path.join(directory, 'start.sh'), stopScript: '', deadlineMs: 60 * SECOND, fillMs: 60 * SECOND },
  })
  let lines = 0
  const { signal } = new AbortController()
  setMaxListeners(0, signal)
  const run = {
    signal,
    log: (line: string) => {
      if (/: line \d$/.test(line)) lines += 1
    },
    force: false,
  }
  const service = (host: string): ServiceSpec => ({ kind: 'database', id: host, name: host, host, port: 3306 })
  const cycle = () =>
    timeOf(async () => {
      const results = await Promise.all(addresses.map((host) => orchestrator.apply(service(host), run)))
      for (const result of results) unwrap(result)
    })
  try {
    return { cold: await cycle(), warm: await cycle(), peak: pool.limit.peak, lines }
  } finally {
    orchestrator.close()
  }
}

/** The same number of commands by the `ssh` program, as many at once. */
async function plainCycle(directory: string, port: number): Promise<void> {
  const limit = createLimit(AT_ONCE)
  const options = [
    '-F',
    'none',
    '-o',
    'StrictHostKeyChecking=no',
    '-o',
    `UserKnownHostsFile=${directory}/plain`,
    '-o',
    'LogLevel=ERROR',
  ]
  await Promise.all(
    addresses
      .slice(0, FLOOR_HOSTS)
      .map((host) =>
        limit.runAlone(host, new AbortController().signal, () =>
          execute('ssh', [
            ...options,
            '-i',
            `${directory}/user`,
            '-p',
            `${port}`,
            host,
            `export MANAGER_HOST_NAME=${host}; ${script}`,
          ]),
        ),
      ),
  )
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return (performance.now() - startedAt) / SECOND
}

/** One sshd listens on at most 16 addresses. */
const ADDRESSES_EACH = 16

/** So many sshd that every host has an address, all on one port. */
async function startSshd(directory: string) {
  mkdirSync('/run/sshd', { recursive: true })
  for (const name of ['user', 'host'])
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', path.join(directory, name)])
  const port = await freePort()
  const children: ChildProcess[] = []
  const kill = () => {
    for (const child of children) child.kill('SIGKILL')
  }
  process.once('exit', kill)
  for (let first = 0; first < HOSTS; first += ADDRESSES_EACH) {
    const file = path.join(directory, `sshd-${first}.conf`)
    writeFileSync(file, sshdConfig(directory, port, addresses.slice(first, first + ADDRESSES_EACH)))
    children.push(spawn('/usr/sbin/sshd', ['-D', '-e', '-f', file], { stdio: 'ignore' }))
  }
  for (const address of addresses)
    while (!(await answers(address, port))) {
      if (children.some(({ exitCode }) => exitCode !== null)) throw new Error('sshd does not start')
      await sleep(20)
    }
  return {
    port,
    end: () => {
      process.off('exit', kill)
      kill()
    },
  }
}

const sshdConfig = (directory: string, port: number, listen: readonly string[]): string =>
  [
    ...[`Port ${port}`, ...listen.map((address) => `ListenAddress ${address}`), `HostKey ${directory}/host`],
    ...['PidFile none', `AuthorizedKeysFile ${directory}/user.pub`, 'StrictModes no', 'UsePAM no', 'MaxStartups 200'],
    ...['PasswordAuthentication no', 'KbdInteractiveAuthentication no', 'PermitRootLogin prohibit-password', ''],
  ].join('\n')

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = net.createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as net.AddressInfo
      server.close(() => resolve(port))
    })
  })
}

const answers = (address: string, port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = net.connect(port, address)
    probe.once('connect', () => {
      probe.destroy()
      resolve(true)
    })
    probe.once('error', () => resolve(false))
  })
