// Shapes of settings that hold several things: lists, host lists, finding codes, shares, and cron patterns.
import { isIP } from 'node:net'
import { Cron } from 'croner'
import * as z from 'zod'
import { isAddressPair, splitAddress } from './address.js'
import { naming, plainText, type Shape, shapeOf, type TextRule } from './shape.js'

/** Comma-separated words; a TOML array works too. Blanks around a word and empty words are dropped. */
export const list = (item?: TextRule): Shape<readonly string[]> =>
  shapeOf({
    kind: 'list',
    allowed: `${item?.allowed ?? 'words'}, comma-separated`,
    schema: () => words(item ? z.string().regex(item.pattern) : z.string()),
    plain: joined,
  })

/** Hosts as `host`, `host:port` or `[address]:port`. */
export const hosts = (): Shape<readonly string[]> =>
  shapeOf({
    kind: 'hosts',
    allowed: 'host or host:port (IPv6 as [address]:port), comma-separated',
    schema: () => words(z.string().superRefine(naming((host) => splitAddress(host) !== undefined, 'is not a host'))),
    plain: joined,
  })

/** Addresses by host: `db1=10.1.0.1, db2:3307=10.1.0.2:3306`. */
export const addressPairs = (): Shape<readonly string[]> =>
  shapeOf({
    kind: 'list',
    allowed: 'host=address or host:port=address:port (IPv6 in brackets), comma-separated',
    schema: () => words(z.string().superRefine(naming(isAddressPair, 'is no pair host=address'))),
    plain: joined,
  })

/** Address ranges as `address` or `address/prefix`, IPv4 and IPv6. */
export const ranges = (): Shape<readonly string[]> =>
  shapeOf({
    kind: 'list',
    allowed: 'addresses or ranges such as 10.0.0.0/8 or fd00::/8, comma-separated',
    schema: () => words(z.string().superRefine(naming(isRange, 'is not an address range'))),
    plain: joined,
  })

function isRange(text: string): boolean {
  const [address = '', prefix, ...more] = text.split('/')
  const version = isIP(address)
  if (version === 0 || more.length > 0) return false
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128))
}

/** Codes of findings, such as `ERR00027`. */
export const codes = (): Shape<readonly string[]> =>
  list({ pattern: /^(ERR|WARN)\d{4,5}$/, allowed: 'codes such as ERR00027 or WARN0048' })

/** What makes a finding an alert: codes, their beginnings, or a severity. */
export const alertTriggers = (): Shape<readonly string[]> =>
  list({
    pattern: /^(error|warning|(ERR|WARN|MDEV)\d{0,5})$/,
    allowed: 'codes or their beginnings (ERR00027, WARN01, ERR), error or warning',
  })

/** Percentages by name: `innodb:60,myisam:10`. */
export const shares = (): Shape<Readonly<Record<string, number>>> =>
  shapeOf({
    kind: 'shares',
    allowed: 'name:percent pairs, comma-separated, each from 0 to 100',
    schema: () =>
      words(z.string().regex(/^[a-z][a-z0-9_]*\s*:\s*(\d{1,2}|100|0\d\d)$/))
        .transform((pairs) => pairs.map(share))
        .refine((pairs) => new Set(pairs.map(([name]) => name)).size === pairs.length)
        .transform((pairs) => Object.fromEntries(pairs)),
    plain: (value) =>
      Object.entries(value)
        .map(([name, percent]) => `${name}:${percent}`)
        .join(','),
  })

function share(pair: string): readonly [name: string, percent: number] {
  const [name = '', percent] = pair.split(':')
  return [name.trim(), Number(percent)]
}

/** A pattern of six fields, seconds first, or `@every 90s`. */
export const cron = (): Shape<string> =>
  shapeOf({
    kind: 'cron',
    allowed: 'a cron pattern of six fields, seconds first (0 0 1 * * 6), or @every with a duration (@every 15m)',
    schema: () => z.preprocess((input) => plainText(input)?.trim().replace(/\s+/g, ' '), z.string().refine(isCron)),
    plain: (value) => value,
  })

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

const words = (item: z.ZodType<string>): z.ZodType<readonly string[]> => z.preprocess(splitList, z.array(item))

const joined = (value: readonly string[]): string => value.join(',')

function splitList(input: unknown): readonly string[] | undefined {
  const parts: unknown[] = Array.isArray(input) ? input : (plainText(input)?.split(',') ?? [undefined])
  const texts = parts.map(plainText)
  if (!texts.every((part) => part !== undefined && !(Array.isArray(input) && part.includes(',')))) return undefined
  return texts.map((part) => (part ?? '').trim()).filter((part) => part !== '')
}
