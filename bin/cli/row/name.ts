// Noun and verb of a route row on the command line: those that the row names, else those of its id.
import type { Route } from '../../../http/api/kit/route.js'

export interface CommandName {
  readonly noun: string
  readonly verb: string
}

/** `tokens.list` → `token list`; `server.toogle-read-only` → `server toggle-read-only`. */
export function commandName({ id, cli }: Pick<Route, 'id' | 'cli'>): CommandName {
  const dot = id.indexOf('.')
  const [noun = '', verb = ''] = cli?.split(' ') ?? [singular(id.slice(0, dot)), id.slice(dot + 1)]
  return { noun, verb: verb.split('-').map(respell).join('-') }
}

const singular = (section: string): string =>
  section.endsWith('ies') ? `${section.slice(0, -3)}y` : section.replace(/([^s])s$/, '$1')

/** Paths keep their inherited misspellings; commands are spelled correctly. */
const respell = (word: string): string => spellings[word] ?? word

const spellings: Readonly<Record<string, string>> = { toogle: 'toggle', prefered: 'preferred' }
