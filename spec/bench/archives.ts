// Archives per processor second, against the plain way: write the tree of each server to disk and pack it with tar.
import { rmSync } from 'node:fs'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { create } from 'tar'
import { type ArchiveInput, type ArchiveService, createArchiveService } from '../../actors/archive/index.js'
import { sharePath } from '../../lib/base/package-root.js'
import { unwrap } from '../../lib/base/result.js'
import { evaluateRules, type FileTree, type RuleSet, readConfigureSettings } from '../../lib/configure/index.js'
import { deliveredFiles } from '../../lib/tls/index.js'
import { cpuOf, least, takeTurns } from './measure.js'
import { atLeastTimes, type BenchRow, judgeRow } from './row.js'

const CLUSTERS = 1_000
const SERVERS = 3
const FLOOR_SERVERS = 30
const ROUNDS = 3

export async function benchArchives(): Promise<readonly BenchRow[]> {
  // On a disk, as the working directory of a manager is.
  const workingDir = await mkdtemp(path.join(tmpdir(), 'manager-bench-'))
  const remove = () => rmSync(workingDir, { recursive: true, force: true })
  process.once('exit', remove)
  // Without the trees that follow behind: the figure is what hosts wait for.
  const archives = unwrap(
    await createArchiveService({ rulesDir: sharePath('rules', 'database'), workingDir, trees: false }),
  )
  try {
    return await measure(archives, workingDir)
  } finally {
    await archives.close()
    remove()
    process.off('exit', remove)
  }
}

async function measure(archives: ArchiveService, workingDir: string): Promise<readonly BenchRow[]> {
  const all = CLUSTERS * SERVERS
  let memory = 256
  const build = async (change: boolean) => {
    // Another tag's worth of change each time: every archive differs from the one on disk.
    memory += change ? 1 : 0
    const inputs = inputsFor({ 'prov-db-memory': memory })
    return (await cpuOf(async () => unwrap(await archives.build(inputs)))) / all
  }
  await build(true) // certificates, folders and templates are made once
  const tls = await certificatesOf(archives)
  const trees = inputsFor({ 'prov-db-memory': memory })
    .slice(0, FLOOR_SERVERS)
    .map((input) => () => treeOf(archives.rules, input, tls))
  const cpu = await takeTurns(ROUNDS, {
    pool: () => build(true),
    disk: async () => (await cpuOf(() => packEach(trees, path.join(workingDir, 'floor')))) / FLOOR_SERVERS,
    unchanged: () => build(false),
  })
  const perSecond = (figures: readonly number[]) => 1_000 / least(figures)
  const { pool, disk, unchanged } = cpu
  const what = `archives of ${CLUSTERS} clusters of ${SERVERS}`
  const unit = 'per CPU s'
  return [
    judgeRow({
      ...{ name: `${what} after a change, floor write tree and pack with tar`, unit },
      ...{ value: perSecond(pool), floor: perSecond(disk), target: atLeastTimes(40) },
    }),
    judgeRow({
      ...{ name: `${what} that are unchanged, floor building them`, unit },
      ...{ value: perSecond(unchanged), floor: perSecond(pool) },
    }),
  ]
}

/** One settings object for each cluster, as a manager has. */
const inputsFor = (settings: Readonly<Record<string, unknown>>): readonly ArchiveInput[] =>
  Array.from({ length: CLUSTERS }, (_, cluster) => {
    const peers = Array.from({ length: SERVERS }, (_, index) => ({
      host: `10.${Math.floor(cluster / 250)}.${cluster % 250}.${index + 1}`,
      port: 3306,
    }))
    const certificates = { hosts: peers.map(({ host }) => host) }
    const own = { ...settings }
    return peers.map((address, index) => ({
      ...{ cluster: `c${cluster}`, software: { flavour: 'mariadb' as const }, settings: own, certificates, peers },
      context: { kind: 'container' as const },
      server: { id: `db${cluster * SERVERS + index}`, ...address },
    }))
  }).flat()

async function certificatesOf(archives: ArchiveService): Promise<Readonly<Record<string, string>>> {
  const material = unwrap(await archives.certificates('c0'))
  if (!material) throw new Error('there are no certificates')
  return deliveredFiles(material)
}

function treeOf(rules: RuleSet, input: ArchiveInput, tls: Readonly<Record<string, string>>): FileTree {
  return evaluateRules({ ...input, rules, tls, ...unwrap(readConfigureSettings(input.settings)) })
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
