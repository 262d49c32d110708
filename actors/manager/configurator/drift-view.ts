// The drift of a server as text: for the API, as findings, and the differences that a request names.

import { fail, ok, type Result } from '../../../lib/base/result.js'
import { suggest } from '../../../lib/base/suggest.js'
import { type DriftDifference, type Options, optionName } from '../../../lib/configure/index.js'
import type { Finding } from '../../../lib/model/finding.js'
import type { ServerConfiguration } from '../../../lib/model/server/configuration.js'
import type { DifferenceView, DriftRequest } from '../../protocol/manager/configurator.js'
import type { Member } from './servers.js'

/** Names in one finding at most. */
const NAMED = 5

/** Of a watched server. */
export function findingsOf({ id }: Member, differences: readonly DriftDifference[]): readonly Finding[] {
  const named = (...states: readonly string[]): string => {
    const names = differences.filter(({ state }) => states.includes(state)).map(({ name }) => name)
    const more = names.length > NAMED ? ` and ${names.length - NAMED} more` : ''
    return names.length === 0 ? '' : `${names.slice(0, NAMED).join(', ')}${more}.`
  }
  const [undecided, waiting] = [named('undecided'), named('pending', 'cleared')]
  return [
    ...(undecided === '' ? [] : [{ code: 'WARN0177', server: id, detail: undecided } as const]),
    ...(waiting === '' ? [] : [{ code: 'WARN0179', server: id, detail: waiting } as const]),
  ]
}

/** Of any server: positions of replication that stand in the files of users. */
export const positionFindings = ({ id }: Member, positions: readonly string[]): readonly Finding[] =>
  positions.length === 0 ? [] : [{ code: 'WARN0275', server: id, detail: `${positions.join(', ')}.` }]

export function viewOf(
  { name, expected, running = '', state }: DriftDifference,
  { origins }: ServerConfiguration,
  deployed: Options | undefined,
): DifferenceView {
  const origin = origins[name]
  const file = deployed?.get(name)
  return {
    ...{ name, expected, running, state },
    ...(file === undefined ? {} : { deployed: file }),
    ...(origin === undefined
      ? {}
      : { origin: origin.path === undefined ? origin.from : `${origin.from} ${origin.path}` }),
  }
}

/** The difference of a name, or `all`; for a preserved variable without a difference, the value in the files. */
export function pickDifferences(
  differences: readonly DifferenceView[],
  { variable, decision }: DriftRequest,
  preserved: Options,
): Result<readonly DifferenceView[]> {
  const decidable = differences.filter(({ state }) => decision !== 'accept' || state !== 'preserved')
  if (variable === 'all') return ok(decidable)
  const name = optionName(variable)
  const found = decidable.find((each) => each.name === name)
  if (found) return ok([found])
  const kept = preserved.get(name)
  if (decision === 'clear' && kept !== undefined)
    return ok([{ name, expected: kept, running: kept, state: 'preserved' }])
  const near = suggest(
    name,
    decidable.map((each) => each.name),
  )
  return fail(
    'unknown-variable',
    `no difference is named ${variable}${near === undefined ? '' : `; did you mean ${near}?`}`,
  )
}
