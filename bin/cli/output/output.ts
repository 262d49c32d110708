// How results are shown: tables for people, JSON and YAML for programs on standard output; talk goes to standard error.

export const outputFormats = ['table', 'json', 'yaml'] as const

export type OutputFormat = (typeof outputFormats)[number]

/** Format of a result, and the requested part of it. */
export interface OutputRequest {
  readonly output: OutputFormat
  /** A path of `--query`. */
  readonly query?: string
}

/** The text of a value, or of the part asked for, in the format asked for; `table` renders the whole for people. */
export async function format<T>(
  { output, query }: OutputRequest,
  value: T,
  table: (value: T) => string,
): Promise<string> {
  if (query !== undefined) {
    const [{ queryValue }, { renderValue }] = await Promise.all([import('./query.js'), import('./value.js')])
    return format<unknown>({ output }, queryValue(value, query), (part) => renderValue(part))
  }
  if (output === 'table') return table(value)
  if (output === 'json') return JSON.stringify(value, undefined, 2)
  const { stringify } = await import('./yaml.js')
  return `---\n${stringify(value).trimEnd()}`
}

export const print = (text: string): void => {
  process.stdout.write(`${text}\n`)
}

export const talk = (text: string): void => {
  process.stderr.write(`${text}\n`)
}
