// The keys of the console: what terminals send for them, and their help texts.

interface Key {
  /** As people read it. */
  readonly keys: string
  readonly text: string
  /** What a terminal sends. */
  readonly sent: readonly string[]
}

/** Control keys mean the same as the letters beside them; some of them are Enter, Tab and Backspace by nature. */
export const keys = {
  up: { keys: '↑', text: 'the server above', sent: ['\u001b[A', '\u001bOA', 'k'] },
  down: { keys: '↓', text: 'the server below', sent: ['\u001b[B', '\u001bOB', 'j'] },
  switchover: { keys: 's', text: 'switch over, to the selected replica', sent: ['s', '\u0013'] },
  failover: { keys: 'f', text: 'fail over; refused while the primary is alive', sent: ['f', '\u0006'] },
  maintenance: { keys: 'm', text: 'maintenance of the selected server on or off', sent: ['m'] },
  open: {
    keys: '⏎',
    text: 'open the selected cluster, or the page of the selected server',
    sent: ['\r', '\n', '\u001b[M'],
  },
  fleet: { keys: 'c', text: 'all clusters, those in trouble first', sent: ['c'] },
  search: { keys: '/', text: 'search among all clusters', sent: ['/'] },
  findings: { keys: 'a', text: 'open findings', sent: ['a'] },
  runbooks: { keys: 'o', text: 'runbooks of the open findings: what they mean and what to do', sent: ['o'] },
  explain: { keys: 'x', text: 'explain whether it would fail over now', sent: ['x'] },
  topology: { keys: 'd', text: 'back to the events', sent: ['d', '\u0004', '\u001b'] },
  next: { keys: 'n', text: 'the next cluster', sent: ['n', '\u000e', '\u001b[C'] },
  previous: { keys: 'p', text: 'the previous cluster', sent: ['p', '\u0010', '\u001b[D'] },
  mode: { keys: 'i', text: 'failover mode automatic or manual', sent: ['i', '\t'] },
  'read-only': { keys: 'r', text: 'failover-readonly-state on or off', sent: ['r', 'w', '\u0012', '\u0017'] },
  reset: { keys: 'e', text: 'reset the failover counter', sent: ['e', '\u0005'] },
  'page-down': { keys: '␣', text: 'the next page, or PgDn', sent: [' ', '\u001b[6~'] },
  'page-up': { keys: 'b', text: 'the previous page, or PgUp', sent: ['b', '\u001b[5~'] },
  help: { keys: 'h', text: 'this help', sent: ['h', '?', '\u0008', '\u007f'] },
  quit: { keys: 'q', text: 'quit', sent: ['q', '\u0011', '\u0003'] },
} as const satisfies Readonly<Record<string, Key>>

/** `yes` answers questions; `other` is every unassigned key. */
export type KeyName = keyof typeof keys | 'yes' | 'other'

const bySent: ReadonlyMap<string, KeyName> = new Map([
  ...Object.entries(keys).flatMap(([name, { sent }]) => sent.map((text) => [text, name as KeyName] as const)),
  ['y', 'yes'],
  ['Y', 'yes'],
])

// biome-ignore lint/suspicious/noControlCharactersInRegex: terminals begin the names of keys with an escape
const strokes = /\u001b(?:\[[0-9;]*[A-Za-z~]|O[A-Za-z])|[\s\S]/gu

/** What was read, stroke by stroke. */
export const strokesOf = (text: string): readonly string[] => text.match(strokes) ?? []

/** The keys of what was read, in order. */
export const parseKeys = (text: string): readonly KeyName[] =>
  strokesOf(text).map((stroke) => bySent.get(stroke) ?? 'other')
