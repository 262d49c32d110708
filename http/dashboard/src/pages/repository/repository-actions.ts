// What is done with the repository of the configuration, as actions of the plan sheet.
import { shortId } from '../../model/configuration/repository.js'
import type { Action } from '../../plan/action.js'
import { GLOBAL } from '../configuration/setting-actions.js'

const decision = (commit: string) => ({ params: { commit }, grant: GLOBAL }) as const

export const push: Action = {
  ...{ title: 'Compare and push', row: 'POST /api/repository/actions/push', grant: GLOBAL, kind: 'harmless' },
  command: ['repository', 'push'],
}

export const applyCommit = (commit: string): Action => ({
  ...{ title: `Apply ${shortId(commit)}`, row: 'POST /api/repository/actions/apply/:commit', ...decision(commit) },
  ...{ kind: 'interrupting', command: ['repository', 'apply', shortId(commit)] },
})

export const rejectCommit = (commit: string): Action => ({
  ...{ title: `Reject ${shortId(commit)}`, row: 'POST /api/repository/actions/reject/:commit', ...decision(commit) },
  ...{ kind: 'harmless', command: ['repository', 'reject', shortId(commit)] },
})

export const rollBack = (commit: string): Action => ({
  title: `Roll back to ${shortId(commit)}`,
  ...{ row: 'POST /api/repository/actions/roll-back/:commit', ...decision(commit) },
  ...{ kind: 'interrupting', command: ['repository', 'roll-back', shortId(commit)] },
})
