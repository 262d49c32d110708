// A setting after a change: its value, and how long it holds.
import type { Setting } from '../../../http/client/api/generated.js'
import { cellText } from '../output/value.js'

export const renderChange = (setting: Setting): string =>
  [
    `${setting.name} is ${cellText(setting.value) || 'empty'} now (${setting.ofAll ? 'for all clusters, ' : ''}${origins[setting.origin] ?? setting.origin}).`,
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

/** How long a change holds, where the next start ends it. */
export function lastingText({ name, value, origin, given, acts }: Setting): readonly string[] {
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
