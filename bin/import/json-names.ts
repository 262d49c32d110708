// Reads one JSON object with the line of each of its names.
import { fail, ok, type Result } from '../../lib/base/result.js'
import type { Entry } from './foreign.js'

export function readJsonNames(text: string, file: string): Result<readonly Entry[]> {
  const parsed = parse(text, file)
  if (!parsed.ok) return parsed
  if (typeof parsed.value !== 'object' || parsed.value === null || Array.isArray(parsed.value))
    return fail('bad-configuration', `${file}:1: no JSON object: give the file that the tool itself reads`)
  const lines = locate(text)
  return ok(
    Object.entries(parsed.value).map(([name, value]) => ({
      ...{ file, line: lines.get(name) ?? 1, section: '', name, value: textOf(value) },
      ...(Array.isArray(value) ? { items: value.map(textOf) } : {}),
    })),
  )
}

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : value === null ? '' : JSON.stringify(value)

function parse(text: string, file: string): Result<unknown> {
  try {
    return ok(JSON.parse(text))
  } catch {
    return fail(
      'bad-configuration',
      `${file}:${faultyLine(text)}: no valid JSON from here on: correct it, without comments`,
    )
  }
}

/** The first line with which the text can no longer become JSON, whatever follows; the last one where only the end is missing. */
function faultyLine(text: string): number {
  const lines = text.split('\n')
  let low = 1
  let high = lines.length
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (isWrong(lines.slice(0, middle).join('\n'))) high = middle
    else low = middle + 1
  }
  return low
}

/** The parser's message is never shown: it quotes the text, and with it passwords. */
function isWrong(start: string): boolean {
  try {
    JSON.parse(start)
    return false
  } catch (error) {
    const message = error instanceof Error ? error.message : ''
    const place = /position (\d+)/.exec(message)?.[1]
    if (place !== undefined) return Number(place) < start.length
    return !/^Unexpected end/.test(message)
  }
}

/** The line of each name of the outermost object; the last of two equal ones, as JSON takes it. */
function locate(text: string): ReadonlyMap<string, number> {
  const lines = new Map<string, number>()
  let depth = 0
  let line = 1
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"(?:\s*:)?|[{}[\]\n]/g)) {
    if ('{['.includes(token)) depth += 1
    else if ('}]'.includes(token)) depth -= 1
    else if (depth === 1 && token.endsWith(':')) lines.set(JSON.parse(token.slice(0, -1).trimEnd()), line)
    line += token.split('\n').length - 1
  }
  return lines
}
