// A real HAProxy process of a test, with a write and a read backend as the manager expects them.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { sharePath } from '../../../lib/base/package-root.js'
import { ask } from '../../../lib/proxy/haproxy/wire.js'
import { newDirectory } from '../machine/directories.js'
import { howEnded } from '../machine/how-ended.js'
import { pauseProcess } from '../machine/pause.js'
import { freePorts } from '../machine/ports.js'
import { eventually } from '../wait.js'

export interface HaproxyProcess {
  readonly writePort: number
  readonly readPort: number
  readonly apiPort: number
  /** The same API as a socket file. */
  readonly socket: string
  pause(): void
  resume(): void
  stop(): Promise<void>
  /** Starts it again after a stop, as it was at first: it has forgotten every change. `leader`: its file names this port for writes. */
  restart(leader?: number): Promise<void>
  /** A new process takes over the ports; this one ends with its last session. */
  reload(): Promise<void>
}

const execute = promisify(execFile)
const children = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL')
})

/** Starts HAProxy with one read server per name; none of them has an address yet. Resolves when it answers. */
export const startHaproxy = (readers: readonly string[]): Promise<HaproxyProcess> =>
  run([
    'backend service_write',
    '  server leader 127.0.0.1:1 check inter 500ms disabled',
    'backend service_read',
    ...readers.map((name) => `  server ${name} 127.0.0.1:1 check inter 500ms disabled`),
  ])

export interface CheckedRequest {
  /** Port of the manager's HTTP server. */
  readonly managerPort: number
  readonly cluster: string
  /** Ports of the databases; each is asked for by address and port. */
  readonly databasePorts: readonly number[]
}

/** Starts HAProxy with servers that are up as long as the manager says so: the primary to write, replicas to read. */
export function startCheckedHaproxy({ managerPort, cluster, databasePorts }: CheckedRequest): Promise<HaproxyProcess> {
  const backend = (name: string, word: string) => [
    `backend ${name}`,
    '  option httpchk',
    `  http-check send meth GET uri-lf /api/clusters/${cluster}/servers/%[srv_name]/${word}`,
    '  http-check expect status 200',
    '  default-server inter 100ms fall 1 rise 1 on-marked-down shutdown-sessions',
    ...databasePorts.map(
      (port) => `  server 127.0.0.1:${port} 127.0.0.1:${port} check addr 127.0.0.1 port ${managerPort}`,
    ),
  ]
  return run([...backend('service_write', 'is-master'), ...backend('service_read', 'is-slave')])
}

async function run(backends: readonly string[]): Promise<HaproxyProcess> {
  const [writePort = 0, readPort = 0, apiPort = 0] = await freePorts(3)
  const directory = newDirectory('haproxy')
  const socket = path.join(directory, 'api.sock')
  const file = path.join(directory, 'haproxy.cfg')
  const common = [
    'global',
    `  stats socket ${socket} mode 600 level admin`,
    `  stats socket ipv4@127.0.0.1:${apiPort} level admin`,
    'defaults',
    '  mode tcp',
    // A check that is late on a busy machine is none that failed.
    '  timeout connect 5s',
    '  timeout check 5s',
    '  timeout client 30s',
    '  timeout server 30s',
    `frontend write\n  bind 127.0.0.1:${writePort}\n  default_backend service_write`,
    `frontend read\n  bind 127.0.0.1:${readPort}\n  default_backend service_read`,
  ]
  writeFileSync(file, [...common, ...backends, ''].join('\n'))
  return runFile(file, { writePort, readPort, apiPort, socket })
}

type Doors = Pick<HaproxyProcess, 'writePort' | 'readPort' | 'apiPort' | 'socket'>

async function runFile(file: string, doors: Doors): Promise<HaproxyProcess> {
  const { socket } = doors
  const start = async (more: readonly string[] = []): Promise<ChildProcess> => {
    const child = spawn('haproxy', ['-db', '-q', '-f', file, ...more], { stdio: 'ignore' })
    children.add(child)
    child.once('exit', () => children.delete(child))
    await eventually(() => isServedBy(socket, child), `haproxy answers on ${socket}`, { over: () => howEnded(child) })
    return child
  }
  let child = await start()
  return {
    ...doors,
    reload: async () => {
      child = await start(['-sf', `${child.pid}`])
    },
    pause: () => pauseProcess(child),
    resume: () => void child.kill('SIGCONT'),
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return
      const gone = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGKILL')
      await gone
    },
    restart: async (leader) => {
      if (leader !== undefined) {
        const text = readFileSync(file, 'utf8')
        writeFileSync(
          file,
          text.replace(/^ {2}server leader .+$/m, `  server leader 127.0.0.1:${leader} check inter 500ms`),
        )
      }
      child = await start()
    },
  }
}

/** Its runtime API answers, and it is this process that does: an earlier one may still run beside it. */
async function isServedBy(socket: string, { pid }: ChildProcess): Promise<boolean> {
  const info = await ask({ endpoint: { path: socket }, commands: ['show info'], timeoutMs: 5_000 })
  return info.ok && new RegExp(`^Pid: ${pid}$`, 'm').test(info.value)
}

export interface PageRequest {
  /** Word of the example in share/doc/own-proxies.md. */
  readonly example: 'haproxy' | 'haproxy-runtime'
  readonly databasePorts: readonly number[]
  /** Port of the manager's HTTP server. */
  readonly managerPort: number
  /** Ids of the databases, where the example names them. */
  readonly ids?: readonly string[]
}

export interface PageProxy extends HaproxyProcess {
  /** Saves the states of the servers by the command of the page, and reloads as the unit does. */
  reloadBySystemd(): Promise<void>
}

/** Starts an example of share/doc/own-proxies.md as it stands there, but with these addresses, ports and paths. */
export async function startPageProxy({
  example,
  databasePorts,
  managerPort,
  ids = [],
}: PageRequest): Promise<PageProxy> {
  const [writePort = 0, readPort = 0, apiPort = 0] = await freePorts(3)
  const directory = newDirectory('haproxy')
  const socket = path.join(directory, 'admin.sock')
  let shown = 0
  const own = (text: string) =>
    text
      .replaceAll('/run/haproxy/', `${directory}/`)
      .replaceAll('/var/lib/haproxy/', `${directory}/`)
      .replace('0.0.0.0:3306', `127.0.0.1:${writePort}`)
      .replace('0.0.0.0:3307', `127.0.0.1:${readPort}`)
      .replace('10.0.0.21:1999', `127.0.0.1:${apiPort}`)
      .replaceAll('10.0.0.5 agent-port 10001', `127.0.0.1 agent-port ${managerPort}`)
      .replaceAll(/10\.0\.0\.1(\d):3306/g, (_, last) => `127.0.0.1:${databasePorts[Number(last) - 1]}`)
      .replaceAll(' shop ', ' story ')
      .replaceAll(/db\d{10,}/g, () => ids[shown++] ?? '')
  const file = path.join(directory, 'haproxy.cfg')
  writeFileSync(file, own(readExample(example)))
  writeFileSync(path.join(directory, 'servers.state'), '1\n')
  const haproxy = await runFile(file, { writePort, readPort, apiPort, socket })
  const [, save = ''] = /^ExecReload=\/bin\/sh -c '(.+)'$/m.exec(readExample('systemd')) ?? []
  return {
    ...haproxy,
    reloadBySystemd: async () => {
      await execute('/bin/sh', ['-c', own(save)])
      await haproxy.reload()
    },
  }
}

/** The text of an example of the page. */
export function readExample(word: string): string {
  const page = readFileSync(sharePath('doc/own-proxies.md'), 'utf8')
  const [, text] = new RegExp(`^\`\`\`${word}\\n([\\s\\S]+?)^\`\`\``, 'm').exec(page) ?? []
  if (text === undefined) throw new Error(`the page has no example ${word}`)
  return text
}
