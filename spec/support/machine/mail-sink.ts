// A real SMTP server on loopback, with STARTTLS and logins: keeps the mails it was given; can be taken away and brought back.
import { SMTPServer } from 'smtp-server'
import { next } from '../wait.js'
import { type Authority, makeAuthority } from './authority.js'
import { freePorts } from './ports.js'

export interface SunkMail {
  readonly at: number
  readonly from: string
  readonly to: readonly string[]
  readonly subject: string
  /** Header lines by lower-case name. */
  readonly headers: ReadonlyMap<string, string>
  readonly text: string
  readonly isEncrypted: boolean
  readonly user: string
}

export class MailSink {
  readonly mails: SunkMail[] = []
  /** Most connections that were open at one moment. */
  most = 0
  #open = 0
  port = 0
  #server: SMTPServer | undefined
  #authority: Authority | undefined

  /** The account that it accepts. */
  readonly account = { user: 'alerts', password: 'mail-password' }

  async open(): Promise<void> {
    this.#authority ??= await makeAuthority()
    const { cert, key } = await this.#authority.issue('IP:127.0.0.1')
    const server = new SMTPServer({
      ...{ cert, key, authOptional: true, logger: false },
      onConnect: (_session, done) => {
        this.#open += 1
        this.most = Math.max(this.most, this.#open)
        done()
      },
      onClose: () => {
        this.#open -= 1
      },
      onAuth: ({ username, password }, { secure }, done) => {
        const isKnown = secure && username === this.account.user && password === this.account.password
        done(isKnown ? null : new Error('unknown account'), isKnown ? { user: username } : undefined)
      },
      onData: (stream, { envelope, secure, user }, done) => {
        const chunks: Buffer[] = []
        stream.on('data', (chunk: Buffer) => chunks.push(chunk))
        stream.on('end', () => {
          const to = envelope.rcptTo.map(({ address }) => address)
          const from = envelope.mailFrom ? envelope.mailFrom.address : ''
          const parsed = parseMail(Buffer.concat(chunks).toString())
          this.mails.push({ ...parsed, at: Date.now(), from, to, isEncrypted: secure, user: user ?? '' })
          done()
        })
      },
    })
    // A client that goes away in the middle is no fault of the spec.
    server.on('error', () => undefined)
    // None that an outgoing connection could take while the server is away.
    this.port ||= (await freePorts(1))[0] ?? 0
    server.listen(this.port, '127.0.0.1')
    await next(server.server, 'listening', 'the server listens')
    this.#server = server
  }

  close(): Promise<void> {
    return new Promise((resolve) => (this.#server ? this.#server.close(() => resolve()) : resolve()))
  }
}

function parseMail(source: string): Pick<SunkMail, 'subject' | 'headers' | 'text'> {
  const end = source.search(/\r?\n\r?\n/)
  const head = source.slice(0, end).replace(/\r?\n[ \t]+/g, ' ')
  const headers = new Map(
    head
      .split(/\r?\n/)
      .map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 2)]),
  )
  const body = source.slice(end).trim()
  const encoding = headers.get('content-transfer-encoding')
  const text =
    encoding === 'quoted-printable'
      ? fromQuoted(body)
      : encoding === 'base64'
        ? Buffer.from(body, 'base64').toString()
        : body
  return { headers, subject: fromWords(headers.get('subject') ?? ''), text: text.replaceAll('\r\n', '\n') }
}

const fromQuoted = (text: string): string =>
  Buffer.from(
    text
      .replace(/=\r?\n/g, '')
      .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  ).toString()

/** RFC 2047. */
const fromWords = (text: string): string =>
  text
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?utf-8\?([QB])\?(.*?)\?=/gi, (_, kind: string, word: string) =>
      kind.toUpperCase() === 'B' ? Buffer.from(word, 'base64').toString() : fromQuoted(word.replaceAll('_', ' ')),
    )
