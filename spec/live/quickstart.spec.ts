// The first five minutes: bin/quickstart makes a demo, ends it, brings it back with its data, and removes it.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync } from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import { expect } from 'chai'
import { configurationFile, type Demo, readDemo, writeDemo } from '../../bin/demo/configuration.js'
import { stopDemo } from '../../bin/demo/databases.js'
import { packageRoot } from '../../lib/base/package-root.js'
import { unwrap } from '../../lib/base/result.js'
import { openSession } from '../../lib/connect/sql/mysql2-session.js'
import { Client } from '../support/http/client.js'
import { newDirectory } from '../support/machine/directories.js'
import { freePorts } from '../support/machine/ports.js'
import { eventually, next } from '../support/wait.js'

const PROTECTED = /The cluster "demo" is protected/

/** A quickstart that runs, and what it has said so far. */
class Quickstart {
  readonly child: ChildProcess
  /** Settles when it has ended and everything that it said was read. */
  readonly #closed: Promise<unknown>
  #isClosed = false
  said = ''

  constructor(...words: readonly string[]) {
    this.child = spawn(process.execPath, [path.join(packageRoot, 'dist/bin/quickstart.js'), ...words], {
      cwd: packageRoot,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    this.#closed = once(this.child, 'close').finally(() => {
      this.#isClosed = true
    })
    this.child.stderr?.on('data', (piece: Buffer) => {
      this.said += piece.toString()
    })
  }

  async says(what: RegExp): Promise<void> {
    await eventually(
      () => what.test(this.said),
      () => `quickstart says ${what}\n${this.said}`,
      { progress: () => this.said, over: () => (this.#isClosed ? 'it ended' : undefined) },
    )
  }

  get isRunning(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null
  }

  /** Its exit status, once it has ended of its own or by this signal. */
  async end(signal?: NodeJS.Signals): Promise<number | null> {
    if (signal) this.child.kill(signal)
    await this.#closed
    return this.child.exitCode
  }
}

describe('bin/quickstart', function () {
  this.timeout(900_000)
  let directory: string
  let demo: Demo
  const begun: Quickstart[] = []

  const quickstart = (...words: readonly string[]): Quickstart => {
    const one = new Quickstart('--directory', directory, ...words)
    begun.push(one)
    return one
  }

  /** What no other run on this machine uses. */
  const place = async (): Promise<void> => {
    directory = path.join(newDirectory('quickstart'), 'data')
    const [api = 0, http = 0, db1 = 0, db2 = 0, db3 = 0] = await freePorts(5)
    demo = { directory, ports: { api, http, db1, db2, db3 }, password: 'quick', databasePassword: 'databases' }
    mkdirSync(directory)
    await writeDemo(demo)
  }

  const databasePorts = (): readonly number[] => [demo.ports.db1, demo.ports.db2, demo.ports.db3]

  const sql = async (port: number, statement: string): Promise<string> => {
    const login = { user: 'manager', password: demo.databasePassword, connectTimeoutMs: 30_000 }
    const opened = await openSession({ host: '127.0.0.1', port, ...login })
    if (!opened.ok) return opened.failure.code
    const rows = unwrap(await opened.value.run(statement, [], 60_000)).at(-1) ?? []
    opened.value.close()
    return String(Object.values(rows[0] ?? {})[0] ?? '')
  }

  const primaryPort = async (): Promise<number> => {
    const closed = await Promise.all(databasePorts().map((port) => sql(port, 'SELECT @@read_only')))
    return databasePorts()[closed.indexOf('0')] ?? 0
  }

  const linkIn = (said: string): URL => new URL(/http:\/\/\S+\/login#code=\S+/.exec(said)?.[0] ?? 'about:blank')

  /** The user that the page behind the link is logged in as. */
  const opens = async (link: URL): Promise<string | undefined> => {
    expect((await fetch(link)).status).to.equal(200)
    const code = link.hash.slice('#code='.length)
    const headers = { 'Content-Type': 'application/json', Origin: link.origin }
    const answer = await fetch(new URL('/api/session/link', link), {
      method: 'POST',
      headers,
      body: JSON.stringify({ code }),
    })
    return answer.ok ? ((await answer.json()) as { readonly user: string }).user : undefined
  }

  /** Findings of the demo's own configuration: its servers were read in detail, and differ in nothing. */
  const hasNoneOfItsOwn = async (): Promise<void> => {
    const client = new Client({ port: demo.ports.api, user: 'admin', password: demo.password })
    const alerts = await eventually(async () => {
      const { stdout } = await client.run('cluster', 'alerts')
      return stdout.includes('WARN0101') ? stdout : ''
    }, 'the findings that need a detailed reading are known')
    expect(alerts).to.not.match(/WARN0310|WARN0084|WARN0271/)
  }

  const nothingRuns = async (): Promise<void> => {
    for (const port of [...databasePorts(), demo.ports.api, demo.ports.http])
      expect(await isListening(port), `${port} is free again`).to.equal(false)
  }

  afterEach(async () => {
    for (const one of begun.splice(0)) if (one.isRunning) await one.end('SIGTERM')
    if (existsSync(configurationFile(directory))) await stopDemo(configurationFile(directory))
  })

  it('protects a cluster, loses its primary on request, and is whole again with its data at the next run', async () => {
    await place()
    const first = quickstart()
    await first.says(PROTECTED)
    expect(first.said).to.include(`export MANAGER_PORT=${demo.ports.api} MANAGER_PASSWORD=quick`)
    const link = linkIn(first.said)
    expect([await opens(link), await opens(link)], 'once').to.deep.equal(['admin', undefined])
    await hasNoneOfItsOwn()
    const old = await primaryPort()
    await sql(old, 'CREATE DATABASE kept')
    const hasKept = async (port: number) => (await sql(port, "SHOW DATABASES LIKE 'kept'")) === 'kept'
    for (const port of databasePorts()) await eventually(() => hasKept(port), `${port} has the data`)

    const second = quickstart()
    expect(await second.end()).to.equal(1)
    expect(second.said).to.include('The demo runs already')
    expect(await opens(linkIn(second.said))).to.equal('admin')

    const killing = quickstart('--kill-primary')
    expect(await killing.end(), killing.said).to.equal(0)
    expect(killing.said).to.include(`Killing 127.0.0.1:${old}`)
    await eventually(async () => ![0, old].includes(await primaryPort()), 'another server takes writes')
    expect(await first.end('SIGINT'), first.said).to.equal(0)
    await nothingRuns()

    const other = net.createServer().listen(demo.ports.api, '127.0.0.1')
    await next(other, 'listening', 'the server listens')
    const again = quickstart()
    await again.says(PROTECTED)
    other.close()
    const moved = (await readDemo(directory))?.ports.api
    expect(again.said).to.include(`Port ${demo.ports.api} (api) is in use; ${moved} is taken in its place.`)
    for (const port of databasePorts()) await eventually(() => hasKept(port), `${port} has the data`)

    expect(await quickstart('--clean').end()).to.equal(0)
    expect(await again.end()).to.equal(0)
    expect(existsSync(directory)).to.equal(false)
    await nothingRuns()
  })

  it('leaves nothing running when it is interrupted while it makes the databases', async () => {
    await place()
    const run = quickstart()
    await run.says(/the databases/)
    expect(await run.end('SIGINT'), run.said).to.equal(0)
    expect(run.said).to.include('Stopping')
    await nothingRuns()
  })

  it('keeps the data where a port of theirs is in use, and says what to do', async () => {
    await place()
    const other = net.createServer().listen(demo.ports.db2, '127.0.0.1')
    await next(other, 'listening', 'the server listens')
    const run = quickstart()
    expect(await run.end()).to.equal(1)
    other.close()
    expect(run.said).to.include(`Port ${demo.ports.db2} (db2) is in use, and the data of the last run belong to it`)
    expect((await readDemo(directory))?.ports).to.deep.equal(demo.ports)
  })
})

const isListening = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1', () => resolve(true))
    socket.on('connect', () => socket.destroy())
    socket.on('error', () => resolve(false))
  })
