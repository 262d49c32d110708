// A setting after a change: its value, and how long it holds.
import { cellText } from '../output/value.js'

/** What the changes of settings answer. */
export interface ChangedSetting {
  readonly name: string
  readonly value: unknown
  readonly origin: string
  readonly immutable: boolean
  readonly replaces?: string
  /** The place that gives the value after the next start. */
  readonly given?: string
  readonly acts?: string
}

export const renderChange = (setting: ChangedSetting): string =>
  [
    `${setting.name} is ${cellText(setting.value) || 'empty'} now (${origins[setting.origin] ?? setting.origin}).`,
    ...(setting.acts === 'restart' ? ['It acts at the next start of the manager.'] : []),
    ...lastingText(setting),
  ].join('\n')

const origins: Readonly<Record<string, string>> = {
  default: 'the built-in value',
  file: 'from the file',
  environment: 'from the environment',
  flag: 'from a flag',
  saved: 'saved: kept over restarts',
  runtime: 'until the next restart of the manager',
  rotated: 'rotated: kept over restarts',
}

function lastingText({ name, value, origin, given, acts }: ChangedSetting): readonly string[] {
  if (origin !== 'runtime') return []
  const lost = acts === 'restart' ? 'the change is lost at that start and never acts' : 'the change ends then'
  if (given !== undefined)
    return [
      `${given} gives another value: ${lost}.`,
      `To keep it, write ${name} = ${asToml(value)} there; \`setting reload\` reads files again.`,
    ]
  return [
    `monitoring-save-config is off: ${lost}. To keep changes: manager-cli setting on monitoring-save-config --global`,
  ]
}

const asToml = (value: unknown): string =>
  typeof value === 'string' ? JSON.stringify(value) : value === undefined ? '""' : String(value)
