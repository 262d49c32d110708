// A certificate for the API server when none is configured: ECDSA on P-384 with SHA-256, created at each start.
import { hostname } from 'node:os'
import { DAY } from '../../../lib/base/time.js'
import { issuePair, type KeyPair } from '../../../lib/tls/index.js'

const VALID_DAYS = 3_650

/** Made for this host's name and the loopback addresses. */
export const makeCertificate = (at: number): Promise<KeyPair> =>
  issuePair({
    ...{ name: hostname(), use: 'server', hosts: [hostname(), 'localhost', '127.0.0.1', '::1'] },
    ...{ from: at - DAY, until: at + VALID_DAYS * DAY },
  })
