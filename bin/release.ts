// Builds every artefact of a release from what the build made: npm package, Debian package, offline bundle, container files, bill of
// materials, checksums and their signature. Equal sources and SOURCE_DATE_EPOCH give equal bytes.
import { mkdir, readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import { packageRoot, packageVersion, sharePath, versionText } from '../lib/base/package-root.js'
import { packNpm, packTarball } from './artefact/archives.js'
import { dashboardPackages } from './artefact/bundled.js'
import { SUMS, signSums, writeSums } from './artefact/checksums.js'
import { readCommit, readCommitTime } from './artefact/commit.js'
import { buildDebian } from './artefact/debian-package.js'
import { readLockFile } from './artefact/lock-file.js'
import { renderSbom } from './artefact/sbom.js'
import { put, settleTree, stagePackages, stageTree } from './artefact/tree.js'

const usage = `Usage: bin/release [--out FOLDER] [--sign KEYFILE]

Builds the artefacts of version ${packageVersion} into release/ (or FOLDER). KEYFILE, a private key of OpenSSH or in PEM, signs the checksums.
SOURCE_DATE_EPOCH sets the time of all files; the time of the commit when absent.
`

const given = readWords(process.argv.slice(2))
if (given === undefined) {
  process.stderr.write(usage)
  process.exitCode = 2
} else await release(given)

interface Wish {
  readonly out: string
  readonly key?: string
}

function readWords(words: readonly string[]): Wish | undefined {
  let wish: Wish = { out: path.join(packageRoot, 'release') }
  for (let index = 0; index < words.length; index += 2) {
    const value = words[index + 1]
    if (value === undefined) return undefined
    if (words[index] === '--out') wish = { ...wish, out: path.resolve(value) }
    else if (words[index] === '--sign') wish = { ...wish, key: path.resolve(value) }
    else return undefined
  }
  return wish
}

async function release({ out, key }: Wish): Promise<void> {
  const at = Number(process.env.SOURCE_DATE_EPOCH ?? (await readCommitTime()))
  if (!Number.isSafeInteger(at) || at <= 0) throw new Error('SOURCE_DATE_EPOCH is not a number of seconds')
  await rm(out, { recursive: true, force: true })
  await mkdir(out, { recursive: true })
  const work = path.join(out, '.work')
  const lock = await readLockFile()

  const npmTree = path.join(work, 'npm')
  await stageTree(npmTree, lock)
  await settleTree(npmTree, at)
  const npm = await packNpm(npmTree, out)

  const tree = path.join(work, `manager-${packageVersion}`)
  await stageTree(tree, lock)
  await stagePackages(tree, lock)
  await settleTree(tree, at)
  const offline = `manager-${packageVersion}-offline.tar.gz`
  await packTarball(tree, path.join(out, offline), at)
  const debian = await buildDebian({ tree, root: path.join(work, 'debian'), out, at })

  const sbom = `manager-${packageVersion}.cdx.json`
  const own = JSON.parse(await readFile(path.join(packageRoot, 'package.json'), 'utf8'))
  const names = [...new Set([...Object.keys(own.dependencies), ...(await dashboardPackages())])].sort()
  await put(path.join(out, sbom), renderSbom({ lock, names, at, commit: await readCommit() }))

  const container = ['Dockerfile', 'compose.yaml']
  for (const name of container) {
    const text = await readFile(sharePath('package/container', name), 'utf8')
    await put(path.join(out, name), text.replaceAll('@VERSION@', packageVersion))
  }
  const artefacts = [npm, offline, debian, sbom, ...container]
  await writeSums(out, artefacts)
  const signature = key === undefined ? [] : [await signSums(out, key)]
  await rm(work, { recursive: true, force: true })
  process.stdout.write(
    `${versionText()}\n${[...artefacts, SUMS, ...signature].map((name) => path.join(out, name)).join('\n')}\n`,
  )
}
