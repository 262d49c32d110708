// The command lines and statements of all runbook pages, with names in the place of their placeholders.

import type { CommandKind, PageCommand } from '../../../lib/model/findings/runbook/kit/page.js'
import { runbooks } from '../../../lib/model/findings/runbook/runbooks.js'

export interface RunbookLine {
  /** Pages that have it. */
  readonly pages: readonly string[]
  readonly text: string
}

/** What a reader would write in the place of `<account>` and the others; `x` where any word will do. */
const words: Readonly<Record<string, string>> = {
  '<number>': '400',
  '<account>': 'monitor',
  '<uuid:number>': '3e11fa47-71ca-11e1-9e33-c80aa9429562:23',
  '<file>': 'bin.000001',
  '<thread>': '7',
  '<id>': '7',
  '<address,address>': '10.0.0.7,10.0.0.8',
  '<host=address,host=address>': 'db1=10.1.0.1,db2=10.1.0.2',
  '<database>': 'mysql',
  '<table>': 'proc',
}

const filled = (text: string): string => text.replaceAll(/<[a-z:,=-]+>/g, (word) => words[word] ?? 'x')

/** Each once, by kind. */
export function linesOf(...kinds: readonly CommandKind[]): readonly RunbookLine[] {
  const found = new Map<string, string[]>()
  for (const { name, check, act } of runbooks)
    for (const step of [...check, ...act]) {
      if (typeof step === 'string' || !kinds.includes((step as PageCommand).kind)) continue
      const text = filled(step.text)
      found.set(text, [...(found.get(text) ?? []), name])
    }
  return [...found].map(([text, names]) => ({ text, pages: names }))
}
