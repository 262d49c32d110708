// What is done with the registration of this manager, as actions of the plan sheet.
import type { AccountWish } from '../../model/hosted/registration.js'
import type { Action } from '../../plan/action.js'

/** An administrator. */
const GRANT = 'global-grant'

export const register = (body: AccountWish): Action => ({
  ...{ title: `Register ${body.uri}`, row: 'POST /api/register', body, secrets: ['password'] },
  ...{ grant: GRANT, kind: 'harmless' },
  command: ['register', '--email', body.email, '--uri', body.uri],
})

export const confirm = (body: AccountWish): Action => ({
  ...{ title: `Ask whether ${body.uri} is confirmed`, row: 'POST /api/register/confirm', body },
  ...{ secrets: ['password'], grant: GRANT, kind: 'harmless' },
  command: ['register', '--confirm', '--email', body.email, '--uri', body.uri],
})

export const unregister = (uri: string): Action => ({
  ...{ title: `Unregister ${uri}`, row: 'POST /api/register/unregister', body: { uri }, grant: GRANT },
  ...{ kind: 'destroying', command: ['registration', 'end', uri] },
})
