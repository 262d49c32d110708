// The files of custom.d that the drift writes: what is kept until somebody decides, and what was accepted.
import { emptyOverlay } from '../tree/overlays.js'
import type { DriftRecord, Kept } from './drift.js'
import { optionLine, parseOptions, withOption, withoutOption } from './option-file.js'

/** The whole text of `02_delta.cnf`, which nobody but the manager writes. */
export function renderDelta({ undecided }: Pick<DriftRecord, 'undecided'>): string {
  const names = Object.keys(undecided).toSorted()
  if (names.length === 0) return emptyOverlay('02_delta')
  const head = [
    '# What this server runs with and its tags do not say, kept until it is decided: accept it, preserve it or clear it.',
    '# Written by the manager at every check; a later change of tags or memory removes its variables from this file.',
  ]
  return [...head, '[mysqld]', ...names.flatMap((name) => entry(name, undecided[name]))].join('\n').concat('\n')
}

const entry = (name: string, kept: Kept | undefined): readonly string[] =>
  kept === undefined
    ? []
    : [`# the tags say ${kept.expected === '' ? "''" : kept.expected}`, optionLine(name, kept.value)]

/** The text of `03_agreed.cnf` with exactly the accepted values that the record holds, and what people wrote beside. */
export function renderAgreed(text: string, before: DriftRecord['agreed'], after: DriftRecord['agreed']): string {
  const lapsed = Object.keys(before).filter((name) => after[name] === undefined)
  const cleaned = lapsed.reduce(withoutOption, text)
  const written = parseOptions(cleaned)
  const complete = Object.entries(after).reduce(
    (sum, [name, { value }]) => (written.get(name) === value ? sum : withOption(sum, name, value)),
    cleaned,
  )
  return parseOptions(complete).size === 0 && Object.keys(before).length > 0 ? emptyOverlay('03_agreed') : complete
}

/** The text of a file that people keep, with a variable set or (no value) taken out. */
export const editOverlay = (text: string, name: string, value: string | undefined): string =>
  value === undefined ? withoutOption(text, name) : withOption(text, name, value)
