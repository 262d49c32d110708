// An order for the job script: one line of words, as the job table and the script's environment carry it. Pure.
import { SECOND } from '../../base/time.js'
import type { HostSnapshot, HostStream } from '../../model/operation/host-task.js'
import type { ServerAddress } from '../../model/server/server.js'

/** How the script sends its lines while it works; absent: they arrive with its end. */
export interface LogPlace {
  /** `https://manager:10005`. */
  readonly url: string
  readonly cluster: string
  readonly server: ServerAddress
  /** Opens `write-log` for this task, until it ends. */
  readonly token: string
  /** Lines that it sends at once (`job-log-batch-size`). */
  readonly batch: number
  /** Pin of the manager's key, `sha256//…`. */
  readonly pin?: string
}

export interface Order {
  readonly stream?: HostStream
  readonly snapshot?: HostSnapshot
  /** Seconds after which the script ends the work on its own. */
  readonly deadlineSeconds: number
  readonly log?: LogPlace
}

/** `name=value` words; what is absent has no word. */
export function renderPayload({ stream, snapshot, deadlineSeconds, log }: Order): string {
  const words: Readonly<Record<string, string | number | undefined>> = {
    deadline: deadlineSeconds,
    secret: stream?.secret,
    certificate: stream?.certificate === undefined ? undefined : bodyOf(stream.certificate),
    throttle: stream?.throttle,
    lockddl: stream?.lockDdl === undefined ? undefined : stream.lockDdl ? 'on' : 'off',
    before: snapshot?.before,
    only: snapshot?.only,
    url: log?.url,
    cluster: log?.cluster,
    host: log?.server.host,
    hostport: log?.server.port,
    token: log?.token,
    batch: log?.batch,
    pin: log?.pin,
  }
  return Object.entries(words)
    .flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${plain(`${value}`)}`]))
    .join(' ')
}

/** `id|task|port|server|payload`, as the API and the environment of a session carry it. */
export const renderOrder = (
  id: number,
  { task, stream }: { readonly task: string; readonly stream?: HostStream },
  payload: string,
): string => [id, task, stream?.port ?? 0, stream?.host ?? '', payload].join('|')

/** The payload of a request. */
export const payloadOf = (
  { stream, snapshot, deadlineMs }: Pick<Order, 'stream' | 'snapshot'> & { readonly deadlineMs: number },
  log?: LogPlace,
): string =>
  renderPayload({
    ...(stream ? { stream } : {}),
    ...(snapshot ? { snapshot } : {}),
    ...(log ? { log } : {}),
    deadlineSeconds: Math.ceil(deadlineMs / SECOND),
  })

/** The base64 text of the first certificate of a PEM, as one word. */
const bodyOf = (pem: string): string =>
  (/-----BEGIN CERTIFICATE-----([^-]+)-----END/.exec(pem)?.[1] ?? '').replace(/\s/g, '')

/** A PEM of such a word. */
export const pemOf = (body: string): string =>
  `-----BEGIN CERTIFICATE-----\n${body.replace(/.{1,64}/g, '$&\n')}-----END CERTIFICATE-----\n`

/** Words are parted by blanks and rows by bars: neither is in an address, a name, a secret or base64. */
function plain(value: string): string {
  if (/[\s|'"\\]/.test(value)) throw new TypeError('a value of an order holds a blank, a bar, a quote or a backslash')
  return value
}
