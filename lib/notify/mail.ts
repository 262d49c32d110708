// Mail through the configured SMTP server: one message, one deadline, the server's own error when it fails.
import nodemailer from 'nodemailer'
import { done, fail, type Result } from '../base/result.js'
import { reveal, type Secret } from '../base/secret.js'
import { SECOND } from '../base/time.js'

/** The settings of that name. */
export interface MailSettings {
  readonly 'mail-from': string
  readonly 'mail-smtp-addr': string
  readonly 'mail-smtp-user': string
  readonly 'mail-smtp-password': Secret
  readonly 'mail-smtp-tls-skip-verify': boolean
  /** Seconds. */
  readonly 'mail-timeout': number
}

export interface Mail {
  /** Addresses, comma-separated. */
  readonly to: string
  readonly subject: string
  readonly text: string
}

/** Resolves when the server has accepted it. Failure: `mail-failed`. */
export async function sendMail(settings: MailSettings, mail: Mail): Promise<Result<void>> {
  const timeout = settings['mail-timeout'] * SECOND
  const [, host = '', port = '25'] = /^\[?(.*?)\]?(?::(\d+))?$/.exec(settings['mail-smtp-addr']) ?? []
  const user = settings['mail-smtp-user']
  const transport = nodemailer.createTransport({
    ...{ host, port: Number(port), secure: port === '465' },
    ...(user ? { auth: { user, pass: reveal(settings['mail-smtp-password']) } } : {}),
    tls: { rejectUnauthorized: !settings['mail-smtp-tls-skip-verify'] },
    ...{ connectionTimeout: timeout, greetingTimeout: timeout, socketTimeout: timeout, dnsTimeout: timeout },
    ...{ disableFileAccess: true, disableUrlAccess: true },
  })
  try {
    await transport.sendMail({ from: settings['mail-from'], ...mail })
    return done
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return fail('mail-failed', `${settings['mail-smtp-addr']}: ${reason}`)
  } finally {
    transport.close()
  }
}
