// The words of `manager replay`: a file, settings in place of the recorded ones, and times.
import { fail, ok, type Result } from '../../lib/base/result.js'
import { suggest } from '../../lib/base/suggest.js'
import { parseTime } from '../../lib/base/time.js'
import { findSetting, settingNames, settingRow } from '../../lib/settings/index.js'

export const replayUsage = `Usage: manager replay FILE [--set SETTING=VALUE …] [--from TIME] [--until TIME] [--at TIME]
TIME: 2026-11-26T02:10:00Z, or milliseconds since the epoch.`

export interface ReplayWords {
  readonly file: string
  /** Settings in place of the recorded ones, as plain values. */
  readonly other: Readonly<Record<string, unknown>>
  /** What is printed; everything is replayed. Milliseconds since the epoch. */
  readonly from?: number
  readonly until?: number
  /** Everything that was known at this moment. */
  readonly at?: number
}

const TIMES = ['from', 'until', 'at'] as const

/** Failures: `bad-request`; `unknown-setting`, `wrong-value` of a setting. */
export function readReplayWords(words: readonly string[]): Result<ReplayWords> {
  let found: Omit<ReplayWords, 'file'> & { readonly file?: string } = { other: {} }
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? ''
    const [, name, joined] = /^--([\w-]+)(?:=(.*))?$/s.exec(word) ?? []
    if (name === undefined) {
      if (found.file !== undefined) return fail('bad-request', `one file at a time: ${word}\n${replayUsage}`)
      found = { ...found, file: word }
      continue
    }
    const value = joined ?? words[++index]
    const time = TIMES.find((each) => each === name)
    if (value === undefined || (time === undefined && name !== 'set'))
      return fail(
        'bad-request',
        `${value === undefined ? 'a value is missing after' : 'unknown'} ${word}\n${replayUsage}`,
      )
    const read = time === undefined ? readSetting(value) : readTime(time, value)
    if (!read.ok) return read
    found = time === undefined ? { ...found, other: { ...found.other, ...read.value } } : { ...found, ...read.value }
  }
  const { file, ...rest } = found
  return file === undefined ? fail('bad-request', `a file is missing\n${replayUsage}`) : ok({ ...rest, file })
}

function readTime(name: string, text: string): Result<Readonly<Record<string, number>>> {
  const at = /^\d{1,15}$/.test(text) ? Number(text) : parseTime(text)
  return at === undefined ? fail('bad-request', `--${name} ${text} is no time\n${replayUsage}`) : ok({ [name]: at })
}

/** `name=value`, as in a configuration file. */
function readSetting(text: string): Result<Readonly<Record<string, unknown>>> {
  const [, spelling = '', value = ''] = /^([^=]*)=(.*)$/s.exec(text) ?? []
  const name = findSetting(spelling)
  if (name === undefined) {
    const near = suggest(spelling, settingNames)
    return fail('unknown-setting', `--set ${text}: no setting has this name${near ? `; did you mean ${near}?` : ''}`)
  }
  const { shape, secret } = settingRow(name)
  if (secret) return fail('wrong-value', `--set ${name}: a recording has no secrets, and nothing is decided by them`)
  const parsed = shape.parse(value)
  return parsed.ok
    ? ok({ [name]: shape.plain(parsed.value as never) })
    : fail('wrong-value', `--set ${name}: ${parsed.failure.message}`)
}
