// Additions of users and of the drift to a server's generated configuration: the files of custom.d, read last.
import { addressText } from '../../model/server/server.js'
import type { ConfiguredServer } from '../facts/paths.js'

export const overlayNames = ['01_preserved', '02_delta', '03_agreed'] as const
export type OverlayName = (typeof overlayNames)[number]
/** Texts of custom.d by name; those that are missing are empty. */
export type Overlays = Readonly<Partial<Record<OverlayName, string>>>

/** The name of an overlay's file, in a server's folder and in its custom.d. */
export const overlayFile = (name: OverlayName): string => `${name}.cnf`

/** The file in a cluster's folder with the preserved variables of all its servers. */
export const PRESERVED_BY_CLUSTER = 'preserved_variables.cnf'

const meanings: Readonly<Record<OverlayName, string>> = {
  '01_preserved': 'Preserved variables of this server, which override its tags',
  '02_delta': 'Running values of this server that differ from its tags',
  '03_agreed': 'Accepted differences of this server',
}

/** An overlay without any variable. */
export const emptyOverlay = (name: OverlayName): string => emptyTexts[name]

const emptyTexts = Object.fromEntries(
  overlayNames.map((name) => [name, `# ${meanings[name]}: none. Written as in my.cnf: [mysqld], then name = value.\n`]),
) as Readonly<Record<OverlayName, string>>

/**
 * The preserved variables of one server: those of its cluster, then its own, which win. In the cluster's text a line
 * `# name.exclude = id,id` excludes a variable for the servers listed by id or address.
 */
export function mergePreserved(clusterText: string, ownText: string, server: ConfiguredServer): string {
  const excluded = excludedFor(clusterText, server)
  const lines = clusterText.split('\n').filter((line) => !excluded.has(variableOf(line)))
  return lines.some((line) => variableOf(line) !== '') ? `${lines.join('\n').trimEnd()}\n\n${ownText}` : ownText
}

function excludedFor(text: string, server: ConfiguredServer): ReadonlySet<string> {
  const names = text.split('\n').flatMap((line) => {
    const [, name = '', list = ''] = /^\s*#\s*([\w-]+)\.exclude\s*=\s*(.*)$/.exec(line) ?? []
    const servers = list.split(',').map((word) => word.trim())
    return servers.includes(server.id) || servers.includes(addressText(server)) ? [normal(name)] : []
  })
  return new Set(names)
}

/** The variable that a line sets; empty for a comment, a group, a blank line. */
const variableOf = (line: string): string =>
  normal(/^\s*(?:loose[-_])?([A-Za-z][\w-]*)\s*(?:=|$)/.exec(line)?.[1] ?? '')

const normal = (name: string): string => name.toLowerCase().replaceAll('-', '_')

/**
 * Why a server could not start with this text; undefined when its form is valid. A variable above the
 * first group, or a line that is neither a comment, a group nor a variable, stops the server while it reads its files.
 */
export function checkOverlay(text: string): string | undefined {
  let group = ''
  for (const [index, raw] of text.split('\n').entries()) {
    const line = raw.trim()
    if (line === '' || /^[#;]/.test(line)) continue
    const [, opened] = /^\[([\w.-]+)\]\s*(?:#.*)?$/.exec(line) ?? []
    group = opened ?? group
    if (opened !== undefined || (line.startsWith('!include') && line.length > 8)) continue
    if (!/^[A-Za-z][\w.-]*\s*(=|$)/.test(line)) return `line ${index + 1} is neither a group nor name = value`
    if (group === '') return `line ${index + 1} is above the first group: write [mysqld] first`
  }
  return undefined
}
