// One entry of `share/rules/<kind>/<topic>.yaml` as written in the file: its schema, and the rule parsed from it.
import * as z from 'zod'
import { modeOf } from '../../base/files/modes.js'
import { type Gate, parseGate } from '../facts/gates.js'
import { type Place, type Rule, type RuleOption, ruleCategories } from './rules.js'

const gates = z
  .union([z.string(), z.array(z.string())])
  .default([])
  .transform((value, context): readonly Gate[] =>
    [value].flat().flatMap((text) => {
      const gate = parseGate(text)
      if (gate !== undefined) return [gate]
      context.addIssue({ code: 'custom', message: `"${text}" is not a gate: write for example mariadb >=10.5 <11.1` })
      return []
    }),
  )

const scalar = z
  .union([z.string(), z.number(), z.null()], { error: 'expects a text, a number or nothing; write ON or OFF' })
  .refine((value) => !/[\r\n]/.test(String(value)), 'must be one line')
  .transform((value) => (value === null ? undefined : String(value)))

const gatedValue = z.strictObject({ value: scalar, for: gates, loose: z.boolean().default(false) })
const anyValue = z.union([gatedValue, scalar.transform((value) => ({ value, for: [] as Gate[], loose: false }))])
const options = z
  .record(
    z.string().regex(/^[a-z][a-z0-9_]*$/, 'an option is written in lower case with _ and without loose_'),
    z.union([z.array(anyValue).min(1), anyValue.transform((each) => [each])]),
  )
  .default({})

const statement = z.union([
  z.strictObject({ sql: z.string().min(1), for: gates }).transform(({ sql, for: held }) => ({ sql, gates: held })),
  z
    .string()
    .min(1)
    .transform((sql) => ({ sql, gates: [] as Gate[] })),
])

const treePath = z.string().regex(/^(?!.*(^|\/)\.\.?(\/|$))[\w.][\w./-]{0,98}$/, 'is not a relative path of the tree')
const mode = (usual: number) =>
  z
    .string()
    .regex(/^0?[0-7]{3}$/, 'is not a file mode: write for example "0644"')
    .transform((text) => Number.parseInt(text, 8))
    .default(usual)

const part = z
  .strictObject({
    ...{ file: treePath, at: z.int().min(1).max(99), for: gates, text: z.string().min(1) },
    ...{ with: z.array(z.string()).default([]), without: z.array(z.string()).default([]) },
    ...{ each: z.literal('database').optional(), between: z.string().default('') },
    ...{ quoted: z.boolean().default(false), mode: mode(modeOf('generated')) },
  })
  .transform(({ for: held, each, ...rest }) => ({ ...rest, gates: held, each: each !== undefined }))

const sourcePage = z.url({ protocol: /^https$/, error: 'expects the https address of the page that documents it' })

/** One entry of a file as written in the file. */
export const ruleRow = z
  .strictObject({
    category: z.enum(ruleCategories),
    doc: z
      .string('has no documentation: add a sentence as doc')
      .min(20)
      .regex(/\.$/, 'ends a sentence with a full stop'),
    source: sourcePage,
    always: z.boolean().default(false),
    for: gates,
    order: z.int().min(1).max(99).optional(),
    options,
    client: options,
    sst: options,
    live: z.array(statement).optional(),
    back: z.array(statement).optional(),
    restart: z.literal(true).optional(),
    reprov: z.literal(true).optional(),
    package: z.string().min(1).optional(),
    unproven: z.string().min(20).regex(/\.$/, 'ends a sentence with a full stop').optional(),
    includes: z.array(z.string()).default([]),
    excludes: z.array(z.string()).default([]),
    directories: z.array(z.strictObject({ path: treePath, mode: mode(modeOf('shared')) })).default([]),
    files: z
      .array(z.strictObject({ path: treePath, mode: mode(modeOf('generated')), content: z.string() }))
      .default([]),
    links: z.array(z.strictObject({ path: treePath, target: z.string().min(1) })).default([]),
    parts: z.array(part).default([]),
  })
  .refine((row) => row.order !== undefined || !hasOptions(row), {
    error: 'has options and therefore needs an order from 1 to 99',
    path: ['order'],
  })
  .refine((row) => row.always || (row.restart === true) !== (row.live !== undefined && row.back !== undefined), {
    error: 'is missing the way a change takes effect: set restart: true, or both live and back',
    path: ['restart'],
  })
  .refine((row) => row.reprov === undefined || row.restart === true, {
    error: 'takes effect only in a new data folder: set restart: true as well',
    path: ['reprov'],
  })

export type RuleRow = z.output<typeof ruleRow>

const hasOptions = (row: { readonly options: object; readonly client: object; readonly sst: object }): boolean =>
  [row.options, row.client, row.sst].some((section) => Object.keys(section).length > 0)

/** The rule of a checked row. */
export function toRule(tag: string, row: RuleRow, place: Place): Rule {
  return {
    ...{ tag, category: row.category, doc: row.doc, source: row.source, always: row.always, place },
    ...{ gates: row.for, order: row.order ?? 0, restart: row.restart ?? false, reprov: row.reprov ?? false },
    options: [...flatten('client', row.client), ...flatten('sst', row.sst), ...flatten('mysqld', row.options)],
    ...{ live: row.live ?? [], back: row.back ?? [], includes: row.includes, excludes: row.excludes },
    ...{ directories: row.directories, files: row.files, links: row.links, parts: row.parts },
    ...(row.package === undefined ? {} : { package: row.package }),
    ...(row.unproven === undefined ? {} : { unproven: row.unproven }),
  }
}

const flatten = (section: RuleOption['section'], written: RuleRow['options']): readonly RuleOption[] =>
  Object.entries(written).flatMap(([name, values]) =>
    values.map(({ value, for: held, loose }) => ({
      ...{ section, name, gates: held, loose },
      ...(value === undefined ? {} : { value }),
    })),
  )
