// Reads the grammar that ProxySQL's file is written in: https://hyperrealm.github.io/libconfig/libconfig_manual.html
export type Libconfig = { readonly [name: string]: unknown }

/** The settings of a text; throws where the grammar does not hold, and for a name that stands twice in a group. */
export function parseLibconfig(text: string): Libconfig {
  const tokens = [
    ...text
      .replace(/^\s*#.*$/gm, '')
      .matchAll(/"(?:[^"\\]|\\.)*"|[A-Za-z*][\w*-]*|[-+]?\d+(?:\.\d+)?|[={}()[\],;:]|\S/g),
  ].map(([token]) => token)
  const reader = new Reader(tokens)
  const settings = reader.settings()
  reader.expect(undefined)
  return settings
}

class Reader {
  #at = 0
  readonly #tokens: readonly string[]

  constructor(tokens: readonly string[]) {
    this.#tokens = tokens
  }

  settings(): Libconfig {
    const settings: Record<string, unknown> = {}
    while (/^[A-Za-z*]/.test(this.#tokens[this.#at] ?? '')) {
      const name = this.#next()
      if (Object.hasOwn(settings, name)) throw new Error(`${name} stands twice`)
      const sign = this.#next()
      if (sign !== '=' && sign !== ':') throw new Error(`${name} is followed by ${sign}`)
      settings[name] = this.#value()
      if ([',', ';'].includes(this.#tokens[this.#at] ?? '')) this.#at += 1
    }
    return settings
  }

  expect(token: string | undefined): void {
    const found = this.#tokens[this.#at]
    if (found !== token) throw new Error(`${found} stands where ${token ?? 'the end'} should`)
    this.#at += 1
  }

  #next(): string {
    const token = this.#tokens[this.#at] ?? ''
    this.#at += 1
    return token
  }

  #value(): unknown {
    const token = this.#next()
    if (token === '{') return this.#closed('}', () => this.settings())
    if (token === '(') return this.#closed(')', () => this.#list(')'))
    if (token.startsWith('"')) return JSON.parse(token)
    if (/^[-+]?\d/.test(token)) return Number(token)
    if (token === 'true' || token === 'false') return token === 'true'
    throw new Error(`${token} is no value`)
  }

  #closed<T>(end: string, read: () => T): T {
    const value = read()
    this.expect(end)
    return value
  }

  /** No comma before the end: older versions refuse it. */
  #list(end: string): readonly unknown[] {
    if (this.#tokens[this.#at] === end) return []
    const values = [this.#value()]
    while (this.#tokens[this.#at] === ',') {
      this.#at += 1
      values.push(this.#value())
    }
    return values
  }
}
