// Reads sections of `name = value` with the line of each, as MHA and MaxScale write them.
import { fail, ok, type Result } from '../../lib/base/result.js'
import type { Entry } from './foreign.js'

/** A line that begins with a blank continues the value before it, as in MaxScale's files, where `continued` says so. */
export function readIni(text: string, file: string, continued = false): Result<readonly Entry[]> {
  const entries: Entry[] = []
  const faults: string[] = []
  let section: string | undefined
  for (const [index, raw] of text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .entries()) {
    const line = index + 1
    const trimmed = raw.trim()
    if (trimmed === '' || /^[#;]/.test(trimmed)) continue
    const title = /^\[\s*([^\]]+?)\s*\]$/.exec(trimmed)?.[1]
    const [, name = '', value = ''] = /^([^=]+?)\s*=\s*(.*)$/s.exec(trimmed) ?? []
    const last = entries.at(-1)
    if (title !== undefined) section = title
    else if (continued && /^\s/.test(raw) && last && last.section === section) {
      entries[entries.length - 1] = { ...last, value: `${last.value}${trimmed}` }
    } else if (name === '') faults.push(`${file}:${line}: neither [section] nor name = value: correct the line`)
    else if (section === undefined)
      faults.push(`${file}:${line}: ${name}: before the first [section]: move it below one`)
    else entries.push({ file, line, section, name, value: unquote(value) })
  }
  if (faults.length > 0) return fail('bad-configuration', faults.join('\n'))
  return ok(entries)
}

const unquote = (value: string): string => /^(["'])(.*)\1$/.exec(value)?.[2] ?? value
