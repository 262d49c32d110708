// The drift of one server: what its tags say against what it runs with, and what was decided about each difference.
import { isCompared, type Options, type Shown, sameValue, shownValue, splitName } from './values.js'

/**
 * `undecided`: it runs with something else, which is kept (02_delta) until somebody decides. `preserved`: it stays so
 * whatever the tags say. `agreed`: accepted against what the tags say now. `cleared`: the tags win at the next start.
 * `pending`: the tags were changed, and the server has not been restarted on them.
 */
export type DriftState = 'undecided' | 'preserved' | 'agreed' | 'cleared' | 'pending'

export interface Difference {
  readonly name: string
  /** What the tags say. */
  readonly expected: string
  /** What the server runs with; absent: it has no such thing. */
  readonly running?: string
  readonly state: DriftState
}

/** A value that is kept, and what the tags said when it was. */
export interface Kept {
  readonly value: string
  readonly expected: string
}

/** What is remembered of a server between two looks, plain data. */
export interface DriftRecord {
  /** What the tags said at the last look. */
  readonly expected: Readonly<Record<string, string>>
  readonly undecided: Readonly<Record<string, Kept>>
  readonly agreed: Readonly<Record<string, Kept>>
  /** What the tags said when the difference was cleared, and what the server ran with. */
  readonly cleared: Readonly<Record<string, Kept>>
  /** The new value, and what the server ran with when the tags changed. */
  readonly pending: Readonly<Record<string, Kept>>
}

export const noDrift: DriftRecord = { expected: {}, undecided: {}, agreed: {}, cleared: {}, pending: {} }

export interface DriftInput {
  /** What the tags say. */
  readonly expected: Options
  readonly server: Shown
  /** Names of variables that stay as they are, whatever the tags say. */
  readonly preserved: ReadonlySet<string>
  readonly record: DriftRecord
  /** Differences are kept until somebody decides; otherwise the tags win at the next start. */
  readonly keeps: boolean
  /** Its tags were changed since it started: at its first look, nobody can tell a difference from such a change. */
  readonly behind?: boolean
}

export interface Drift {
  /** By name. */
  readonly differences: readonly Difference[]
  readonly record: DriftRecord
}

/** Compares a server with what its tags say. Pure: equal input, equal answer; a second look changes nothing. */
export function judgeDrift(input: DriftInput): Drift {
  const { expected, server } = input
  const differences: Difference[] = []
  const record = {
    ...{ expected: {} as Record<string, string>, undecided: {} as Record<string, Kept> },
    ...{ agreed: {} as Record<string, Kept>, cleared: {} as Record<string, Kept>, pending: {} as Record<string, Kept> },
  }
  for (const [name, wanted] of [...expected].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    if (!isCompared(name)) continue
    record.expected[name] = wanted
    const running = shownValue(name, server)
    // What no variable shows cannot be compared.
    if (running === undefined || sameValue(wanted, running)) continue
    const state = judgeOne(name, { wanted, running }, input)
    differences.push({ name, expected: wanted, running, state })
    if (state !== 'preserved') record[state][name] = keptAt(name, { wanted, running, state }, input.record)
  }
  return { differences, record }
}

interface Values {
  readonly wanted: string
  readonly running: string
}

function judgeOne(name: string, { wanted, running }: Values, input: DriftInput): DriftState {
  const { preserved, record, keeps } = input
  if (preserved.has(name) || preserved.has(splitName(name)[0])) return 'preserved'
  const { agreed, cleared, pending, undecided } = record
  if (holds(agreed[name], wanted) && sameValue(agreed[name].value, running)) return 'agreed'
  if (holds(cleared[name], wanted) && sameValue(cleared[name].value, running)) return 'cleared'
  // A library cannot be kept away by an option file: it is there at the next start.
  if (name.startsWith('plugin_load_add.') || !keeps) return 'pending'
  // The server has not taken up yet what the tags say since the last look.
  if (isChanged(input, name, wanted)) return 'pending'
  if (holds(pending[name], wanted) && sameValue(pending[name].value, running)) return 'pending'
  return undecided[name] === undefined || holds(undecided[name], wanted) ? 'undecided' : 'pending'
}

/** The tags say something else than at the last look, or something where they said nothing. */
function isChanged({ record, behind = false }: DriftInput, name: string, wanted: string): boolean {
  const before = record.expected[name]
  if (before !== undefined) return !sameValue(before, wanted)
  return behind || Object.keys(record.expected).length > 0
}

/** Decided against what the tags still say. */
const holds = (kept: Kept | undefined, wanted: string): kept is Kept =>
  kept !== undefined && sameValue(kept.expected, wanted)

/** What is remembered: of a decision the words of when it was made. */
function keptAt(
  name: string,
  { wanted, running, state }: Values & { readonly state: DriftState },
  record: DriftRecord,
) {
  const before = state === 'preserved' ? undefined : record[state][name]
  return before !== undefined && sameValue(before.value, running) && sameValue(before.expected, wanted)
    ? before
    : { value: running, expected: wanted }
}

/**
 * What is left of the kept values when the tags say something else, before the server is looked at again: a value that
 * was kept against what they said then never overrides what they say now.
 */
export function settleRecord(record: DriftRecord, expected: Options): DriftRecord {
  const still = (kept: Readonly<Record<string, Kept>>) =>
    Object.fromEntries(
      Object.entries(kept).filter(([name, one]) => {
        const wanted = expected.get(name)
        return wanted !== undefined && sameValue(wanted, one.expected)
      }),
    )
  const [undecided, agreed] = [still(record.undecided), still(record.agreed)]
  const same =
    Object.keys(undecided).length === Object.keys(record.undecided).length &&
    Object.keys(agreed).length === Object.keys(record.agreed).length
  return same ? record : { ...record, undecided, agreed }
}

export type Decision = 'accept' | 'clear'

/** The record after somebody decided about a difference. */
export function decideDrift(
  record: DriftRecord,
  { name, expected, running = '' }: Difference,
  decision: Decision,
): DriftRecord {
  const without = (kept: Readonly<Record<string, Kept>>) =>
    Object.fromEntries(Object.entries(kept).filter(([each]) => each !== name))
  const kept = { [name]: { value: running, expected } }
  return {
    expected: record.expected,
    undecided: without(record.undecided),
    pending: without(record.pending),
    agreed: { ...without(record.agreed), ...(decision === 'accept' ? kept : {}) },
    cleared: { ...without(record.cleared), ...(decision === 'clear' ? kept : {}) },
  }
}
