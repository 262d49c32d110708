// Prints the sections of share/doc/threats.md that stand in tables of the program; the rest of the page is written by hand.
import { readFile } from 'node:fs/promises'
import {
  type FileKind,
  fileKinds,
  folderKinds,
  hostUmasks,
  hostWrites,
  modeOf,
  printMode,
} from '../../lib/base/files/modes.js'
import { sharePath } from '../../lib/base/package-root.js'
import { printBounds } from './bounds.js'

/** The whole page, with these sections as they are printed. */
export async function printThreats(): Promise<string> {
  const page = await readFile(sharePath('doc', 'threats.md'), 'utf8')
  return [printBounds(), printModes()].reduce(replaceSection, page)
}

function replaceSection(page: string, section: string): string {
  const [heading] = section.split('\n')
  const start = page.indexOf(`${heading}\n`)
  const end = page.indexOf('\n## ', start)
  if (start < 0 || end < 0) throw new Error(`share/doc/threats.md has no section "${heading}" with one after it`)
  return `${page.slice(0, start)}${section}${page.slice(end)}`
}

/** The section on the modes of files and folders. */
const printModes = (): string =>
  [
    '## Modes of files',
    '',
    'Printed from `lib/base/files/modes.ts`; `npm run docs` regenerates it.',
    '',
    'What the manager, its client and its commands write has one of these modes, whatever the umask: a umask takes away of it and adds',
    'nothing. *Closed* is what has secrets or rows of tables.',
    '',
    '| Files | Mode | Closed | Read by |',
    '|---|---|---|---|',
    ...Object.values(fileKinds).map(printKind),
    '',
    '| Folders | Mode | Closed | Read by |',
    '|---|---|---|---|',
    ...Object.values(folderKinds).map(printKind),
    '',
    'What the scripts of hosts write:',
    '',
    '| Script | Mode | What |',
    '|---|---|---|',
    ...hostWrites.map(({ script, kind, holds }) => `| \`${script}\` | ${octal(modeOf(kind))} | ${holds} |`),
    ...Object.entries(hostUmasks).map(([script, { umask, why }]) => `| \`${script}\` | umask ${umask} | ${why} |`),
    '',
  ].join('\n')

const printKind = ({ holds, mode, isSecret, readers }: FileKind): string =>
  `| ${holds} | ${octal(mode)} | ${isSecret ? 'yes' : ''} | ${readers} |`

const octal = (mode: number): string => `0${printMode(mode)}`
