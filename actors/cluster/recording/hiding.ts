// Stand-ins for secrets in a recording: the same one for the same secret, and no way back.
import { createHmac, randomBytes } from 'node:crypto'
import type { StoreText } from '../../../lib/base/patch.js'
import { maskSecrets } from '../../../lib/dialect/index.js'
import type { LoginChanges } from '../../../lib/model/operation/rotation.js'
import { exportSettings, findSetting, type Settings, settingRow } from '../../../lib/settings/index.js'

type PlainSettings = Readonly<Record<string, unknown>>

/** A shorter one is part of too many words to be replaced where a text quotes it. */
const LEAST_KNOWN = 4

export const WITHHELD = '(withheld)'

/**
 * Puts stand-ins in place of secrets: equal secrets have equal ones, so that decisions that compare them stay the same.
 * The key of the stand-ins exists in this process alone.
 */
export class Hiding {
  readonly #key = randomBytes(32)
  #known: readonly string[] = []

  standIn(text: string): string {
    return text === '' ? '' : `withheld-${createHmac('sha256', this.#key).update(text).digest('hex').slice(0, 12)}`
  }

  /** From now on these are replaced wherever a text quotes them. */
  learn(settings: Settings): void {
    this.#know(secretTexts(exportSettings(settings)))
  }

  /** Plain settings with stand-ins for secrets; the name of a login is kept. One whose shape takes no stand-in is left out. */
  settings(plain: PlainSettings): PlainSettings {
    this.#know(secretTexts(plain))
    return Object.fromEntries(
      Object.entries(plain).flatMap(([spelling, value]) => {
        const name = findSetting(spelling)
        const row = name && settingRow(name)
        if (!row?.secret) return [[spelling, value]]
        const text = spelling.endsWith('-credential') ? this.#login(String(value)) : this.standIn(String(value))
        return row.shape.parse(text).ok ? [[spelling, text]] : []
      }),
    )
  }

  logins({ monitor, replication }: LoginChanges): LoginChanges {
    this.#know([monitor.from, monitor.to, replication.from, replication.to])
    const hidden = (change: LoginChanges['monitor']) => ({
      ...change,
      from: this.standIn(change.from),
      to: this.standIn(change.to),
    })
    return { monitor: hidden(monitor), replication: hidden(replication) }
  }

  /** Each text of a recording passes here on its way to the disk. */
  readonly text: StoreText = (text) => {
    if (text.length < LEAST_KNOWN) return text
    let kept = text
    for (const known of this.#known) if (kept.includes(known)) kept = this.#replaced(kept, known)
    if (kept.includes("'") || kept.includes('"')) kept = maskSecrets(kept.replace(quotedQuery, `$1${WITHHELD}`))
    return kept
  }

  /**
   * Anywhere, unless it is a plain word: as such it may be one of the manager's own (`replica`), and is replaced as a whole word of a
   * sentence only.
   */
  #replaced(text: string, known: string): string {
    if (!plainWord.test(known)) return text.replaceAll(known, this.standIn(known))
    return /\s/.test(text) ? text.replace(new RegExp(`(?<!\\w)${known}(?!\\w)`, 'g'), this.standIn(known)) : text
  }

  #login(text: string): string {
    const colon = text.indexOf(':')
    return colon < 0 ? text : `${text.slice(0, colon)}:${this.standIn(text.slice(colon + 1))}`
  }

  /** Longer ones first: one may be part of another. */
  #know(texts: readonly string[]): void {
    const all = new Set([...this.#known, ...texts.filter(({ length }) => length >= LEAST_KNOWN)])
    if (all.size !== this.#known.length)
      this.#known = [...all].toSorted((a, b) => b.length - a.length).slice(0, MOST_KNOWN)
  }
}

/** Passwords of earlier settings stay known: texts may quote them for a while. */
const MOST_KNOWN = 200

/** Letters and dashes: safe in a pattern, and like many words of the manager. */
const plainWord = /^[a-z-]+$/i

/** An applier's error quotes the statement of a user. */
const quotedQuery = /(\bQuery:\s*).*$/s

/** Whole, and the passwords in them: `user:password`, several with commas between them. */
const secretTexts = (plain: PlainSettings): readonly string[] =>
  Object.entries(plain).flatMap(([spelling, value]) => {
    const name = findSetting(spelling)
    if (!name || !settingRow(name).secret) return []
    const text = String(value)
    return [text, ...text.split(',').map((login) => login.slice(login.indexOf(':') + 1))]
  })
