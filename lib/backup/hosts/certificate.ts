// The certificate of one transfer: self-signed, given to the host with its order, and of no use after it.
import { DAY } from '../../base/time.js'
import { issuePair, type KeyPair } from '../../tls/index.js'

/** The common name that scripts of hosts compare. */
export const TRANSFER_NAME = 'manager'

/** The common name of the certificate that a script on a host makes for its listener. */
export const LISTENER_NAME = 'manager-host'

/** `at`: milliseconds since the epoch; clocks of hosts may be a day off. */
export const makeTransferCertificate = (at: number): Promise<KeyPair> =>
  issuePair({ name: TRANSFER_NAME, use: 'server', from: at - DAY, until: at + 7 * DAY })
