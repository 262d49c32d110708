// The log to syslog over UDP: one datagram for each line, as RFC 5424 describes it; what cannot be sent is dropped and counted.
import { createSocket } from 'node:dgram'
import os from 'node:os'
import { isoTime } from '../../../lib/base/time.js'

/** Facility daemon: https://www.rfc-editor.org/rfc/rfc5424#section-6.2.1. */
const FACILITY = 3
/** Severities: error 3, warning 4, informational 6, debug 7. */
const severityOf = (pinoLevel: number): number => (pinoLevel >= 50 ? 3 : pinoLevel >= 40 ? 4 : pinoLevel >= 30 ? 6 : 7)
/** Datagrams that wait for the system. */
const MOST_WAITING = 1_000
/** What every receiver accepts in one datagram, bytes. */
const LONGEST = 2_048

export interface SyslogLine {
  /** As pino numbers it: 20 debug … 50 error. */
  readonly level: number
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly text: string
}

/** `<30>1 2026-11-23T13:55:01.123Z host manager 4711 - - text`. */
export function renderSyslog({ level, at, text }: SyslogLine, { host, pid }: { host: string; pid: number }): Buffer {
  const head = `<${FACILITY * 8 + severityOf(level)}>1 ${isoTime(at)} ${host.replace(/[^!-~]/g, '-')} manager ${pid} - - `
  return Buffer.from(`${head}${text}`).subarray(0, LONGEST)
}

export interface Syslog {
  /** Never waits, never throws. */
  write(line: SyslogLine): void
  close(): void
}

/** `complain` gets the first failure, and the next one after a success. */
export function openSyslog(address: { host: string; port: number }, complain: (problem: string) => void): Syslog {
  const socket = createSocket(address.host.includes(':') ? 'udp6' : 'udp4')
  socket.unref()
  const self = { host: os.hostname() || '-', pid: process.pid }
  let waiting = 0
  let isFailing = false
  const ended = (error: Error | null) => {
    waiting -= 1
    if (error && !isFailing) complain(error.message)
    isFailing = error !== null
  }
  socket.on('error', (error) => complain(error.message))
  return {
    write: (line) => {
      if (waiting >= MOST_WAITING) return
      waiting += 1
      socket.send(renderSyslog(line, self), address.port, address.host, ended)
    },
    close: () => socket.close(),
  }
}
