// The data directory of a node as it was, as after a power loss or a restored disk, or an empty one, as after a lost volume.
import { cp, rm } from 'node:fs/promises'
import path from 'node:path'
import type { Node } from './node.js'
import { copyTemplate } from './template.js'

const dataOf = ({ dir }: Node): string => path.join(dir, 'data')
const copyOf = ({ dir }: Node): string => path.join(dir, 'data.copy')

/** Copies what a crash at this moment would leave. The server is suspended meanwhile. */
export async function copyData(node: Node): Promise<void> {
  node.pause()
  try {
    await rm(copyOf(node), { recursive: true, force: true })
    await cp(dataOf(node), copyOf(node), { recursive: true, filter: (name) => !name.endsWith('.sock') })
  } finally {
    node.resume()
  }
}

/** Puts the copy in the place of its data. The server must not run. */
export async function restoreData(node: Node): Promise<void> {
  await rm(dataOf(node), { recursive: true, force: true })
  await cp(copyOf(node), dataOf(node), { recursive: true })
}

/** Puts a freshly installed data directory in the place of its data; its accounts are created at the next start. */
export async function emptyData(node: Node): Promise<void> {
  await rm(dataOf(node), { recursive: true, force: true })
  await rm(path.join(node.dir, 'init.sql'), { force: true })
  await copyTemplate(node.engine, dataOf(node))
}
