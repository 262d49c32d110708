// A network namespace for one process of a test, joined to this machine by a wire of its own that can be cut for one
// address or for all.
import { execFile, execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { claim, disclaim } from './claims.js'

const run = promisify(execFile)

/**
 * drop: packets vanish, connections hang. refuse: the network says that there is no way. forbid: the system inside lets
 * nothing out.
 */
export type Cut = 'drop' | 'refuse' | 'forbid'

const routes = { refuse: 'unreachable', forbid: 'blackhole' } as const

/** Of no machine here: what is sent to it is lost on the way. */
const NOBODY = '02:00:00:00:00:01'

const PREFIX = 'story-'

/** So many by this process. */
let made = 0

/** The end inside, far from the addresses of the servers. */
const INSIDE = 100

/** The spec itself talks from here: a cut of a server's address does not cut it off, too. */
const SPEC = 200

export class Namespace {
  readonly name: string
  readonly #net: string
  readonly #wire: string
  readonly #cut = new Map<string, Cut>()
  readonly #end = () => this.#removeNow()

  private constructor(net: string) {
    this.name = `${PREFIX}${process.pid}-${++made}`
    this.#wire = `st${process.pid}n${made}`
    this.#net = net
  }

  /** Addresses 1 to `count` stand on this machine, one for each server; rejects where no namespace can be made. */
  static async create(count: number): Promise<Namespace> {
    await removeAbandoned()
    const namespace = new Namespace(await freeNet())
    process.once('exit', namespace.#end)
    try {
      await namespace.#make(count)
      return namespace
    } catch (error) {
      await namespace.close()
      throw error
    }
  }

  /** Why no namespace can be made here; undefined when one can. */
  static async refusal(): Promise<string | undefined> {
    try {
      await (await Namespace.create(1)).close()
      return undefined
    } catch (error) {
      return (error instanceof Error ? error.message : String(error)).trim().split('\n').at(-1)
    }
  }

  /** Where the process inside is reached. */
  get host(): string {
    return `${this.#net}.${INSIDE}`
  }

  /** What runs a program inside. */
  get prefix(): readonly string[] {
    return ['ip', 'netns', 'exec', this.name]
  }

  /** The host part of accounts for clients that come through the wire. */
  get accounts(): string {
    return `${this.#net}.%`
  }

  /** The address of the server with this index. */
  address(index: number): string {
    return `${this.#net}.${index + 1}`
  }

  /** What programs that start inside from now on resolve; a later call changes it for them. No other name resolves there. */
  names(addresses: Readonly<Record<string, string>>): void {
    mkdirSync(this.#files, { recursive: true })
    const lines = Object.entries(addresses).map(([name, address]) => `${address} ${name}\n`)
    writeFileSync(`${this.#files}/hosts`, ['127.0.0.1 localhost\n', ...lines].join(''))
    // Nothing listens there: the answer comes at once.
    writeFileSync(`${this.#files}/resolv.conf`, 'nameserver 127.0.0.1\noptions timeout:1 attempts:1\n')
  }

  /** Shown as /etc to what `ip netns exec` starts. */
  get #files(): string {
    return `/etc/netns/${this.name}`
  }

  /** From inside, nothing gets to this address any more. */
  async cut(address: string, how: Cut): Promise<void> {
    await this.#ip(...this.#barrier('add', address, how))
    this.#cut.set(address, how)
  }

  /** The wire itself, for everything. */
  async wire(state: 'up' | 'down'): Promise<void> {
    await this.#ip('link', 'set', `${this.#wire}i`, state)
  }

  async heal(): Promise<void> {
    for (const [address, how] of this.#cut) await this.#ip(...this.#barrier('del', address, how))
    this.#cut.clear()
  }

  #barrier(verb: 'add' | 'del', address: string, how: Cut): readonly string[] {
    if (how !== 'drop') return ['route', verb, routes[how], `${address}/32`]
    const neighbour = ['neigh', verb === 'add' ? 'replace' : 'del', address, 'dev', `${this.#wire}i`]
    return verb === 'add' ? [...neighbour, 'lladdr', NOBODY, 'nud', 'permanent'] : neighbour
  }

  async close(): Promise<void> {
    process.removeListener('exit', this.#end)
    rmSync(this.#files, { recursive: true, force: true })
    await run('ip', ['netns', 'del', this.name]).catch(() => undefined)
    await run('ip', ['link', 'del', `${this.#wire}o`]).catch(() => undefined)
    disclaim(this.#net)
  }

  async #make(count: number): Promise<void> {
    const [outside, inside] = [`${this.#wire}o`, `${this.#wire}i`]
    await run('ip', ['netns', 'add', this.name])
    await run('ip', ['link', 'add', outside, 'type', 'veth', 'peer', 'name', inside, 'netns', this.name])
    const servers = Array.from({ length: count }, (_, index) => this.address(index))
    // the first address of a wire is the one that connections come from unless they say otherwise
    for (const address of [`${this.#net}.${SPEC}`, ...servers])
      await run('ip', ['addr', 'add', `${address}/24`, 'dev', outside])
    await run('ip', ['link', 'set', outside, 'up'])
    await this.#ip('addr', 'add', `${this.host}/24`, 'dev', inside)
    await this.#ip('link', 'set', 'lo', 'up')
    await this.wire('up')
  }

  #ip(...args: readonly string[]) {
    return run('ip', ['-n', this.name, ...args])
  }

  #removeNow(): void {
    rmSync(this.#files, { recursive: true, force: true })
    for (const args of [
      ['netns', 'del', this.name],
      ['link', 'del', `${this.#wire}o`],
    ])
      try {
        execFileSync('ip', args, { stdio: 'ignore' })
      } catch {
        // it is gone already
      }
  }
}

/** The first three numbers of 254 addresses that no other process of this machine uses, and no interface has. */
async function freeNet(): Promise<string> {
  for (let third = 1; third < 255; third += 1) {
    const net = `10.213.${third}`
    if (!(await claim(net))) continue
    const { stdout } = await run('ip', ['-o', 'addr', 'show', 'to', `${net}.0/24`])
    if (stdout === '') return net
    disclaim(net)
  }
  throw new Error('every network 10.213.x.0/24 is in use')
}

/** Those of runs that were killed: their wires go with them. */
async function removeAbandoned(): Promise<void> {
  const { stdout } = await run('ip', ['netns', 'list'])
  for (const [name, pid] of stdout.matchAll(/^story-(\d+)-\d+/gm))
    if (!existsSync(`/proc/${pid}`)) await run('ip', ['netns', 'del', name]).catch(() => undefined)
}
