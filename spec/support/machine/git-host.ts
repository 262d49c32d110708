// A git host on loopback: bare repositories behind the real `git http-backend`, with a login, that can be away.
import { execFileSync, spawn } from 'node:child_process'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import path from 'node:path'
import { next } from '../wait.js'
import { newDirectory } from './directories.js'
import { freePorts } from './ports.js'

export interface HostCommit {
  readonly author: string
  readonly subject: string
  readonly body: string
}

export class GitHost {
  readonly directory = newDirectory('git-host')
  readonly account = { user: 'manager', token: 'glpat-of-the-spec' }
  #port = 0
  #server: Server | undefined

  /** With one empty repository. */
  async open(): Promise<void> {
    this.#git('init', '--quiet', '--bare', '--initial-branch=main', 'fleet.git')
    this.#port = (await freePorts(1))[0] ?? 0
    await this.back()
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}/fleet.git`
  }

  /** No connection is accepted any more. */
  async away(): Promise<void> {
    const server = this.#server
    this.#server = undefined
    server?.closeAllConnections()
    if (server?.listening) await new Promise((resolve) => server.close(resolve))
  }

  async back(): Promise<void> {
    const server = createServer((request, response) => this.#answer(request, response))
    server.listen(this.#port, '127.0.0.1')
    await next(server, 'listening', 'the server listens')
    this.#server = server
  }

  /** Oldest first. */
  commits(): readonly HostCommit[] {
    if (this.#git('-C', 'fleet.git', 'for-each-ref').trim() === '') return []
    const text = this.#git('-C', 'fleet.git', 'log', '--reverse', '--format=%an%x1f%s%x1f%b%x1e', 'main')
    return text
      .split('\x1e')
      .map((record) => record.trim().split('\x1f'))
      .filter(([author]) => author)
      .map(([author = '', subject = '', body = '']) => ({ author, subject, body }))
  }

  head(): string {
    return this.#git('-C', 'fleet.git', 'rev-parse', 'main').trim()
  }

  /** The text of a file of the newest commit; empty where there is none. */
  file(name: string): string {
    try {
      return this.#git('-C', 'fleet.git', 'show', `main:${name}`)
    } catch {
      return ''
    }
  }

  /** Every text that was ever pushed. */
  everything(): string {
    return this.#git('-C', 'fleet.git', 'log', '-p', '--all')
  }

  /** A person edits a file of the repository and pushes; again where another one has pushed meanwhile. */
  edit(name: string, change: (text: string) => string, author = 'bob'): string {
    for (;;) {
      const commit = this.#tryEdit(name, change, author)
      if (commit !== undefined) return commit
    }
  }

  /** Undefined: the branch has moved. */
  #tryEdit(name: string, change: (text: string) => string, author: string): string | undefined {
    const parent = this.head()
    const blob = execFileSync('git', ['-C', path.join(this.directory, 'fleet.git'), 'hash-object', '-w', '--stdin'], {
      input: change(this.#git('-C', 'fleet.git', 'show', `${parent}:${name}`)),
      encoding: 'utf8',
    }).trim()
    const index = { GIT_INDEX_FILE: path.join(this.directory, 'index') }
    this.#git(index, '-C', 'fleet.git', 'read-tree', parent)
    this.#git(index, '-C', 'fleet.git', 'update-index', '--add', '--cacheinfo', `100644,${blob},${name}`)
    const tree = this.#git(index, '-C', 'fleet.git', 'write-tree').trim()
    const who = { GIT_AUTHOR_NAME: author, GIT_AUTHOR_EMAIL: `${author}@example.com` }
    const committer = { GIT_COMMITTER_NAME: author, GIT_COMMITTER_EMAIL: `${author}@example.com` }
    const args = ['commit-tree', tree, '-p', parent, '-m', `${name} by ${author}`]
    const commit = this.#git({ ...who, ...committer }, '-C', 'fleet.git', ...args).trim()
    try {
      this.#git('-C', 'fleet.git', 'update-ref', 'refs/heads/main', commit, parent)
      return commit
    } catch (error) {
      if (this.head() === parent) throw error
      return undefined
    }
  }

  #git(...given: readonly (string | Readonly<Record<string, string>>)[]): string {
    const args = given.filter((each) => typeof each === 'string')
    const env = Object.assign({}, process.env, ...given.filter((each) => typeof each === 'object'))
    return execFileSync('git', args, {
      cwd: this.directory,
      encoding: 'utf8',
      env,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
  }

  /** As a web server runs it: git-http-backend(1). */
  #answer(request: IncomingMessage, response: ServerResponse): void {
    const { user, token } = this.account
    const wanted = `Basic ${Buffer.from(`${user}:${token}`).toString('base64')}`
    if (request.headers.authorization !== wanted) {
      response.writeHead(401, { 'WWW-Authenticate': 'Basic realm="git"' }).end()
      return
    }
    const { pathname, search } = new URL(request.url ?? '/', 'http://localhost')
    const backend = spawn('git', ['http-backend'], {
      env: {
        PATH: process.env.PATH ?? '',
        ...{ GIT_PROJECT_ROOT: this.directory, GIT_HTTP_EXPORT_ALL: '1', REMOTE_USER: user, PATH_INFO: pathname },
        ...{ QUERY_STRING: search.slice(1), REQUEST_METHOD: request.method ?? 'GET' },
        CONTENT_TYPE: request.headers['content-type'] ?? '',
        ...(request.headers['content-encoding'] ? { HTTP_CONTENT_ENCODING: request.headers['content-encoding'] } : {}),
        ...(request.headers['git-protocol'] ? { HTTP_GIT_PROTOCOL: String(request.headers['git-protocol']) } : {}),
        ...(request.headers['content-length'] ? { CONTENT_LENGTH: request.headers['content-length'] } : {}),
      },
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    backend.stdin.on('error', () => undefined)
    request.pipe(backend.stdin)
    const parts: Buffer[] = []
    backend.stdout.on('data', (part: Buffer) => parts.push(part))
    backend.once('close', () => {
      const bytes = Buffer.concat(parts)
      const end = bytes.indexOf('\r\n\r\n')
      const lines = bytes.toString('latin1', 0, Math.max(end, 0)).split('\r\n')
      const fields = lines.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()])
      const headers = Object.fromEntries(fields.filter(([name]) => name !== '' && name !== 'Status'))
      const status = Number(fields.find(([name]) => name === 'Status')?.[1]?.slice(0, 3) ?? 200)
      response.writeHead(end < 0 ? 500 : status, headers).end(bytes.subarray(end + 4))
    })
  }
}
