// Serves the built dashboard under a strict policy, with a fleet that a spec changes; it answers what the first pages ask.
import { existsSync, readFileSync, statSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { type HistoryPlaces, noHistory } from '../../../http/api/views/kit/me.js'
import { gzipHead, packPiece, storePiece } from '../../../http/gateway/reply/gzip-pieces.js'
import { builtPath } from '../../../lib/base/package-root.js'
import type { FleetDelta, FleetNote, FleetRow } from '../../../lib/model/fleet/row.js'

const POLICY = [
  "default-src 'self'",
  "img-src 'self' data:",
  "object-src 'none'",
  "base-uri 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types manager',
].join('; ')

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
}

export interface PageServer {
  readonly url: string
  /** How many streams were opened, and the id that the last one resumed after. */
  readonly streams: { opened: number; resumedAfter: string | undefined }
  /** Whether a session is there already; without one every request is answered 401. */
  loggedIn: boolean
  /** Whether the user may change nothing. */
  readOnly: boolean
  /** Where longer history is. */
  history: HistoryPlaces
  /** Id of the plan that the last request confirmed. */
  readonly confirmed: string | undefined
  /** Requests that would have changed something, as `POST /path`; those that only ask for the plan end in `?plan`. */
  readonly acted: string[]
  send(deltas: readonly FleetDelta[]): void
  note(note: FleetNote): void
  /** Cuts all streams off; new ones are refused until `resume`. */
  cut(): void
  resume(): void
  close(): Promise<void>
}

/** Events that a stream can resume after. */
const MOST_KEPT = 1_000

/** How a path is asked. */
export interface Asked {
  readonly method: string
  /** What it would do, not that it is done. */
  readonly isPlan: boolean
}

export interface PageOptions {
  /** Replies of the interface besides those of the first pages; undefined: 404. */
  readonly answer?: (
    pathname: string,
    request: Asked,
  ) => { readonly status?: number; readonly body: unknown } | undefined
  /** Grants on every cluster and on the service. */
  readonly grants?: readonly string[]
}

export async function servePage(rows: readonly FleetRow[], options: PageOptions = {}): Promise<PageServer> {
  const { answer, grants = ['show'] } = options
  const acted: string[] = []
  const kept: { readonly id: number; readonly text: string }[] = []
  const open = new Set<ServerResponse>()
  const streams: PageServer['streams'] = { opened: 0, resumedAfter: undefined }
  let id = 0
  let isCut = false
  let confirmed: string | undefined
  const login = () => ({ token: 'a token', user: 'admin', expiresAt: Date.now() + 900_000 })
  const me = () => ({
    ...{ user: 'admin', kind: 'session', expiresAt: null, readOnly: page.readOnly, refreshMs: 4_000 },
    history: page.history,
    grants: {
      server: options.grants ?? [],
      sets: [grants],
      clusters: Object.fromEntries(rows.map(({ name }) => [name, 0])),
    },
  })
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://page')
    const asked: Asked = { method: request.method ?? 'GET', isPlan: searchParams.get('plan') === 'true' }
    const json = (value: unknown, status = 200) => {
      response.writeHead(status, { 'Content-Type': status < 400 ? 'application/json' : 'application/problem+json' })
      response.end(JSON.stringify(value))
    }
    confirmed = searchParams.get('confirm') ?? confirmed
    if (pathname === '/api/session/refresh')
      return page.loggedIn ? json(login()) : json({ code: 'not-logged-in', detail: 'Not logged in' }, 401)
    if (pathname === '/api/session' && request.method === 'POST') return takeLogin()
    if (pathname.startsWith('/api') && !page.loggedIn) return json({ code: 'not-logged-in', detail: 'ended' }, 401)
    if (pathname === '/api/me') return json(me())
    if (pathname.startsWith('/api') && request.method !== 'GET')
      acted.push(`${asked.method} ${pathname}${asked.isPlan ? '?plan' : ''}`)
    if (pathname === '/api/fleet/events') return isCut ? json({ code: 'actor-gone', detail: 'gone' }, 503) : stream()
    const given = pathname.startsWith('/api') ? answer?.(pathname, asked) : undefined
    if (given) return json(given.body, given.status)
    if (pathname.startsWith('/api')) return json({ code: 'unknown', title: 'Nothing here' }, 404)
    return sendFile(response, pathname, /\bgzip\b/.test(String(request.headers['accept-encoding'])))

    function takeLogin(): void {
      let body = ''
      request.on('data', (chunk) => {
        body += chunk
      })
      request.on('end', () => {
        page.loggedIn = JSON.parse(body).password === 'right'
        if (page.loggedIn) json(login())
        else json({ code: 'wrong-credentials', detail: 'Invalid credentials' }, 401)
      })
    }

    function stream(): void {
      const last = request.headers['last-event-id']
      streams.opened++
      streams.resumedAfter = typeof last === 'string' ? last : undefined
      // As the gateway sends it.
      response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Content-Encoding': 'gzip' })
      response.write(gzipHead)
      const first = Buffer.from(
        last === undefined
          ? `id: ${id}\nevent: snapshot\ndata: ${JSON.stringify({ rows })}\n\n`
          : `: alive\n\n${kept.flatMap((event) => (event.id > Number(last) ? [event.text] : [])).join('')}`,
      )
      void packPiece(first).then((piece) => {
        response.write(piece)
        open.add(response)
        for (const event of kept) if (event.id > begun) response.write(storePiece(Buffer.from(event.text)))
      })
      const begun = id
      response.on('close', () => open.delete(response))
    }
  })
  const emit = (events: readonly (readonly [event: string, data: unknown])[]) => {
    const texts: string[] = []
    for (const [event, data] of events) {
      const text = `id: ${++id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`
      kept.push({ id, text })
      texts.push(text)
    }
    if (kept.length > MOST_KEPT) kept.splice(0, kept.length - MOST_KEPT)
    const piece = storePiece(Buffer.from(texts.join('')))
    for (const response of open) response.write(piece)
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const page: PageServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    streams,
    acted,
    loggedIn: true,
    readOnly: false,
    history: noHistory,
    get confirmed() {
      return confirmed
    },
    send: (deltas) => emit(deltas.map((delta) => ['delta', delta] as const)),
    note: (note) => emit([['note', note]]),
    cut: () => {
      isCut = true
      for (const response of open) response.destroy()
    },
    resume: () => {
      isCut = false
    },
    close: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
  return page
}

/** A file of the build by its name; the shell for every other address. */
function sendFile(response: ServerResponse, pathname: string, takesGzip: boolean): void {
  const wanted = path.join(builtPath('dashboard'), pathname)
  const file = existsSync(wanted) && statSync(wanted).isFile() ? wanted : builtPath('dashboard', 'index.html')
  const isPacked = takesGzip && existsSync(`${file}.gz`)
  response.writeHead(200, {
    ...(isPacked ? { 'Content-Encoding': 'gzip' } : {}),
    'Content-Type': types[path.extname(file)] ?? 'application/octet-stream',
    'Content-Security-Policy': POLICY,
  })
  response.end(readFileSync(isPacked ? `${file}.gz` : file))
}
