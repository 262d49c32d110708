// A user of the API of a running daemon over plain HTTP: with a token, or without one.
import { checkAnswer } from './answers.js'
import type { ManagerProcess } from './manager-process.js'
import { pastRepairs } from './repairs.js'

export interface ApiAnswer {
  readonly status: number
  /** Without the end of its line. */
  readonly text: string
  readonly headers: Headers
}

export interface ApiRequest {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  /** An object goes as JSON, text as it is. */
  readonly body?: unknown
  /** Breaks the request off. */
  readonly signal?: AbortSignal
}

export class ApiUser {
  readonly #manager: ManagerProcess
  readonly #headers: Readonly<Record<string, string>>

  /** A stranger, unless a token is given. */
  constructor(manager: ManagerProcess, token?: string) {
    this.#manager = manager
    this.#headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  }

  static async login(manager: ManagerProcess, username: string, password: string): Promise<ApiUser> {
    const { status, text } = await new ApiUser(manager).ask('/api/login', { body: { username, password } })
    if (status !== 200) throw new Error(`login of ${username}: ${status} ${text}`)
    return new ApiUser(manager, (JSON.parse(text) as { token: string }).token)
  }

  /** A GET, or a POST when there is a body, unless given otherwise. Throws for a body that its row does not describe. */
  ask(target: string, request: ApiRequest = {}): Promise<ApiAnswer> {
    return pastRepairs(
      () => this.#askOnce(target, request),
      (answer) => answer,
    )
  }

  async #askOnce(target: string, { method, headers = {}, body, signal }: ApiRequest): Promise<ApiAnswer> {
    const isJson = body !== undefined && typeof body !== 'string'
    const verb = method ?? (body === undefined ? 'GET' : 'POST')
    const reply = await fetch(`http://127.0.0.1:${this.#manager.httpPort}${target}`, {
      method: verb,
      headers: { ...this.#headers, ...(isJson ? { 'content-type': 'application/json' } : {}), ...headers },
      ...(body === undefined ? {} : { body: isJson ? JSON.stringify(body) : body }),
      ...(signal ? { signal } : {}),
    })
    const { status, headers: said } = reply
    const text = await reply.text()
    if (verb !== 'HEAD') checkAnswer({ method: verb, target, status, type: said.get('content-type') ?? '', text })
    return { status, text: text.replace(/\n$/, ''), headers: said }
  }

  /** `<status> <text>`: what the contract fixes of most answers. */
  async line(target: string, request?: ApiRequest): Promise<string> {
    const { status, text } = await this.ask(target, request)
    return `${status} ${text}`
  }

  /** The JSON of a 200; throws for any other answer. */
  async json<T>(target: string, request?: ApiRequest): Promise<T> {
    const { status, text } = await this.ask(target, request)
    if (status !== 200) throw new Error(`${target}: ${status} ${text}`)
    return JSON.parse(text) as T
  }
}
