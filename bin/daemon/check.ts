// `manager check`: validates a configuration without starting anything.
import { type LoadInput, loadConfiguration, renderReport, reportConfiguration } from '../../lib/settings/index.js'

export interface Checked {
  /** 0 valid, 2 not valid or a wrong command line: the status that a start would end with. */
  readonly status: 0 | 2
  readonly text: string
}

/**
 * `--output json` or `--output=json` gives the report as JSON, with every setting; `--all` adds the settings at their default
 * to the text. All other flags are settings.
 */
export async function runCheck(input: LoadInput): Promise<Checked> {
  const { format, flags: words } = takeOutput(input.flags ?? [])
  const flags = words.filter((word) => word !== '--all')
  if (format !== 'text' && format !== 'json') return { status: 2, text: `--output ${format}: allowed: text, json\n` }
  const loaded = await loadConfiguration({ ...input, flags })
  const text =
    format === 'json'
      ? `${JSON.stringify(reportConfiguration(loaded), null, 2)}\n`
      : renderReport(loaded, { all: flags.length < words.length })
  return { status: loaded.ok ? 0 : 2, text }
}

export function takeOutput(words: readonly string[]): { readonly format: string; readonly flags: readonly string[] } {
  const at = words.findIndex((word) => word === '--output' || word.startsWith('--output='))
  if (at < 0) return { format: 'text', flags: words }
  const isPair = words[at] === '--output'
  const format = isPair ? (words[at + 1] ?? '') : (words[at]?.slice('--output='.length) ?? '')
  return { format, flags: words.toSpliced(at, isPair ? 2 : 1) }
}
