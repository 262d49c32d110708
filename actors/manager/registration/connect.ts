// The connection after a confirmation: what this manager sets, all of it at once, and what is taken back when it ends.

import { reveal } from '../../../lib/base/secret.js'
import type { Applicant } from '../../../lib/hosted/index.js'

/** Values by setting. */
export type Values = Readonly<Record<string, unknown>>

/** The identity, the account, and `hosted`. */
export const connectedSettings = ({ email, password, uri }: Applicant): Values => ({
  ...{ 'hosted-domain': uri.domain, 'hosted-sub-domain': uri.subdomain, 'hosted-sub-domain-zone': uri.zone },
  ...{ 'hosted-gitlab-user': email, 'hosted-gitlab-password': reveal(password), hosted: true },
})

/** File, environment, flag or default hold again; `hosted` is off in any case. */
export const withdrawnSettings: Values = {
  ...{ 'hosted-domain': undefined, 'hosted-sub-domain': undefined, 'hosted-sub-domain-zone': undefined },
  ...{ 'hosted-gitlab-user': undefined, 'hosted-gitlab-password': undefined, hosted: false },
}
