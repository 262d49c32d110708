// A secret value that cannot be printed: only `reveal` gives the text, and only where it is used.

const hidden = Symbol('secret')

/** A secret as plain data; JSON, logs and templates show `*:*`. */
export interface Secret {
  readonly [hidden]: true
  toJSON(): string
  toString(): string
}

class SecretText implements Secret {
  readonly [hidden] = true as const
  readonly #text: string
  constructor(text: string) {
    this.#text = text
  }
  reveal(): string {
    return this.#text
  }
  toJSON(): string {
    return MASK
  }
  toString(): string {
    return MASK
  }
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return MASK
  }
}

/** What the API and the log show in place of a secret. */
export const MASK = '*:*'

export const secret = (text: string): Secret => new SecretText(text)

export const isSecret = (value: unknown): value is Secret => value instanceof SecretText

/** The text of a secret; call it only at the place that needs the text (a login, a file of mode 0600). */
export function reveal(value: Secret): string {
  if (value instanceof SecretText) return value.reveal()
  throw new TypeError('not a secret')
}
