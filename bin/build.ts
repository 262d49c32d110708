// The part of the build after the compiler: rules checked and compiled, programs bundled into dist/bundle, so that a start reads
// a few files instead of many hundred modules, the long references printed to dist/doc and dist/man, the commit, and the dashboard.
import { readdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { build, type Plugin } from 'esbuild'
import { compileRules } from '../actors/archive/read-rules.js'
import { builtPath } from '../lib/base/package-root.js'
import { loadedPackages } from './artefact/bundled.js'
import { readCommit } from './artefact/commit.js'
import { rowCommands } from './cli/row/row-commands.js'
import { buildDashboard } from './dashboard/build.js'
import { writeBuiltDocuments } from './docs/write.js'

/**
 * Programs and the entry modules of their threads, by the name that starts them: all of them lie in one folder. Each has a bundle
 * of its own: chunks that two of them share would hold what either of them needs, and a thread of the monitor would read
 * everything that the daemon can do.
 */
const programs = {
  manager: 'bin/manager.js',
  host: 'bin/host.js',
  worker: 'actors/archive/worker.js',
  mover: 'lib/backup/stream/mover.js',
  'binlog-worker': 'lib/backup/storing/binlog-worker.js',
  'recovery-worker': 'lib/backup/restore/recovery-worker.js',
  quickstart: 'bin/quickstart.js',
  refill: 'lib/effect/returns/refill.js',
  'manager-cli': 'bin/manager-cli.js',
  'manager-agent': 'bin/manager-agent.js',
  arbitrator: 'bin/arbitrator.js',
  license: 'bin/license.js',
} as const

/** The client's commands as a value instead of the rows that they are read from. */
const evaluated: Plugin = {
  name: 'row-commands',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\/bin\/cli\/row\/row-commands\.js$/ }, () => ({
      contents: `export const rowCommands = JSON.parse(${JSON.stringify(JSON.stringify(rowCommands))})`,
    })),
}

for (const kind of ['database', 'proxy'] as const) {
  const compiled = await compileRules(kind)
  if (!compiled.ok) throw new Error(compiled.failure.message)
}

const folder = builtPath('bundle')

const current = new Set((await Promise.all(Object.entries(programs).map(bundle))).flat())
// Chunks carry a digest in their names: those of earlier builds are not used by anything.
for (const name of await readdir(folder)) if (!current.has(name)) await rm(path.join(folder, name))

await writeBuiltDocuments()
await writeFile(builtPath('commit'), await readCommit())
await buildDashboard()

// Complete: the launchers and the scripts of setup compare its time.
await writeFile(builtPath('.built'), '')

async function bundle([name, file]: readonly [string, string]): Promise<readonly string[]> {
  const { metafile } = await build({
    entryPoints: { [name]: builtPath(file) },
    outdir: folder,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    external: [...loadedPackages],
    plugins: [evaluated],
    // The CommonJS form would lose its names when it is imported dynamically.
    alias: { '@peculiar/x509': '@peculiar/x509/build/x509.es.js' },
    sourcemap: true,
    sourcesContent: false,
    legalComments: 'none',
    metafile: true,
    // CommonJS packages in the bundle load modules of Node.js by `require`.
    banner: {
      js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);",
    },
  })
  return Object.keys(metafile.outputs).map((file) => path.basename(file))
}
