// A host of its own for scripts that change `/etc` and `/var`: this machine's root under an overlay in memory, or a tree
// with nothing but BusyBox, each with its own mounts and processes. The network is this machine's. The home of root is empty:
// login files of this machine, and locks that they take, are none of a host. A file that an overlay has seen stays there, too,
// when it is removed below.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { existsSync, lstatSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { promisify } from 'node:util'
import { newDirectory } from '../machine/directories.js'
import { howEnded } from '../machine/how-ended.js'
import { eventually } from '../wait.js'

const execute = promisify(execFile)

export interface Run {
  readonly code: number
  /** Standard output and error, in the order they came. */
  readonly output: string
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>
  /** The shell and its arguments. */
  readonly shell?: readonly string[]
  readonly timeoutMs?: number
}

const running = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/** Why there can be no such host here; undefined when there can. */
export async function whyNoHosts(): Promise<string | undefined> {
  if (process.getuid?.() !== 0) return 'only root makes file systems of its own'
  const host = await HostRoot.create().catch((error: unknown) => String(error))
  if (typeof host === 'string') return `no overlay and namespaces here: ${host}`
  await host.end()
  return undefined
}

export class HostRoot {
  readonly #directory: string
  readonly #child: ChildProcess
  #inner = 0

  private constructor(directory: string, child: ChildProcess) {
    this.#directory = directory
    this.#child = child
  }

  /** `debian`: what this machine has installed, without its databases; `busybox`: a static BusyBox and nothing else. */
  static async create(kind: 'debian' | 'busybox' = 'debian'): Promise<HostRoot> {
    const directory = newDirectory('host')
    for (const name of ['root', 'upper', 'work']) mkdirSync(path.join(directory, name))
    const child = spawn(
      'unshare',
      ['--mount', '--pid', '--fork', '--kill-child', 'sh', '-euc', setup[kind], 'setup', directory],
      { stdio: ['ignore', 'pipe', 'pipe'], env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' } },
    )
    running.add(child)
    child.once('exit', () => running.delete(child))
    const host = new HostRoot(directory, child)
    await host.#untilReady()
    return host
  }

  async #untilReady(): Promise<void> {
    let output = ''
    this.#child.stdout?.on('data', (bytes: Buffer) => (output += bytes.toString()))
    this.#child.stderr?.on('data', (bytes: Buffer) => (output += bytes.toString()))
    await eventually(
      () => output.includes('ready'),
      () => `the root is ready\n${output.trim()}`,
      { everyMs: 5, over: () => howEnded(this.#child) },
    )
    const { pid } = this.#child
    this.#inner = Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim())
  }

  /** Where a file of the host is seen from here. */
  at(file: string): string {
    return path.join(`/proc/${this.#inner}/root${this.#directory}/root`, file)
  }

  exists(file: string): boolean {
    return existsSync(this.at(file)) || lstatSync(this.at(file), { throwIfNoEntry: false }) !== undefined
  }

  read(file: string): string {
    return readFileSync(this.at(file), 'utf8')
  }

  write(file: string, text: string, mode = 0o644): void {
    mkdirSync(path.dirname(this.at(file)), { recursive: true })
    rmSync(this.at(file), { force: true })
    writeFileSync(this.at(file), text, { mode })
  }

  /** Runs a script as its root, fed through standard input as SSH does. */
  async run(script: string, { env = {}, shell = ['sh', '-s'], timeoutMs = 120_000 }: RunOptions = {}): Promise<Run> {
    const namespaces = ['--target', String(this.#inner), '--mount', '--pid']
    const words = Object.entries({ PATH: '/usr/sbin:/usr/bin:/sbin:/bin', ...env }).map(
      ([key, value]) => `${key}=${value}`,
    )
    const child = spawn(
      'nsenter',
      [...namespaces, '--', 'chroot', `${this.#directory}/root`, '/usr/bin/env', '-i', ...words, ...shell],
      { stdio: ['pipe', 'pipe', 'pipe'], timeout: timeoutMs, killSignal: 'SIGKILL' },
    )
    let output = ''
    const take = (bytes: Buffer) => (output += bytes.toString())
    child.stdout.on('data', take)
    child.stderr.on('data', take)
    child.stdin.on('error', () => undefined) // a script that stops early reads no further
    child.stdin.end(script)
    // `exit`, not `close`: a server that the script started keeps the pipes
    const code = await new Promise<number>((resolve) => child.once('exit', (status) => resolve(status ?? -1)))
    // What it wrote is in the pipes: they are read until two turns of the event loop bring nothing more.
    for (let [read, quiet] = [output.length, 0]; quiet < 2; quiet = output.length > read ? 0 : quiet + 1) {
      read = output.length
      await nextTurn()
    }
    child.stdout.destroy()
    child.stderr.destroy()
    return { code, output }
  }

  /** What a command of the host prints; throws when it fails. */
  async outputOf(command: string): Promise<string> {
    const { code, output } = await this.run(command)
    if (code !== 0) throw new Error(`${command}: ${output}`)
    return output.trim()
  }

  /** What a start needs to have found on disk, without the seconds that a real installation takes. */
  async lookInstalled(): Promise<void> {
    await this.outputOf('mkdir -p /var/lib/mysql/mysql /var/lib/mysql/.system/logs; chown -R mysql: /var/lib/mysql')
  }

  /** Ends every process of the host; its files go with them. */
  async end(): Promise<void> {
    const gone = new Promise((resolve) => this.#child.once('exit', resolve))
    if (this.#child.exitCode === null) {
      process.kill(this.#inner, 'SIGKILL')
      await gone
    }
    await execute('rm', ['-rf', this.#directory])
  }
}

const proper = [
  'mount -t proc proc "$1/root/proc"',
  'mount --rbind /dev "$1/root/dev"',
  'echo ready',
  'exec sleep infinity',
]

const setup = {
  debian: [
    'mount --make-rprivate /',
    'mount -t overlay overlay -o "lowerdir=/,upperdir=$1/upper,workdir=$1/work" "$1/root"',
    'for folder in tmp run root; do mount -t tmpfs tmpfs "$1/root/$folder"; done',
    'rm -rf "$1/root/etc/mysql" "$1/root/etc/my.cnf" "$1/root/var/lib/mysql"',
    ...proper,
  ].join('\n'),
  busybox: [
    'mount --make-rprivate /',
    'cd "$1/root"',
    'mkdir -p bin usr/bin etc proc dev tmp var run',
    'cp "$(command -v busybox)" bin/busybox',
    'for name in $(bin/busybox --list | grep -vx busybox); do ln -s busybox "bin/$name"; done',
    'ln -s ../../bin/busybox usr/bin/env',
    'echo "root:x:0:0::/:/bin/sh" >etc/passwd',
    'echo "hosts: files" >etc/nsswitch.conf',
    ...proper,
  ].join('\n'),
}
