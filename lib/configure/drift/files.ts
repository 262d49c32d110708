// The files of custom.d that the drift writes: values kept until a user decides, and accepted values.
import { emptyOverlay } from '../tree/overlays.js'
import type { DriftRecord } from './drift.js'
import type { Found, Kept } from './found.js'
import { optionLine, parseOptions, withOption, withoutOption } from './option-file.js'

/** The whole text of `02_delta.cnf`, which only the manager writes. */
export function renderDelta({ undecided }: Pick<DriftRecord, 'undecided'>): string {
  const names = Object.keys(undecided).toSorted()
  if (names.length === 0) return emptyOverlay('02_delta')
  const head = [
    '# Running values of this server that differ from its tags. They are kept until you accept, preserve or clear them.',
    '# Written by the manager at every check; a later change of tags or memory removes the variables it sets from this file.',
  ]
  return [...head, '[mysqld]', ...names.flatMap((name) => entry(name, undecided[name]))].join('\n').concat('\n')
}

const entry = (name: string, kept: Kept | undefined): readonly string[] =>
  kept === undefined
    ? []
    : [`# the tags say ${kept.expected === '' ? "''" : kept.expected}`, optionLine(name, kept.value)]

/** The values that stand in `03_agreed.cnf`: those of the discovery, and those that users accepted instead. */
export const agreedValues = ({ found, agreed }: Pick<DriftRecord, 'found' | 'agreed'>): Found => ({
  // An option file cannot unload a library.
  ...Object.fromEntries(Object.entries(found).filter(([name]) => !name.startsWith('plugin_load_add.'))),
  ...agreed,
})

/** The text of `03_agreed.cnf` with exactly the given values, and lines that users added. */
export function renderAgreed(text: string, before: Found, after: Found): string {
  const lapsed = Object.keys(before).filter((name) => after[name] === undefined)
  const cleaned = lapsed.reduce(withoutOption, text)
  const written = parseOptions(cleaned)
  const complete = Object.entries(after).reduce(
    (sum, [name, { value }]) => (written.get(name) === value ? sum : withOption(sum, name, value)),
    cleaned,
  )
  return parseOptions(complete).size === 0 && Object.keys(before).length > 0 ? emptyOverlay('03_agreed') : complete
}

/** The text of a user-maintained file, with a variable set or (no value) removed. */
export const editOverlay = (text: string, name: string, value: string | undefined): string =>
  value === undefined ? withoutOption(text, name) : withOption(text, name, value)
