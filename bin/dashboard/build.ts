// Builds the dashboard into dist/dashboard when its sources changed, with a .br and a .gz beside each text file.
import { createHash } from 'node:crypto'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { builtPath, packageRoot } from '../../lib/base/package-root.js'

/** What the bundle depends on besides its own folder. */
const inputs = [
  ...['http/dashboard', 'lib/model', 'package.json', 'package-lock.json', 'bin/dashboard'],
  // The types beside them leave nothing in a script.
  ...['address.ts', 'client.ts', 'failure.ts'].map((name) => `http/client/api/${name}`),
]

const mark = builtPath('.dashboard')

/** True: built; false: what is there is current. */
export async function buildDashboard(): Promise<boolean> {
  const digest = await digestOf(inputs)
  const before = await readFile(mark, 'utf8').catch(() => '')
  if (before === digest) return false
  const { build } = await import('vite')
  await build({ configFile: path.join(packageRoot, 'http/dashboard/vite.config.ts'), logLevel: 'warn' })
  await Promise.all((await filesOf(builtPath('dashboard'))).map(compress))
  await writeFile(mark, digest)
  return true
}

const compressible = /\.(?:html|js|css|svg|json|webmanifest)$/

async function compress(file: string): Promise<void> {
  if (!compressible.test(file)) return
  const bytes = await readFile(file)
  const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } }
  await Promise.all([
    promisify(brotliCompress)(bytes, brotli).then((packed) => writeFile(`${file}.br`, packed)),
    promisify(gzip)(bytes, { level: 9 }).then((packed) => writeFile(`${file}.gz`, packed)),
  ])
}

async function digestOf(roots: readonly string[]): Promise<string> {
  const hash = createHash('sha256')
  for (const root of roots)
    for (const file of (await filesOf(path.join(packageRoot, root))).toSorted())
      hash.update(`${path.relative(packageRoot, file)}\0`).update(await readFile(file))
  return hash.digest('hex')
}

async function filesOf(root: string): Promise<readonly string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true }).catch(() => undefined)
  if (!entries) return [root]
  return entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name))
}
