// Archives per processor second, against the plain way: write the tree of each server to disk and pack it with tar.
import { rmSync } from 'node:fs'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { create } from 'tar'
import { type ArchiveInput, createArchiveService } from '../actors/archive/index.js'
import { sharePath } from '../lib/base/package-root.js'
import { unwrap } from '../lib/base/result.js'
import { evaluateRules, type FileTree, type RuleSet, readConfigureSettings } from '../lib/configure/index.js'
import { cpuOf, least, takeTurns } from './measure.js'
import { atLeastTimes, type BenchRow, judgeRow } from './row.js'

const SERVERS = 640
const FLOOR_SERVERS = 16
const ROUNDS = 4

export async function benchArchives(): Promise<readonly BenchRow[]> {
  // On a disk, as the working directory of a manager is.
  const workingDir = await mkdtemp(path.join(tmpdir(), 'manager-bench-'))
  const remove = () => rmSync(workingDir, { recursive: true, force: true })
  process.once('exit', remove)
  const archives = unwrap(
    await createArchiveService({ rulesDir: sharePath('rules', 'database'), workingDir, trees: false }),
  )
  try {
    const inputs = Array.from({ length: SERVERS }, (_, index) => inputOf(index))
    const build = async (force: boolean) => {
      const spent = await cpuOf(async () => unwrap(await archives.build(inputs, { force })))
      return spent / SERVERS
    }
    await build(true)
    const trees = inputs.slice(0, FLOOR_SERVERS).map((input) => () => treeOf(archives.rules, input))
    const cpu = await takeTurns(ROUNDS, {
      pool: () => build(true),
      disk: async () => (await cpuOf(() => packEach(trees, path.join(workingDir, 'floor')))) / FLOOR_SERVERS,
      unchanged: () => build(false),
    })
    const perSecond = (figures: readonly number[]) => 1_000 / least(figures)
    const { pool, disk, unchanged } = cpu
    const names = ['archives, floor write tree and pack with tar', 'archives that are unchanged, floor building them']
    const [built = '', skipped = ''] = names
    const unit = 'per CPU s'
    return [
      judgeRow({ name: built, value: perSecond(pool), unit, floor: perSecond(disk), target: atLeastTimes(25) }),
      judgeRow({ name: skipped, value: perSecond(unchanged), unit, floor: perSecond(pool) }),
    ]
  } finally {
    await archives.close()
    remove()
    process.off('exit', remove)
  }
}

/** One object for all, as the settings of a cluster are. */
const settings = {}

const inputOf = (index: number): ArchiveInput => ({
  cluster: `c${Math.floor(index / 4)}`,
  software: { flavour: 'mariadb' },
  settings,
  context: { kind: 'container' },
  server: { id: `db${index}`, host: `10.0.${Math.floor(index / 250)}.${index % 250}`, port: 3306 },
})

function treeOf(rules: RuleSet, input: ArchiveInput): FileTree {
  return evaluateRules({ ...input, rules, ...unwrap(readConfigureSettings(input.settings)) })
}

async function packEach(trees: readonly (() => FileTree)[], directory: string): Promise<void> {
  for (const tree of trees) {
    await rm(directory, { recursive: true, force: true })
    await writeTree(tree(), directory)
    create({ gzip: true, sync: true, portable: true, cwd: directory, file: `${directory}.tar.gz` }, ['.'])
  }
}

async function writeTree(tree: FileTree, directory: string): Promise<void> {
  await mkdir(directory)
  for (const entry of tree) {
    const place = path.join(directory, entry.path)
    if (entry.kind === 'directory') await mkdir(place, { mode: entry.mode })
    if (entry.kind === 'file') await writeFile(place, entry.text, { mode: entry.mode })
    if (entry.kind === 'link') await symlink(entry.target, place)
  }
}
