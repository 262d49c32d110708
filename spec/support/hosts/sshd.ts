// Real sshd processes of a test: each a host of its own on a loopback address, let in by key or by password.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import { newDirectory } from '../machine/directories.js'
import { howEnded } from '../machine/how-ended.js'
import { pauseProcess } from '../machine/pause.js'
import { freePorts } from '../machine/ports.js'
import { eventually } from '../wait.js'

export interface SshHost {
  readonly host: string
  readonly port: number
  /** Stops it for good, or as if it hung. */
  stop(): Promise<void>
  pause(): void
  resume(): void
  /** Ends it and starts it again with a key of another kind of its own. */
  changeKey(): Promise<void>
}

export interface SshHosts {
  readonly user: string
  /** File and text of a private key that all of them let in, and of one that none does. */
  readonly keyFile: string
  readonly key: string
  readonly strangerKey: string
  readonly port: number
  readonly hosts: readonly SshHost[]
  stop(): Promise<void>
}

export interface SshRequest {
  readonly addresses: readonly string[]
  /** Words before `sshd`: a namespace or a root of its own, by address. */
  readonly inside?: (address: string) => readonly string[]
}

/**
 * A line of its configuration: bash reads `~/.bashrc` before a command of SSH only where no shell is around it. What stands there
 * on this machine may take seconds, and a lock for which the next command waits a minute.
 */
export const WITHOUT_LOGIN_FILES = 'SetEnv SHLVL=1'

const children = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL')
})

/** One sshd per address, all on the same port. The user is the one that the spec runs as. */
export async function startSshHosts({ addresses, inside = () => [] }: SshRequest): Promise<SshHosts> {
  const directory = newDirectory('sshd')
  mkdirSync('/run/sshd', { recursive: true })
  const [port = 0] = await freePorts(1)
  const keyFile = makeKey(directory, 'user')
  const strangerKey = readFileSync(makeKey(directory, 'stranger'), 'utf8')
  writeFileSync(path.join(directory, 'authorized_keys'), readFileSync(`${keyFile}.pub`))
  const user = execFileSync('id', ['-un'], { encoding: 'utf8' }).trim()
  const hosts = await Promise.all(
    addresses.map((address) => startHost({ directory, address, port, inside: inside(address) })),
  )
  return {
    ...{ user, keyFile, key: readFileSync(keyFile, 'utf8'), strangerKey, port, hosts },
    stop: async () => {
      await Promise.all(hosts.map((host) => host.stop()))
    },
  }
}

function makeKey(directory: string, name: string): string {
  const file = path.join(directory, name)
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', file, '-C', name])
  return file
}

interface HostRequest {
  readonly directory: string
  readonly address: string
  readonly port: number
  readonly inside: readonly string[]
}

async function startHost({ directory, address, port, inside }: HostRequest): Promise<SshHost> {
  let keys = 0
  const configure = (): string => {
    keys += 1
    const file = path.join(directory, `${address}.conf`)
    const lines = [
      `Port ${port}`,
      `ListenAddress ${address}`,
      `HostKey ${makeKey(directory, `${address}-${keys}`)}`,
      'PidFile none',
      `AuthorizedKeysFile ${path.join(directory, 'authorized_keys')}`,
      'StrictModes no',
      'UsePAM no',
      'PasswordAuthentication no',
      'KbdInteractiveAuthentication no',
      'PermitRootLogin prohibit-password',
      'MaxStartups 200',
      WITHOUT_LOGIN_FILES,
    ]
    writeFileSync(file, `${lines.join('\n')}\n`)
    return file
  }
  const start = async (): Promise<ChildProcess> => {
    const words = [...inside, '/usr/sbin/sshd', '-D', '-e', '-f', configure()]
    const child = spawn(words[0] ?? '', words.slice(1), { stdio: ['ignore', 'ignore', 'pipe'] })
    let said = ''
    child.stderr?.on('data', (chunk) => {
      said = `${said}${chunk}`.slice(-2_000)
    })
    children.add(child)
    child.once('exit', () => children.delete(child))
    await eventually(
      () => listens(address, port),
      () => `sshd on ${address} listens\n${said}`,
      { over: () => howEnded(child) },
    )
    return child
  }
  const end = async (child: ChildProcess): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const gone = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGKILL')
    await gone
  }
  let child = await start()
  return {
    host: address,
    port,
    stop: () => end(child),
    pause: () => pauseProcess(child),
    resume: () => void child.kill('SIGCONT'),
    changeKey: async () => {
      await end(child)
      child = await start()
    },
  }
}

/** Whether something accepts connections there. */
export const listens = (host: string, port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = net.connect(port, host)
    probe.once('connect', () => {
      probe.destroy()
      resolve(true)
    })
    probe.once('error', () => resolve(false))
  })
