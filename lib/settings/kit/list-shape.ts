// Shapes of settings that hold several things: lists, host lists, finding codes, shares, and cron patterns.
import { isIP } from 'node:net'
import { Cron } from 'croner'
import { fail, ok } from '../../base/result.js'
import { splitAddress } from './address.js'
import { plainText, refuse, type Shape } from './shape.js'

/** Comma-separated words; a TOML array works too. Blanks around a word and empty words are dropped. */
export function list(item?: { readonly pattern: RegExp; readonly allowed: string }): Shape<readonly string[]> {
  const allowed = `${item?.allowed ?? 'words'}, comma-separated`
  return {
    kind: 'list',
    allowed,
    parse: (input) => {
      const words = splitList(input)
      return words?.every((word) => item?.pattern.test(word) ?? true) ? ok(words) : refuse(allowed)
    },
    plain: (value) => value.join(','),
  }
}

/** Hosts as `host`, `host:port` or `[address]:port`. */
export function hosts(): Shape<readonly string[]> {
  const allowed = 'host or host:port (IPv6 as [address]:port), comma-separated'
  return {
    kind: 'hosts',
    allowed,
    parse: (input) => {
      const words = splitList(input)
      const wrong = words?.find((word) => splitAddress(word) === undefined)
      if (wrong !== undefined) return fail('wrong-value', `${wrong} is no host; allowed: ${allowed}`)
      return words === undefined ? refuse(allowed) : ok(words)
    },
    plain: (value) => value.join(','),
  }
}

/** Address ranges as `address` or `address/prefix`, IPv4 and IPv6. */
export function ranges(): Shape<readonly string[]> {
  const allowed = 'addresses or ranges such as 10.0.0.0/8 or fd00::/8, comma-separated'
  return {
    kind: 'list',
    allowed,
    parse: (input) => {
      const words = splitList(input)
      const wrong = words?.find((word) => !isRange(word))
      if (wrong !== undefined) return fail('wrong-value', `${wrong} is no address range; allowed: ${allowed}`)
      return words === undefined ? refuse(allowed) : ok(words)
    },
    plain: (value) => value.join(','),
  }
}

function isRange(word: string): boolean {
  const [address = '', prefix, ...more] = word.split('/')
  const version = isIP(address)
  if (version === 0 || more.length > 0) return false
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128))
}

/** Codes of findings, such as `ERR00027`. */
export const codes = (): Shape<readonly string[]> =>
  list({ pattern: /^(ERR|WARN)\d{4,5}$/, allowed: 'codes such as ERR00027 or WARN0048' })

/** Percentages by name: `innodb:60,myisam:10`. */
export function shares(): Shape<Readonly<Record<string, number>>> {
  const allowed = 'name:percent pairs, comma-separated, each from 0 to 100'
  return {
    kind: 'shares',
    allowed,
    parse: (input) => {
      const pairs = splitList(input)?.map((pair) => /^([a-z][a-z0-9_]*)\s*:\s*(\d{1,3})$/.exec(pair))
      if (!pairs?.every((pair) => pair !== null && Number(pair[2]) <= 100)) return refuse(allowed)
      const entries = pairs.map((pair) => [pair?.[1] ?? '', Number(pair?.[2])] as const)
      return new Set(entries.map(([name]) => name)).size === entries.length
        ? ok(Object.fromEntries(entries))
        : refuse(allowed)
    },
    plain: (value) =>
      Object.entries(value)
        .map(([name, percent]) => `${name}:${percent}`)
        .join(','),
  }
}

/** A pattern of six fields, seconds first, or `@every 90s`. */
export function cron(): Shape<string> {
  const allowed = 'a cron pattern of six fields, seconds first (0 0 1 * * 6), or @every with a duration (@every 15m)'
  return {
    kind: 'cron',
    allowed,
    parse: (input) => {
      const pattern = plainText(input)?.trim().replace(/\s+/g, ' ')
      return pattern !== undefined && isCron(pattern) ? ok(pattern) : refuse(allowed)
    },
    plain: (value) => value,
  }
}

/** `0/10` (from 0 in steps of 10) is common in existing files, so sloppy ranges are read. */
function isCron(pattern: string): boolean {
  if (/^@every (?=\d)(\d+h)?(\d+m)?(\d+s)?$/.test(pattern)) return true
  if (pattern.split(' ').length !== 6) return false
  try {
    new Cron(pattern, { paused: true, sloppyRanges: true, mode: '6-part' }).stop()
    return true
  } catch {
    return false
  }
}

function splitList(input: unknown): readonly string[] | undefined {
  const parts: unknown[] = Array.isArray(input) ? input : (plainText(input)?.split(',') ?? [undefined])
  const texts = parts.map(plainText)
  if (!texts.every((part) => part !== undefined && !(Array.isArray(input) && part.includes(',')))) return undefined
  return texts.map((part) => (part ?? '').trim()).filter((part) => part !== '')
}
