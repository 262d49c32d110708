// The Debian package: the tree in /usr/lib/manager, programs, manual pages, completions, unit, configuration, maintainer scripts.
import { cp, lstat, readdir, readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { modeOf } from '../../lib/base/files/modes.js'
import { builtPath, packageRoot, packageVersion, sharePath } from '../../lib/base/package-root.js'
import { isoTime, SECOND } from '../../lib/base/time.js'
import { renderCompletion, shells } from '../cli/completion/completion.js'
import { createProgram } from '../cli/program.js'
import { rowCommands } from '../cli/row/row-commands.js'
import { packDebian } from './archives.js'
import { renderDaemonManual } from './daemon-manual.js'
import { put, putLink, settleTree } from './tree.js'

export interface DebianInput {
  /** The tree with its packages. */
  readonly tree: string
  /** Where the root of the package is put together. */
  readonly root: string
  readonly out: string
  readonly at: number
}

const completionPlaces = {
  bash: 'usr/share/bash-completion/completions/manager-cli',
  zsh: 'usr/share/zsh/vendor-completions/_manager-cli',
  fish: 'usr/share/fish/vendor_completions.d/manager-cli.fish',
} as const

const scripts = ['postinst', 'prerm', 'postrm'] as const

/** Answers the file's name. */
export async function buildDebian({ tree, root, out, at }: DebianInput): Promise<string> {
  await rm(root, { recursive: true, force: true })
  const place = (name: string): string => path.join(root, name)
  const document = (name: string): string => path.join(root, 'usr/share/doc', 'manager', name)
  await cp(tree, place('usr/lib/manager'), { recursive: true })
  for (const program of ['manager', 'manager-agent', 'manager-cli'])
    await putLink(place(`usr/bin/${program}`), `../lib/manager/bin/${program}`)
  await putLink(place('usr/bin/manager-arbitrator'), '../lib/manager/bin/arbitrator')
  await putLink(place('usr/bin/manager-license'), '../lib/manager/bin/license')
  const manuals = await readdir(builtPath('man'))
  for (const name of manuals)
    await put(place(`usr/share/man/man1/${name}.gz`), packed(await readFile(builtPath('man', name))))
  await put(place('usr/share/man/man8/manager.8.gz'), packed(renderDaemonManual()))
  const program = createProgram(rowCommands)
  for (const shell of shells) await put(place(completionPlaces[shell]), `${renderCompletion(shell, program)}\n`)
  for (const unit of ['manager.service', 'manager-agent.service', 'manager-arbitrator.service'])
    await put(place(`usr/lib/systemd/system/${unit}`), await readFile(sharePath(`package/systemd/${unit}`)))
  await put(place('etc/manager/config.toml'), await readFile(sharePath('package/config.toml')))
  await put(document('copyright'), await readFile(sharePath('package/debian/copyright')))
  await put(document('README.md'), await readFile(path.join(packageRoot, 'README.md')))
  await put(document('changelog.gz'), packed(await readFile(path.join(packageRoot, 'CHANGELOG.md'))))
  await put(document('changelog.Debian.gz'), packed(debianChangelog(at)))
  await control(root)
  await settleTree(root, at)
  const name = `manager_${packageVersion}_all.deb`
  await packDebian(root, path.join(out, name), at)
  return name
}

async function control(root: string): Promise<void> {
  const text = await readFile(sharePath('package/debian/control'), 'utf8')
  const size = Math.ceil((await bytesIn(root)) / 1_024)
  const filled = text.replace('@VERSION@', packageVersion).replace('@SIZE@', String(size))
  await put(path.join(root, 'DEBIAN/control'), filled)
  await put(path.join(root, 'DEBIAN/conffiles'), '/etc/manager/config.toml\n')
  for (const script of scripts)
    await put(path.join(root, 'DEBIAN', script), await readFile(sharePath('package/debian', script)), modeOf('program'))
}

async function bytesIn(folder: string): Promise<number> {
  const sizes = await Promise.all(
    (await readdir(folder, { recursive: true })).map(async (entry) => {
      const stat = await lstat(path.join(folder, entry))
      return stat.isFile() ? stat.size : 0
    }),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}

/** Without name and time of the file, so that equal text gives equal bytes. */
const packed = (text: string | Uint8Array): Uint8Array => gzipSync(text, { level: 9 })

const debianChangelog = (at: number): string =>
  [
    `manager (${packageVersion}) stable; urgency=medium`,
    '',
    '  * What changed is in changelog.gz.',
    '',
    ` -- The manager developers <manager@localhost>  ${new Date(isoTime(at * SECOND)).toUTCString().replace('GMT', '+0000')}`,
    '',
  ].join('\n')
