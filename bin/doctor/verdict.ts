// What one check of the doctor found, and how all of them are printed.
import { counted } from '../../lib/base/counted.js'

export interface Verdict {
  /** What was checked: one word. */
  readonly check: CheckName
  /** The file, port or server it is about. */
  readonly subject: string
  readonly state: 'ok' | 'warning' | 'problem'
  readonly fact: string
  /** What to do; absent where nothing is to be done. */
  readonly remedy?: string
}

export const checkNames = [
  ...(['configuration', 'directory', 'format', 'key', 'disk', 'limits', 'time', 'ports', 'tls', 'git'] as const),
  ...(['server', 'clock', 'accounts'] as const),
] as const

export type CheckName = (typeof checkNames)[number]

const words = { ok: 'ok', warning: 'warning', problem: 'PROBLEM' } as const

/** A line each, with the remedy below, and a line of sums. */
export function renderVerdicts(verdicts: readonly Verdict[]): string {
  const lines = verdicts.flatMap(({ check, subject, state, fact, remedy }) => [
    `${words[state].padEnd(8)} ${check} ${subject}: ${fact}`,
    ...(remedy === undefined ? [] : [`         ${remedy}`]),
  ])
  const count = (wanted: Verdict['state']) => verdicts.filter(({ state }) => state === wanted).length
  return `${[...lines, `${count('ok')} ok, ${counted(count('warning'), 'warning')}, ${counted(count('problem'), 'problem')}`].join('\n')}\n`
}
