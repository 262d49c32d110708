// Check of the configuration repository: git is installed, and the repository answers with the login of the settings.
import path from 'node:path'
import { Repository } from '../../lib/git/client/repository.js'
import type { Settings } from '../../lib/settings/index.js'
import { codeOf } from '../../lib/store/kit/atomic-write.js'
import { capture } from '../artefact/programs.js'
import type { Verdict } from './verdict.js'

/** The first that takes its configuration from the environment. */
const OLDEST = [2, 31] as const

/** Nothing where `git-url` is empty. Nothing is written, at the repository neither. */
export async function checkRepository(settings: Settings): Promise<readonly Verdict[]> {
  const url = settings['git-url']
  if (url === '') return []
  const about = { check: 'git', subject: url } as const
  const version = await capture('git', ['--version']).catch((error: unknown) => codeOf(error))
  const [, major, minor] = /git version (\d+)\.(\d+)/.exec(version) ?? []
  if (major === undefined || minor === undefined)
    return [{ ...about, state: 'problem', fact: 'git is not installed', remedy: 'Install git 2.31 or later.' }]
  if (Number(major) < OLDEST[0] || (Number(major) === OLDEST[0] && Number(minor) < OLDEST[1]))
    return [{ ...about, state: 'problem', fact: `git is ${major}.${minor}`, remedy: 'Install git 2.31 or later.' }]
  const asked = await new Repository(path.resolve('/'), new AbortController().signal).remoteHead({
    ...{ url, username: settings['git-username'], token: settings['git-acces-token'] },
    caCert: settings['git-ca-cert'],
  })
  return [
    asked.ok
      ? { ...about, state: 'ok', fact: asked.value === undefined ? 'answers, and is empty' : 'answers' }
      : {
          ...about,
          state: 'problem',
          fact: asked.failure.message,
          remedy: 'Correct git-url, git-username or git-acces-token.',
        },
  ]
}
