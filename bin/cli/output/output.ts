// How results are shown: tables for people, JSON and YAML for programs on standard output; talk goes to standard error.

export const outputFormats = ['table', 'json', 'yaml'] as const

export type OutputFormat = (typeof outputFormats)[number]

/** Format of a result, and the requested part of it. */
export interface OutputRequest {
  readonly output: OutputFormat
  /** A path of `--query`. */
  readonly query?: string
}

/** How a value, and what `--query` leaves of it, are shown to people. */
export interface Forms<T> {
  readonly render: (value: T) => string
  readonly part?: ((part: unknown) => string) | undefined
}

/** The text of a value, or of the part asked for, in the format asked for; `forms` renders it for people. */
export async function format<T>(
  { output, query }: OutputRequest,
  value: T,
  forms: ((value: T) => string) | Forms<T>,
): Promise<string> {
  const { render: table, part = undefined } = typeof forms === 'function' ? { render: forms } : forms
  if (query !== undefined) {
    const [{ queryValue }, { renderValue }] = await Promise.all([import('./query.js'), import('./value.js')])
    return format<unknown>({ output }, queryValue(value, query), part ?? ((left) => renderValue(left)))
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
