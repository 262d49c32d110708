// The files of a freshly installed server, made once per machine and copied for every node.
import { existsSync } from 'node:fs'
import { cp, mkdtemp, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { fastDirectory, testDirectory } from '../machine/directories.js'
import type { Engine } from './engine.js'

/** Raise it when the recipe of `engine.ts` changes. */
const recipe = 1

const made = new Map<string, Promise<string>>()

/** Copies the engine's template to `target`, which must not exist. */
export async function copyTemplate(engine: Engine, target: string): Promise<void> {
  const template = made.get(engine.name) ?? makeTemplate(engine)
  made.set(engine.name, template)
  await cp(path.join(await template, 'data'), target, { recursive: true })
}

async function makeTemplate(engine: Engine): Promise<string> {
  const directory = path.join(fastDirectory, `manager-template-${process.getuid?.()}-${engine.name}-${recipe}`)
  if (existsSync(directory)) return directory
  const draft = await mkdtemp(path.join(testDirectory(), 'template-'))
  await engine.install(draft)
  // Another run may have been faster: its template is as good.
  await rename(draft, directory).catch(() => rm(draft, { recursive: true, force: true }))
  return directory
}
