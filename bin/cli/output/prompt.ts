// What a person types without seeing it: passwords and secrets.
import type { ReadStream } from 'node:tty'

const INTERRUPT = '\u0003'
const END = '\u0004'
const ERASE = ['\u007f', '\b']
const ENTER = ['\r', '\n']

/** Exit status of a program that was interrupted. */
export const INTERRUPTED = 130

/**
 * Asks on standard error and reads a line unseen; undefined without a terminal (or with a full-screen view on it)
 * or when the user cancels.
 */
export async function readHidden(question: string): Promise<string | undefined> {
  const { stdin } = process
  if (!stdin.isTTY || stdin.isRaw) return undefined
  // First unseen, then asked: what is typed at once is not shown either.
  stdin.setRawMode(true)
  process.stderr.write(question)
  try {
    return await typedLine(stdin)
  } finally {
    stdin.setRawMode(false)
    stdin.pause()
    process.stderr.write('\n')
  }
}

function typedLine(stdin: ReadStream): Promise<string | undefined> {
  stdin.setEncoding('utf8')
  stdin.resume()
  return new Promise((resolve) => {
    const typed: string[] = []
    const settle = (text: string | undefined) => {
      stdin.off('data', hear)
      resolve(text)
    }
    const hear = (chunk: string | Buffer) => {
      for (const character of `${chunk}`) {
        if (character === INTERRUPT) process.exit(INTERRUPTED)
        if (ENTER.includes(character)) return settle(typed.join(''))
        if (character === END) return settle(undefined)
        if (ERASE.includes(character)) typed.pop()
        else typed.push(character)
      }
    }
    stdin.on('data', hear)
  })
}

/** All of standard input, without the newline at its end. */
export async function readInput(): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
    .toString('utf8')
    .replace(/\r?\n$/, '')
}
