// What specs of the client have around it: a real gateway over a scripted manager, and clients of any user.
import { routes } from '../../../http/api/index.js'
import { Client } from './client.js'
import { ScriptedFace } from './scripted-face.js'
import { startTestGateway, type TestGateway } from './test-gateway.js'

export class CliWorld {
  readonly face = new ScriptedFace()
  #gateway: TestGateway | undefined
  #client: Client | undefined

  /** There while the suite runs that calls this; every test begins with an untouched manager. */
  static forSuite(): CliWorld {
    const world = new CliWorld()
    before(async () => {
      world.#gateway = await startTestGateway({ manager: world.face, routes })
      world.#client = world.as('admin', 'repman')
    })
    afterEach(() => {
      const { face } = world
      face.failure = undefined
      face.replies.clear()
      face.calls.length = 0
      face.names.delete('shop')
    })
    after(() => world.#gateway?.close())
    return world
  }

  get gateway(): TestGateway {
    if (!this.#gateway) throw new Error('the suite has not begun')
    return this.#gateway
  }

  /** The administrator's. */
  get client(): Client {
    return this.#client ?? this.as('admin', 'repman')
  }

  as(user: string, password: string | undefined, environment = {}): Client {
    return new Client({
      port: this.gateway.gateway.apiPort,
      user,
      ...(password === undefined ? {} : { password }),
      environment,
    })
  }
}
