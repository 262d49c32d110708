// A real HAProxy process of a test, with a write and a read backend as the manager expects them.
import { type ChildProcess, spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import { sleep } from '../../../lib/base/time.js'
import { newDirectory } from '../machine/directories.js'
import { pauseProcess } from '../machine/pause.js'
import { freePorts } from '../machine/ports.js'

export interface HaproxyProcess {
  readonly writePort: number
  readonly readPort: number
  readonly apiPort: number
  /** The same API as a socket file. */
  readonly socket: string
  pause(): void
  resume(): void
  stop(): Promise<void>
  /** Starts it again after a stop, as it was at first: it has forgotten every change. */
  restart(): Promise<void>
}

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
    '  timeout connect 1s',
    '  timeout client 30s',
    '  timeout server 30s',
    `frontend write\n  bind 127.0.0.1:${writePort}\n  default_backend service_write`,
    `frontend read\n  bind 127.0.0.1:${readPort}\n  default_backend service_read`,
  ]
  writeFileSync(file, [...common, ...backends, ''].join('\n'))
  const start = async (): Promise<ChildProcess> => {
    const child = spawn('haproxy', ['-db', '-q', '-f', file], { stdio: 'ignore' })
    children.add(child)
    child.once('exit', () => children.delete(child))
    for (let tries = 0; !(await answers(apiPort)); tries += 1) {
      if (tries > 200) throw new Error('haproxy does not start')
      await sleep(20)
    }
    return child
  }
  let child = await start()
  return {
    writePort,
    readPort,
    apiPort,
    socket,
    pause: () => pauseProcess(child),
    resume: () => void child.kill('SIGCONT'),
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return
      const gone = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGKILL')
      await gone
    },
    restart: async () => {
      child = await start()
    },
  }
}

const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = net.connect(port, '127.0.0.1')
    probe.once('connect', () => {
      probe.destroy()
      resolve(true)
    })
    probe.once('error', () => resolve(false))
  })
