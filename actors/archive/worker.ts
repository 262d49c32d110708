// The entry of a pool thread: accepts batches, caches its templates.
import { constants, setPriority } from 'node:os'
import path from 'node:path'
import { workerData } from 'piscina'
import type { RuleKind, RuleSet } from '../../lib/configure/index.js'
import { unpackArchive } from '../../lib/orchestrator/unpack.js'
import { ARCHIVE_NAME, createBuilder } from './build.js'
import { createProxyBuilder } from './build-proxies.js'
import { certify } from './certify.js'
import type { Task } from './input.js'

/** What the pool passes to each thread at its start. */
export interface WorkerStart {
  readonly rules: Readonly<Record<RuleKind, RuleSet>>
}

// Linux gives each thread its own priority: monitoring databases comes before building archives.
if (process.platform === 'linux') setPriority(0, constants.priority.PRIORITY_BELOW_NORMAL)

const { rules }: WorkerStart = workerData
const build = createBuilder(rules.database)
const buildProxies = createProxyBuilder(rules.proxy)

// The one default export of the project: piscina requires it.
export default (task: Task): Promise<unknown> => {
  switch (task.kind) {
    case 'build':
      return build(task)
    case 'proxies':
      return buildProxies(task)
    case 'certify':
      return oneByOne(task.tasks, (each) => certify(each, Date.now()))
    case 'unpack':
      return oneByOne(task.directories, (each) => unpackArchive(path.join(each, ARCHIVE_NAME), each, { sync: true }))
  }
}

async function oneByOne<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<readonly R[]> {
  const results: R[] = []
  for (const item of items) results.push(await work(item))
  return results
}
