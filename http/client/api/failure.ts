// What a request that did not succeed gives: a value, never an exception.

export interface Failure {
  /** HTTP status; 0: no answer came. */
  readonly status: number
  readonly code: string
  /** One sentence. */
  readonly text: string
  /** What to do, when the manager says so. */
  readonly hint?: string
}

export const unreachable: Failure = { status: 0, code: 'unreachable', text: 'The manager is not reachable.' }

/** Reads the RFC 9457 problem of an answer, or its plain text. */
export const readFailure = async (response: Response): Promise<Failure> =>
  parseFailure(response.status, await response.text().catch(() => ''))

/** The same of a body that was read. */
export function parseFailure(status: number, text: string): Failure {
  const plain = { status, code: `http-${status}`, text: text.trim().slice(0, 500) }
  const problem = parseObject(text)
  if (!problem) return { ...plain, text: plain.text || `The manager answered with status ${status}.` }
  const { code, type, detail, title, hint } = problem
  return {
    status,
    code: textOf(code) ?? textOf(type)?.split(/[/:]/).at(-1) ?? plain.code,
    text: textOf(detail) ?? textOf(title) ?? plain.text,
    ...(textOf(hint) === undefined ? {} : { hint: String(hint) }),
  }
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  if (!text.startsWith('{')) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
