// Asks before something is lost: on a terminal, unless `--yes` answers; where nobody can be asked, only `--yes` will do.
import { createInterface } from 'node:readline'
import { EXIT, Exit } from './exit.js'

/** Resolves when it may be done; an `Exit` (refused) when it may not. */
export async function confirm(question: string, { yes }: { readonly yes: boolean }): Promise<void> {
  if (yes) return
  if (process.stdin.isTTY !== true) throw new Exit(EXIT.refused, `${question} Nobody can be asked here: say --yes.`)
  if (!isYes(await ask(`${question} [y/N] `))) throw new Exit(EXIT.refused, 'Nothing was changed.')
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
