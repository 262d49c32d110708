// Alerts to a syslog server: RFC 5424 messages, one datagram (RFC 5426) or one counted frame over TCP (RFC 6587).
import { createSocket } from 'node:dgram'
import { connect, isIPv6 } from 'node:net'
import { hostname } from 'node:os'
import { done, fail } from '../../base/result.js'
import { isoTime, SECOND } from '../../base/time.js'
import type { AlertMessage } from '../../model/alert.js'
import type { Channel } from './channel.js'

const TIMEOUT_MS = 5 * SECOND
/** Facility `daemon`. */
const FACILITY = 3
const CRITICAL = 2
const NOTICE = 5
/** Longest message; every receiver takes so much. */
const LONGEST_BYTES = 2_048

interface Address {
  readonly protocol: 'udp' | 'tcp'
  readonly host: string
  readonly port: number
}

export const syslog: Channel = {
  name: 'syslog',
  finding: 'WARN0370',
  receiver: (settings) => settings['alert-syslog'] || undefined,
  shown: (settings) => settings['alert-syslog'],
  send: async (settings, message) => {
    const address = parseAddress(settings['alert-syslog'])
    const text = Buffer.from(renderSyslog(message, hostname()))
    const error = await (address.protocol === 'tcp' ? sendFrame(address, text) : sendDatagram(address, text))
    return error === undefined ? done : fail('alert-failed', `${settings['alert-syslog']}: ${error}`)
  },
}

/** One line: the title, and the codes as structured data. */
export function renderSyslog({ at, level, kind, clusters, codes, title }: AlertMessage, host: string): string {
  const severity = kind !== 'test' && level === 'ALERT' ? CRITICAL : NOTICE
  const data = `[alert@32473 clusters="${quoted(clusters.join(','))}" codes="${quoted(codes.join(','))}"]`
  const head = `<${FACILITY * 8 + severity}>1 ${isoTime(at)} ${host || '-'} manager ${process.pid} ${kind === 'test' ? 'TEST' : level}`
  return cut(`${head} ${data} ${title.replace(/\s+/g, ' ')}`, LONGEST_BYTES)
}

/** RFC 5424, 6.3.3. */
const quoted = (text: string): string => text.slice(0, 500).replace(/["\\\]]/g, '\\$&')

const cut = (text: string, bytes: number): string =>
  Buffer.byteLength(text) <= bytes ? text : Buffer.from(text).subarray(0, bytes).toString().replace(/�+$/, '')

function parseAddress(text: string): Address {
  const [, protocol = 'udp', host = '', port] = /^(?:(udp|tcp):\/\/)?\[?(.*?)\]?(?::(\d+))?$/.exec(text) ?? []
  return { protocol: protocol === 'tcp' ? 'tcp' : 'udp', host, port: Number(port ?? (protocol === 'tcp' ? 601 : 514)) }
}

/** The error, if any: what the network loses afterwards is not known. */
const sendDatagram = ({ host, port }: Address, text: Buffer): Promise<string | undefined> =>
  new Promise((resolve) => {
    const socket = createSocket(isIPv6(host) ? 'udp6' : 'udp4')
    const timer = setTimeout(() => end(`not sent within ${TIMEOUT_MS} ms`), TIMEOUT_MS)
    const end = (error?: string) => {
      clearTimeout(timer)
      socket.removeAllListeners('error').on('error', () => undefined)
      socket.close(() => resolve(error))
    }
    socket.on('error', ({ message }) => end(message))
    socket.send(text, port, host, (error) => end(error?.message))
  })

const sendFrame = ({ host, port }: Address, text: Buffer): Promise<string | undefined> =>
  new Promise((resolve) => {
    const socket = connect({ host, port, timeout: TIMEOUT_MS })
    const end = (error?: string) => {
      socket.destroy()
      resolve(error)
    }
    socket.on('error', ({ message }) => end(message))
    socket.on('timeout', () => end(`no answer within ${TIMEOUT_MS} ms`))
    socket.on('close', (failed) => failed || resolve(undefined))
    socket.on('connect', () => socket.end(`${text.length} ${text}`))
    socket.resume()
  })
