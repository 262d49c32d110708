// Lines of a program's output, in bounded memory.
import type { Readable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'

/** Longer lines are cut here, characters; the rest is discarded. */
export const LONGEST_LINE = 2_000

/** Calls back for every line without its line end, cut after `longest`; an unterminated last line counts when the stream ends. */
export function readLines(stream: Readable, onLine: (line: string) => void, longest = LONGEST_LINE): void {
  const decoder = new StringDecoder('utf8')
  let pending = ''
  const add = (text: string) => {
    if (pending.length <= longest) pending += text.slice(0, longest + 1 - pending.length)
  }
  const finish = () => {
    onLine(pending.replace(/\r$/, '').slice(0, longest))
    pending = ''
  }
  stream.on('data', (chunk: Buffer) => {
    const [first = '', ...others] = decoder.write(chunk).split('\n')
    add(first)
    for (const text of others) {
      finish()
      add(text)
    }
  })
  stream.once('end', () => {
    add(decoder.end())
    if (pending !== '') finish()
  })
}

/** Keeps the newest `count` lines. */
export function keepLast(lines: string[], line: string, count: number): void {
  lines.push(line)
  if (lines.length > count) lines.shift()
}
