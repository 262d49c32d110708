// A user of a cluster that asks for work and is dropped before it ends.
import { expect } from 'chai'
import { eventually } from '../wait.js'
import { ApiUser } from './api-user.js'
import type { ManagerProcess } from './manager-process.js'

const C = '/api/clusters/story'

export class PassingUser {
  readonly name: string
  readonly #manager: ManagerProcess
  readonly #api: ApiUser

  private constructor(manager: ManagerProcess, name: string, api: ApiUser) {
    this.name = name
    this.#manager = manager
    this.#api = api
  }

  /** A user, logged in, with every grant on its cluster that work on databases and their services needs. */
  static async add(manager: ManagerProcess, name: string): Promise<PassingUser> {
    const user = { username: name, password: `${name}-password`, roles: '', grants: 'show cluster db prov' }
    expect((await manager.post(`${C}/users/add`, user)).status).to.equal(200)
    return new PassingUser(manager, name, await ApiUser.login(manager, name, user.password))
  }

  /** Asks for work, which is accepted; the answer's text. */
  async asks(target: string): Promise<string> {
    const { status, text } = await this.#api.ask(`${C}/${target}`, { method: 'POST' })
    expect([200, 202], text).to.include(status)
    return text
  }

  async drop(): Promise<void> {
    expect((await this.#manager.post(`${C}/users/drop`, { username: this.name })).status).to.equal(200)
  }

  /** A finding says that its work ended with it. */
  async isNamed(): Promise<void> {
    await eventually(async () => {
      const { warnings } = await this.#manager.get<{ warnings: readonly { number: string; desc: string }[] }>(
        `${C}/topology/alerts`,
      )
      return warnings.some(({ number, desc }) => number === 'WARN0392' && desc.includes(this.name))
    }, `WARN0392 names ${this.name}`)
  }
}
