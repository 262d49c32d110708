// A runbook page as sections of paragraphs, lists and blocks of commands: what every form of it is rendered from.
import { fillCommand, type Names } from './fill.js'
import type { PageCommand, Step } from './kit/page.js'
import type { Runbook } from './runbooks.js'

/** Lines that are run the same way; `where` says by what. */
export interface Block {
  readonly where: string
  readonly lines: readonly string[]
}

/** A sentence with the commands that belong to it. */
export interface Item {
  readonly text: string
  readonly blocks: readonly Block[]
}

export interface Section {
  readonly title: string
  /** Steps are done one after the other; points are not. */
  readonly form: 'paragraph' | 'points' | 'steps'
  readonly items: readonly Item[]
}

/** In the order in which they are read; none is empty. */
export function sectionsOf({ means, causes, check, act, avoid }: Runbook, names: Names): readonly Section[] {
  const sections: readonly Section[] = [
    { title: 'What it means', form: 'paragraph', items: [plain(means)] },
    { title: 'Usual causes', form: 'points', items: causes.map(plain) },
    { title: 'How to check', form: 'steps', items: itemsOf(check, names) },
    { title: 'What to do', form: 'steps', items: itemsOf(act, names) },
    { title: 'What not to do', form: 'points', items: avoid.map(plain) },
  ]
  return sections.filter(({ items }) => items.length > 0)
}

const plain = (text: string): Item => ({ text, blocks: [] })

const places: Readonly<Record<PageCommand['kind'], string>> = {
  cli: 'client of the manager',
  sql: 'SQL',
  mariadb: 'SQL, MariaDB',
  mysql: 'SQL, MySQL',
  shell: 'shell',
}

/** A command before any sentence has an item without text. Adjacent commands of one kind form a block. */
function itemsOf(steps: readonly Step[], names: Names): readonly Item[] {
  const items: { text: string; blocks: { where: string; lines: string[] }[] }[] = []
  for (const step of steps) {
    const last = items.at(-1)
    if (typeof step === 'string') {
      items.push({ text: step, blocks: [] })
      continue
    }
    const where = places[step.kind]
    const line = fillCommand(step, names) + (step.kind === 'cli' || step.kind === 'shell' ? '' : ';')
    const block = last?.blocks.at(-1)
    if (block?.where === where) block.lines.push(line)
    else if (last) last.blocks.push({ where, lines: [line] })
    else items.push({ text: '', blocks: [{ where, lines: [line] }] })
  }
  return items
}
