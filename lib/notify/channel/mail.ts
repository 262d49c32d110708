// Mail through the configured SMTP server: one message, one deadline, the server's own error when it fails.
import nodemailer, { type Transporter } from 'nodemailer'
import type SMTPPool from 'nodemailer/lib/smtp-pool/index.js'
import { done, fail, type Result } from '../../base/result.js'
import { reveal, type Secret } from '../../base/secret.js'
import { SECOND, sleep } from '../../base/time.js'
import type { AlertKind, AlertMessage } from '../../model/alert.js'
import type { Settings } from '../../settings/index.js'
import type { Channel } from './channel.js'

/** The settings of that name. */
export interface MailSettings {
  readonly 'mail-from': string
  readonly 'mail-smtp-addr': string
  readonly 'mail-smtp-user': string
  readonly 'mail-smtp-password': Secret
  readonly 'mail-smtp-tls-skip-verify': boolean
  /** Seconds. */
  readonly 'mail-timeout': number
  /** 0: no connection is kept. */
  readonly 'mail-max-pool': number
}

export interface Mail {
  /** Addresses, comma-separated. */
  readonly to: string
  readonly subject: string
  readonly text: string
  /** Alerts have one, so that a repetition is recognised. */
  readonly messageId?: string
  /** Further headers. */
  readonly headers?: Readonly<Record<string, string>>
}

export const mail: Channel = {
  name: 'mail',
  finding: 'WARN0138',
  receiver: (settings, kind) => {
    const to = receiversOf(settings, kind)
    return to === '' ? undefined : [to, settings['mail-from'], settings['mail-smtp-addr']].join(' ')
  },
  shown: (settings, kind) => `${receiversOf(settings, kind)} by ${settings['mail-smtp-addr']}`,
  send: async (settings, message) => {
    const sent = await sendMail(settings, mailOf(settings, message))
    return sent.ok ? done : fail('alert-failed', sent.failure.message)
  },
}

const receiversOf = (settings: Settings, kind: AlertKind): string =>
  (kind === 'escalation' && settings['alert-escalation-mail-to']) || settings['mail-to']

/** RFC 3834: nobody's absence note answers it. */
const mailOf = (settings: Settings, { id, kind, title, text, level, codes, clusters }: AlertMessage): Mail => ({
  ...{ to: receiversOf(settings, kind), subject: title, text },
  messageId: `<${id}@${domainOf(settings['mail-from'])}>`,
  headers: {
    'Auto-Submitted': 'auto-generated',
    'X-Alert-Level': level,
    'X-Alert-Clusters': clusters.slice(0, 20).join(' '),
    'X-Alert-Codes': codes.slice(0, 20).join(' '),
  },
})

const domainOf = (from: string): string => /@([\w.-]+)/.exec(from)?.[1] ?? 'localhost'

/** Resolves when the server has accepted it. Failure: `mail-failed`. */
export async function sendMail(settings: MailSettings, { headers = {}, ...rest }: Mail): Promise<Result<void>> {
  const { transport, end } = openTransport(settings)
  const timeout = settings['mail-timeout'] * SECOND
  const ending = new AbortController()
  const sending = transport.sendMail({ from: settings['mail-from'], ...rest, headers: { ...headers } })
  // The limits of the transport are those of single steps; this one is that of the mail.
  const late = sleep(timeout * STEPS, ending.signal).then(() => 'late' as const)
  try {
    const first = await Promise.race([sending, late])
    return first === 'late'
      ? fail('mail-failed', `${settings['mail-smtp-addr']}: not sent within ${timeout * STEPS} ms`)
      : done
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return fail('mail-failed', `${settings['mail-smtp-addr']}: ${reason}`)
  } finally {
    ending.abort()
    sending.catch(() => undefined)
    end()
  }
}

/** Steps of a delivery that may each take `mail-timeout`: name, connection and greeting, login, message. */
const STEPS = 4

interface Opened {
  readonly transport: Transporter
  /** Ends what is not kept. */
  readonly end: () => void
}

/** Kept connections by the settings that they were opened with. */
const pools = new Map<string, { readonly transport: Transporter; timer: NodeJS.Timeout }>()
/** An unused pool is closed after that. */
const IDLE_MS = 30 * SECOND

function openTransport(settings: MailSettings): Opened {
  const max = settings['mail-max-pool']
  const options = optionsOf(settings)
  if (max === 0) {
    const transport = nodemailer.createTransport(options)
    return { transport, end: () => transport.close() }
  }
  const key = JSON.stringify(options)
  const known = pools.get(key)
  if (known) clearTimeout(known.timer)
  const pooled: SMTPPool.Options = { ...options, pool: true, maxConnections: max }
  const transport = known?.transport ?? nodemailer.createTransport(pooled)
  const close = () => {
    pools.delete(key)
    transport.close()
  }
  const timer = setTimeout(close, settings['mail-timeout'] * SECOND * STEPS + IDLE_MS)
  timer.unref()
  pools.set(key, { transport, timer })
  return { transport, end: () => undefined }
}

/** Ends kept connections: when the manager stops. */
export function closeMail(): void {
  for (const { transport, timer } of pools.values()) {
    clearTimeout(timer)
    transport.close()
  }
  pools.clear()
}

/** TLS from the first byte at port 465, STARTTLS elsewhere where the server offers it. */
function optionsOf(settings: MailSettings) {
  const timeout = settings['mail-timeout'] * SECOND
  const [, host = '', port = '25'] = /^\[?(.*?)\]?(?::(\d+))?$/.exec(settings['mail-smtp-addr']) ?? []
  const user = settings['mail-smtp-user']
  return {
    ...{ host, port: Number(port), secure: port === '465' },
    ...(user ? { auth: { user, pass: reveal(settings['mail-smtp-password']) } } : {}),
    tls: { rejectUnauthorized: !settings['mail-smtp-tls-skip-verify'] },
    ...{ connectionTimeout: timeout, greetingTimeout: timeout, socketTimeout: timeout, dnsTimeout: timeout },
    ...{ disableFileAccess: true, disableUrlAccess: true },
  }
}
