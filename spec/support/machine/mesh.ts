// A network of namespaces on one bridge: every server and the manager alone in one, each direction between two of them cut apart.
import { execFile } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** So many by this process. */
let made = 0

/** The spec and its clients are reached from everywhere: they stand on the bridge itself. */
const SPEC = 200

/** A namespace: what runs a program inside, and its address. */
export interface MeshPlace {
  readonly name: string
  readonly host: string
  readonly prefix: readonly string[]
}

export class Mesh {
  readonly places: readonly MeshPlace[]
  readonly #bridge: string

  private constructor(count: number) {
    const id = `${process.pid}n${++made}`
    const net = `10.${randomInt(214, 250)}.${randomInt(1, 255)}`
    this.#bridge = `m${process.pid % 100_000}n${made}`
    this.places = Array.from({ length: count }, (_, index) => {
      const name = `mesh-${id}-${index + 1}`
      return { name, host: `${net}.${index + 1}`, prefix: ['ip', 'netns', 'exec', name] }
    })
  }

  /** Rejects where no namespace can be made. */
  static async create(count: number): Promise<Mesh> {
    const mesh = new Mesh(count)
    try {
      await mesh.#make()
      return mesh
    } catch (error) {
      await mesh.close()
      throw error
    }
  }

  /** Packets from one to another vanish, not those in the other direction. */
  async cutOneWay(from: MeshPlace, to: MeshPlace): Promise<void> {
    await run('ip', ['netns', 'exec', from.name, 'iptables', '-w', '-A', 'OUTPUT', '-d', to.host, '-j', 'DROP'])
  }

  /** Of the packets from one to another, this share (0 to 1) vanishes, each by chance. */
  async lose(from: MeshPlace, to: MeshPlace, share: number): Promise<void> {
    const chance = ['-m', 'statistic', '--mode', 'random', '--probability', String(share)]
    await run('ip', [
      'netns',
      'exec',
      from.name,
      'iptables',
      '-w',
      '-A',
      'OUTPUT',
      '-d',
      to.host,
      ...chance,
      '-j',
      'DROP',
    ])
  }

  /** Nothing passes between the two sides. */
  async part(side: readonly MeshPlace[], others: readonly MeshPlace[]): Promise<void> {
    for (const one of side)
      for (const other of others) {
        await this.cutOneWay(one, other)
        await this.cutOneWay(other, one)
      }
  }

  async heal(): Promise<void> {
    for (const { name } of this.places) await run('ip', ['netns', 'exec', name, 'iptables', '-w', '-F', 'OUTPUT'])
  }

  async close(): Promise<void> {
    for (const { name } of this.places) await run('ip', ['netns', 'del', name]).catch(() => undefined)
    await run('ip', ['link', 'del', this.#bridge]).catch(() => undefined)
  }

  async #make(): Promise<void> {
    const [first] = this.places
    await run('ip', ['link', 'add', this.#bridge, 'type', 'bridge'])
    await run('ip', ['addr', 'add', `${first?.host.replace(/\d+$/, String(SPEC))}/24`, 'dev', this.#bridge])
    await run('ip', ['link', 'set', this.#bridge, 'up'])
    for (const [index, { name, host }] of this.places.entries()) {
      const [outside, inside] = [`${this.#bridge}o${index}`, `${this.#bridge}i${index}`]
      await run('ip', ['netns', 'add', name])
      await run('ip', ['link', 'add', outside, 'type', 'veth', 'peer', 'name', inside, 'netns', name])
      await run('ip', ['link', 'set', outside, 'master', this.#bridge, 'up'])
      await run('ip', ['-n', name, 'addr', 'add', `${host}/24`, 'dev', inside])
      await run('ip', ['-n', name, 'link', 'set', 'lo', 'up'])
      await run('ip', ['-n', name, 'link', 'set', inside, 'up'])
    }
  }
}
