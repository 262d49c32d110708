// The expressions of `--query`: JMESPath (https://jmespath.org), as other clients of the cloud world use it.
import { compile, search } from '@jmespath-community/jmespath'
import { EXIT, Exit } from './exit.js'

/** The forms that are needed most, for the documents. */
export const queryHelp: readonly (readonly [form: string, meaning: string])[] = [
  ['`name`, `"odd name"`', 'a field of an object; null if missing'],
  ['`a.b`', 'a field of a field'],
  ['`[0]`, `[-1]`', 'an entry of a list, from the end with a minus'],
  ['`[].host`', 'this field of every entry; entries without it are left out'],
  ["`[?state=='Master']`", 'the entries that match: `==`, `!=`, `<`, `<=`, `>`, `>=`, `&&`, `||`, `!`'],
  ['``[?lag > `3`]``', 'numbers, true, false and null are written in backticks, texts in single quotes'],
  ["`[?contains(host, 'db')]`", 'the entries whose host contains the text'],
  ['`[].{host: host, at: port}`', 'an object of these fields for every entry'],
  ['`a[].b | [0]`', 'the left side of the bar as one value'],
  ['`length(@)`, `keys(@)`, `sort(@)`', 'functions of the value; `sort_by(@, &lag)` sorts by a field'],
]

/** The part of `value` that `expression` selects. An `Exit` says what is wrong with the expression. */
export function queryValue(value: unknown, expression: string): unknown {
  return attempt(expression, () => search(value as Parameters<typeof search>[0], expression))
}

/** Refuses an expression with a syntax error, before anything is requested of the manager. */
export function checkQuery(expression: string): string {
  attempt(expression, () => compile(expression))
  return expression
}

function attempt<T>(expression: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new Exit(EXIT.usage, `invalid --query "${expression}": ${reason}`)
  }
}
