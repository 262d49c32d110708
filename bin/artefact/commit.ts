// The commit that the sources were built from, as git knows it.
import { packageRoot } from '../../lib/base/package-root.js'
import { capture } from './programs.js'

/** Twelve digits, with `+changes` where tracked files differ from it; empty outside of a repository. */
export async function readCommit(): Promise<string> {
  const commit = await ask('rev-parse', '--short=12', 'HEAD')
  if (commit === '') return ''
  return (await ask('status', '--porcelain', '--untracked-files=no')) === '' ? commit : `${commit}+changes`
}

/** Seconds since the epoch of that commit: the time of every file of a release. */
export const readCommitTime = async (): Promise<number> => Number(await ask('log', '-1', '--format=%ct'))

const ask = (...words: readonly string[]): Promise<string> =>
  capture('git', ['-C', packageRoot, ...words]).then(
    (text) => text.trim(),
    () => '',
  )
