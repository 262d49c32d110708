// Sends lines to a carbon endpoint over TCP: in the background, with a bounded buffer, and a pause after each failure.
import { connect, type Socket } from 'node:net'
import { SECOND, startTimer, type Timer } from '../base/time.js'

export interface CarbonAddress {
  readonly host: string
  readonly port: number
}

export interface CarbonSenderOptions {
  readonly address: CarbonAddress
  /** Notified when the endpoint first fails, when it accepts lines again, and of what was dropped meanwhile. */
  readonly log: (text: 'carbon-failed' | 'carbon-takes-lines', fields: Readonly<Record<string, unknown>>) => void
  /** Most bytes that wait; beyond, the oldest batches are dropped. 8 MB when absent. */
  readonly limitBytes?: number
  /** First pause after a failure, milliseconds; doubles up to a minute. 1,000 when absent. */
  readonly pauseMs?: number
  /** Longest wait for a connection or for a batch to be accepted, milliseconds; 10,000 when absent. */
  readonly timeoutMs?: number
  /** Ends the pauses. */
  readonly timer?: Timer
}

export interface CarbonSender {
  /** Accepts a batch of whole lines; returns at once. */
  send(lines: string): void
  /** Changes the endpoint; what waits goes to the new one. */
  move(address: CarbonAddress): void
  /** Bytes that wait. */
  waiting(): number
  /** Ends the connection; what waits is dropped. */
  close(): void
}

const LONGEST_PAUSE = 60 * SECOND

export function openCarbonSender(options: CarbonSenderOptions): CarbonSender {
  const { log, limitBytes = 8_388_608, pauseMs = SECOND, timeoutMs = 10 * SECOND, timer = startTimer } = options
  let { address } = options
  let batches: Buffer[] = []
  let bytes = 0
  let dropped = 0
  let pause = pauseMs
  let failing = false
  let closed = false
  let socket: Socket | undefined
  /** Ends the pause; undefined while there is none. */
  let endPause: (() => void) | undefined
  let sending = false

  const fail = (reason: string): void => {
    socket?.destroy()
    socket = undefined
    sending = false
    if (closed) return
    if (!failing) log('carbon-failed', { ...address, reason })
    failing = true
    endPause?.()
    endPause = timer(pause, () => {
      endPause = undefined
      pump()
    })
    pause = Math.min(pause * 2, LONGEST_PAUSE)
  }

  const open = (): Socket => {
    const opened = connect({ ...address, timeout: timeoutMs })
    opened.on('error', ({ message }) => opened === socket && fail(message))
    opened.on('close', () => opened === socket && fail('the connection was closed'))
    // Idle between two batches is no failure.
    opened.on('timeout', () => opened === socket && sending && fail(`no answer within ${timeoutMs} ms`))
    opened.resume()
    return opened
  }

  /** One batch at a time; it stays in the buffer until the system has accepted it. */
  const pump = (): void => {
    const [batch] = batches
    if (closed || sending || batch === undefined) return
    sending = true
    socket ??= open()
    const current = socket
    current.write(batch, (error) => {
      if (error || current !== socket) return
      sending = false
      pause = pauseMs
      if (batches[0] === batch) bytes -= (batches.shift() as Buffer).length
      if (failing) log('carbon-takes-lines', { ...address, droppedBytes: dropped })
      failing = false
      dropped = 0
      pump()
    })
  }

  return {
    send: (lines) => {
      if (closed || lines === '') return
      const batch = Buffer.from(lines)
      batches.push(batch)
      bytes += batch.length
      while (bytes > limitBytes && batches.length > 0) {
        const oldest = (batches.shift() as Buffer).length
        bytes -= oldest
        dropped += oldest
      }
      // The pause may have ended while nothing waited.
      if (endPause === undefined) pump()
    },
    move: (next) => {
      if (next.host === address.host && next.port === address.port) return
      address = next
      const former = socket
      socket = undefined
      former?.destroy()
      sending = false
      failing = false
      pause = pauseMs
      endPause?.()
      endPause = undefined
      pump()
    },
    waiting: () => bytes,
    close: () => {
      closed = true
      endPause?.()
      socket?.destroy()
      batches = []
      bytes = 0
    },
  }
}
