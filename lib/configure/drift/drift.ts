// The drift of one server: its tags compared with its running values, and the decision about each difference.
import { type Kept, stillFound, withFound } from './found.js'
import { isCompared, namesOf, type Options, type Shown, sameValue, shownValue, splitName } from './values.js'

/**
 * `undecided`: it runs with another value, which is kept (02_delta) until a user decides. `preserved`: it is kept
 * regardless of the tags. `agreed`: accepted against the present tags. `cleared`: the tags apply at the next start.
 * `pending`: the tags were changed, and the server has not been restarted on them.
 */
export type DriftState = 'undecided' | 'preserved' | 'agreed' | 'cleared' | 'pending'

export interface Difference {
  readonly name: string
  /** The value of the tags. */
  readonly expected: string
  /** The running value; absent: the server has no such variable. */
  readonly running?: string
  readonly state: DriftState
}

/** The stored state of a server between two checks, plain data. */
export interface DriftRecord {
  /** Values of the tags at the last check. */
  readonly expected: Readonly<Record<string, string>>
  readonly undecided: Readonly<Record<string, Kept>>
  readonly agreed: Readonly<Record<string, Kept>>
  /** Value of the tags when the difference was cleared, and the running value. */
  readonly cleared: Readonly<Record<string, Kept>>
  /** The new value, and the running value when the tags changed. */
  readonly pending: Readonly<Record<string, Kept>>
  /** Running values that the last discovery found: they are expected as long as the tags are as they were then. */
  readonly found: Readonly<Record<string, Kept>>
}

export const noDrift: DriftRecord = { expected: {}, undecided: {}, agreed: {}, cleared: {}, pending: {}, found: {} }

export interface DriftInput {
  /** The value of the tags, and of the discovery in place of it. */
  readonly expected: Options
  readonly server: Shown
  /** Names of variables that are kept regardless of the tags. */
  readonly preserved: ReadonlySet<string>
  readonly record: DriftRecord
  /** Differences are kept until a user decides; otherwise the tags apply at the next start. */
  readonly keeps: boolean
  /** Its tags were changed since it started: at its first check, a difference cannot be distinguished from such a change. */
  readonly behind?: boolean
}

export interface Drift {
  /** By name. */
  readonly differences: readonly Difference[]
  readonly record: DriftRecord
}

/** Compares a server with its tags. Pure: equal input, equal answer; a second check changes nothing. */
export function judgeDrift(input: DriftInput): Drift {
  const { expected, server } = input
  const differences: Difference[] = []
  const record = {
    ...{ expected: {} as Record<string, string>, undecided: {} as Record<string, Kept> },
    ...{ agreed: {} as Record<string, Kept>, cleared: {} as Record<string, Kept>, pending: {} as Record<string, Kept> },
    found: input.record.found,
  }
  for (const [name, wanted] of [...expected].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    if (!isCompared(name)) continue
    record.expected[name] = wanted
    const running = shownValue(name, server)
    // Options without a variable cannot be compared.
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
  if ([...namesOf(name), splitName(name)[0]].some((each) => preserved.has(each))) return 'preserved'
  const { agreed, cleared, pending, undecided } = record
  if (holds(agreed[name], wanted) && sameValue(agreed[name].value, running)) return 'agreed'
  if (holds(cleared[name], wanted) && sameValue(cleared[name].value, running)) return 'cleared'
  // An option file cannot unload a library: it is loaded at the next start.
  if (name.startsWith('plugin_load_add.') || !keeps) return 'pending'
  // The server does not run yet with the tags changed since the last check.
  if (isChanged(input, name, wanted)) return 'pending'
  if (holds(pending[name], wanted) && sameValue(pending[name].value, running)) return 'pending'
  return undecided[name] === undefined || holds(undecided[name], wanted) ? 'undecided' : 'pending'
}

/** The value of the tags differs from the last check, or is new. */
function isChanged({ record, behind = false }: DriftInput, name: string, wanted: string): boolean {
  const before = record.expected[name]
  if (before !== undefined) return !sameValue(before, wanted)
  return behind || Object.keys(record.expected).length > 0
}

/** Decided against the still valid value of the tags. */
const holds = (kept: Kept | undefined, wanted: string): kept is Kept =>
  kept !== undefined && sameValue(kept.expected, wanted)

/** The stored record; of a decision, the values when it was taken. */
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
 * The kept values that remain after a change of tags, before the server is checked again: a value that
 * was kept against an earlier value of the tags never overrides their present value.
 */
export function settleRecord(record: DriftRecord, byTags: Options): DriftRecord {
  const found = stillFound(record.found, byTags)
  const expected = withFound(byTags, found)
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
    Object.keys(agreed).length === Object.keys(record.agreed).length &&
    Object.keys(found).length === Object.keys(record.found).length
  return same ? record : { ...record, undecided, agreed, found }
}

export type Decision = 'accept' | 'clear'

/** The record after a decision about a difference. */
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
    found: record.found,
    undecided: without(record.undecided),
    pending: without(record.pending),
    agreed: { ...without(record.agreed), ...(decision === 'accept' ? kept : {}) },
    cleared: { ...without(record.cleared), ...(decision === 'clear' ? kept : {}) },
  }
}
