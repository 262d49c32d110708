// Follows an event stream of the manager: reconnects with back-off, resumes after the last event, notices silence.
import { createParser, type EventSourceMessage } from 'eventsource-parser'
import { type Failure, readFailure, unreachable } from '../client/failure.js'
import { authorization, refreshSession } from '../client/session.js'
import { backOff } from './back-off.js'

export interface FollowOptions {
  /** Path of the stream. */
  readonly path: string
  /** Events of one piece of the network together, so that a page changes once for all of them. */
  readonly onEvents: (events: readonly EventSourceMessage[]) => void
  /** The stream is open and was heard of just now. */
  readonly onAlive: () => void
  /** No stream: an attempt failed, or it was quiet for too long. */
  readonly onLost: (failure: Failure) => void
  readonly signal: AbortSignal
  /** Where to resume, kept by who goes on after this ends. */
  readonly last?: LastEvent
  /** No connection while the page is hidden: a browser has few for all its tabs. It resumes when the page is seen again. */
  readonly whileSeen?: boolean
}

export interface LastEvent {
  id?: string | undefined
}

/** A heartbeat comes each ten seconds: after this silence the connection is dead, whatever the system says. */
export const SILENCE_MS = 25_000

/** Runs until the signal. */
export async function follow(options: FollowOptions): Promise<void> {
  const { signal, onLost, last = {}, whileSeen = false } = options
  let attempt = 0
  while (!signal.aborted) {
    if (whileSeen) await seen(signal)
    const hidden = whileSeen ? hiding(signal) : undefined
    const failure = await readOnce(options, {
      lastId: last.id,
      onId: (id) => {
        last.id = id
      },
      onOpen: () => {
        attempt = 0
      },
      stops: hidden ? AbortSignal.any([signal, hidden]) : signal,
    })
    if (signal.aborted) return
    if (hidden?.aborted) continue
    onLost(failure)
    if (failure.status === 401 && !(await refreshSession()) && authorization() === undefined) return
    await pause(backOff(attempt++, Math.random()), signal)
  }
}

interface Attempt {
  readonly lastId: string | undefined
  readonly onId: (id: string) => void
  readonly onOpen: () => void
  readonly stops: AbortSignal
}

/** One connection, until it ends; always with the reason. */
async function readOnce(options: FollowOptions, attempt: Attempt): Promise<Failure> {
  const { path, onAlive, onEvents } = options
  const over = new AbortController()
  const stop = () => over.abort()
  attempt.stops.addEventListener('abort', stop, { once: true })
  if (attempt.stops.aborted) stop()
  let quiet = setTimeout(stop, SILENCE_MS)
  const heard = () => {
    clearTimeout(quiet)
    quiet = setTimeout(stop, SILENCE_MS)
    onAlive()
  }
  try {
    const token = authorization()
    const response = await fetch(path, {
      headers: {
        Accept: 'text/event-stream, application/problem+json',
        ...(token === undefined ? {} : { Authorization: token }),
        ...(attempt.lastId === undefined ? {} : { 'Last-Event-ID': attempt.lastId }),
      },
      cache: 'no-store',
      signal: over.signal,
    })
    if (!response.ok || !response.body) return await readFailure(response)
    attempt.onOpen()
    await readBody(response.body, (events) => {
      heard()
      const id = events.findLast((event) => event.id !== undefined)?.id
      if (events.length > 0) onEvents(events)
      if (id !== undefined) attempt.onId(id)
    })
    return unreachable
  } catch {
    return unreachable
  } finally {
    clearTimeout(quiet)
    attempt.stops.removeEventListener('abort', stop)
    over.abort()
  }
}

/** Gives the complete events of each piece; none for a heartbeat. */
async function readBody(
  body: ReadableStream<Uint8Array>,
  onPiece: (events: readonly EventSourceMessage[]) => void,
): Promise<void> {
  let events: EventSourceMessage[] = []
  const parser = createParser({ onEvent: (event) => events.push(event) })
  const decoder = new TextDecoder()
  const reader = body.getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    parser.feed(decoder.decode(value, { stream: true }))
    const piece = events
    events = []
    onPiece(piece)
  }
}

/** Resolves while the page is seen, or with the signal. */
function seen(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const check = () => {
      if (document.hidden && !signal.aborted) return
      document.removeEventListener('visibilitychange', check)
      resolve()
    }
    document.addEventListener('visibilitychange', check, { signal })
    signal.addEventListener('abort', check)
    check()
  })
}

/** Aborts when the page is hidden. */
function hiding(signal: AbortSignal): AbortSignal {
  const hidden = new AbortController()
  const check = () => {
    if (document.hidden) hidden.abort()
  }
  document.addEventListener('visibilitychange', check, { signal: AbortSignal.any([signal, hidden.signal]) })
  check()
  return hidden.signal
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
    // A machine that is online again does not wait for the rest.
    addEventListener('online', () => resolve(), { once: true, signal })
  })
}
