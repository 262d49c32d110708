// A program on a terminal of tmux: what its screen shows, and keys that are pressed.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { eventually } from '../wait.js'
import { newDirectory } from './directories.js'

const run = promisify(execFile)

export interface TmuxRequest {
  readonly command: readonly string[]
  readonly columns?: number
  readonly rows?: number
  readonly environment?: Readonly<Record<string, string>>
}

export class Tmux {
  readonly #socket: string

  constructor(socket: string) {
    this.#socket = socket
  }

  /** A server of tmux for this program alone. */
  static async start({ command, columns = 80, rows = 24, environment = {} }: TmuxRequest): Promise<Tmux> {
    const tmux = new Tmux(`${newDirectory('tmux')}/socket`)
    const variables = Object.entries(environment).flatMap(([name, value]) => ['-e', `${name}=${value}`])
    const quoted = command.map((word) => `'${word}'`).join(' ')
    await tmux.#tmux(
      '-f',
      '/dev/null',
      'new-session',
      '-d',
      '-x',
      `${columns}`,
      '-y',
      `${rows}`,
      ...variables,
      `${quoted}; echo ended $?; cat`,
    )
    return tmux
  }

  /** The lines that the screen shows. */
  async screen(): Promise<string> {
    return this.#tmux('capture-pane', '-p')
  }

  /** Presses keys by tmux's names: `Enter`, `Down`, `s`. */
  async press(...keys: readonly string[]): Promise<void> {
    await this.#tmux('send-keys', ...keys)
  }

  /** Resolves with the screen when it shows all of these texts at once: it may be read while it is being drawn. */
  async shows(...texts: readonly (string | RegExp)[]): Promise<string> {
    let last = ''
    await eventually(
      async () => {
        last = await this.screen()
        return texts.every((text) => (typeof text === 'string' ? last.includes(text) : text.test(last)))
      },
      () => `the screen shows ${texts.join(' and ')}:\n${last}`,
    )
    return last
  }

  async end(): Promise<void> {
    await this.#tmux('kill-server').catch(() => undefined)
  }

  async #tmux(...words: readonly string[]): Promise<string> {
    const { stdout } = await run('tmux', ['-S', this.#socket, '-u', ...words], {
      env: { ...process.env, LC_ALL: 'C.UTF-8' },
    })
    return stdout
  }
}
