// A terminal taken over whole, and given back as it was: at the end, at a signal, and when the program crashes.
import type { ReadStream, WriteStream } from 'node:tty'
import { EXIT, Exit } from '../output/exit.js'
import { paint } from '../output/paint.js'
import type { Line, Size } from './lines.js'

/** The other screen, no cursor, no wrapping; and back. */
const ENTER = '\u001b[?1049h\u001b[?25l\u001b[?7l\u001b[2J'
const LEAVE = '\u001b[?7h\u001b[?25h\u001b[?1049l'
const HOME = '\u001b[H'
const CLEAR_LINE = '\u001b[K'
const CLEAR_BELOW = '\u001b[J'

const signals: readonly (readonly [NodeJS.Signals, number])[] = [
  ['SIGHUP', 129],
  ['SIGINT', 130],
  ['SIGQUIT', 131],
  ['SIGTERM', 143],
]

export interface Terminal {
  size(): Size
  draw(lines: readonly Line[]): void
  /** Gives the terminal back; again does nothing. */
  close(): void
}

export interface TerminalEvents {
  keys(text: string): void
  resized(): void
}

/** Takes the terminal; an `Exit` where there is none. */
export function openTerminal({ keys, resized }: TerminalEvents): Terminal {
  const { stdin, stdout } = process as { readonly stdin: ReadStream; readonly stdout: WriteStream }
  if (stdin.isTTY !== true || stdout.isTTY !== true)
    throw new Exit(EXIT.usage, 'the console needs a terminal; `topology --watch` and `events` write anywhere')
  const heard = (chunk: string | Buffer) => keys(String(chunk))
  const crashed = (error: unknown) => {
    close()
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`)
    process.exit(EXIT.error)
  }
  const ends = signals.map(([signal, status]) => [signal, () => process.exit(status)] as const)
  let open = true
  const close = () => {
    if (!open) return
    open = false
    for (const [signal, end] of ends) process.off(signal, end)
    process.off('exit', close)
    process.off('uncaughtException', crashed)
    stdout.off('resize', resized)
    stdin.off('data', heard)
    stdin.setRawMode(false)
    stdin.pause()
    stdout.write(LEAVE)
  }
  for (const [signal, end] of ends) process.prependListener(signal, end)
  process.on('exit', close)
  process.on('uncaughtException', crashed)
  stdin.setRawMode(true)
  stdin.setEncoding('utf8')
  stdin.on('data', heard)
  stdin.resume()
  stdout.on('resize', resized)
  stdout.write(ENTER)
  return {
    size: () => ({ columns: stdout.columns || 80, rows: stdout.rows || 24 }),
    draw(lines) {
      if (!open) return
      // Cleared first: after a line that fills the terminal the cursor is on its last character.
      const texts = lines.map((line) => CLEAR_LINE + line.map(({ text, style }) => paint(style, text)).join(''))
      const below = lines.length < (stdout.rows || 24) ? `\r\n${CLEAR_BELOW}` : ''
      stdout.write(HOME + texts.join('\r\n') + below)
    },
    close,
  }
}
