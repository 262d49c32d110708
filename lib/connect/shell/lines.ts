// Lines of a program's output, in bounded memory whatever the program writes.
import type { Readable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'

/** Longer lines are cut here, characters; the rest of them is dropped as it comes in. */
export const LONGEST_LINE = 2_000

/** Calls for every line without its end, cut after `longest`; an unfinished last one counts when the stream ends. */
export function readLines(stream: Readable, onLine: (line: string) => void, longest = LONGEST_LINE): void {
  const decoder = new StringDecoder('utf8')
  let begun = ''
  const add = (text: string) => {
    if (begun.length <= longest) begun += text.slice(0, longest + 1 - begun.length)
  }
  const finish = () => {
    onLine(begun.replace(/\r$/, '').slice(0, longest))
    begun = ''
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
    if (begun !== '') finish()
  })
}

/** Keeps the newest `count` lines. */
export function keepLast(lines: string[], line: string, count: number): void {
  lines.push(line)
  if (lines.length > count) lines.shift()
}
