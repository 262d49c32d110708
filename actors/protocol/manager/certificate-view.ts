// A cluster's certificates as clients read them. Plain data.

import type { CertificateFacts } from '../../../lib/tls/index.js'

/** A client's certificate with what it needs beside it. */
export interface CertificateView {
  readonly clientCert: string
  /** Masked for users that may not rotate it. */
  readonly clientKey: string
  readonly caCert: string
  readonly serverCert: string
  /** The previous authority is still trusted: `caCert` holds both. */
  readonly rotating: boolean
  readonly client: CertificateFacts
  readonly server: CertificateFacts
  readonly ca: CertificateFacts
}
