// Settings as data for forms: what each is for, what it may be, where it belongs.
import { isSecret, reveal } from '../../base/secret.js'
import type { SettingRow, SettingScope } from '../kit/row.js'
import type { ShapeKind } from '../kit/shape.js'
import { type SettingName, settingGroups, settingRow } from './index.js'

export interface DescribedSetting {
  readonly name: SettingName
  /** The title of its part in the document: `failover`. */
  readonly group: string
  readonly doc: string
  readonly kind: ShapeKind
  /** Completes the sentence "allowed: …". */
  readonly allowed: string
  readonly unit?: string
  readonly choices?: readonly string[]
  /** As it is written; of a secret only whether one is set. */
  readonly default: string
  readonly scope: SettingScope
  readonly apply: 'live' | 'restart'
  readonly grant: string
}

export const describeSettings = (): readonly DescribedSetting[] =>
  Object.entries(settingGroups).flatMap(([group, rows]) =>
    Object.keys(rows).map((name) => describe(name as SettingName, group, settingRow(name as SettingName))),
  )

const describe = (name: SettingName, group: string, row: SettingRow): DescribedSetting => ({
  ...{ name, group: group.replaceAll('-', ' '), doc: row.doc, kind: row.shape.kind, allowed: row.shape.allowed },
  ...(row.shape.unit === undefined ? {} : { unit: row.shape.unit }),
  ...(row.shape.choices === undefined ? {} : { choices: row.shape.choices }),
  ...{ default: defaultText(row), scope: row.scope, apply: row.apply, grant: row.grant },
})

function defaultText({ default: value, shape, secret, shown }: SettingRow): string {
  if (shown !== undefined) return shown
  if (secret) return isSecret(value) && reveal(value) !== '' ? 'set' : ''
  return String(shape.plain(value))
}
