// Confirmation of destructive commands: a question on a terminal unless `--yes` is given. Without a terminal, commands
// that only interrupt are executed, and commands that lose data require `--yes`.
import { createInterface } from 'node:readline'
import { EXIT, Exit } from '../output/exit.js'
import type { Gravity } from './gravity.js'

export interface Consent {
  readonly yes: boolean
  /** Overrides a refusal of the manager, and therefore the question too. */
  readonly force?: boolean
}

/** Resolves when it may be done; an `Exit` (refused) when it may not. */
export async function confirm(gravity: Gravity, question: string, { yes, force = false }: Consent): Promise<void> {
  if (gravity === 'none' || yes || force) return
  if (process.stdin.isTTY === true) {
    if (!isYes(await ask(`${question} [y/N] `))) throw new Exit(EXIT.refused, 'Nothing was changed.')
  } else if (gravity === 'loses') throw new Exit(EXIT.refused, `${question} No terminal: pass --yes to confirm.`)
}

const isYes = (answer: string): boolean => /^y(es)?$/i.test(answer.trim())

/** A line of the terminal; an interruption ends the program, the end of input answers nothing. */
function ask(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  return new Promise((resolve) => {
    terminal.once('SIGINT', () => process.exit(EXIT.interrupted))
    terminal.once('close', () => resolve(''))
    terminal.question(question, (answer) => {
      resolve(answer)
      terminal.close()
    })
  })
}
