// A cluster's certificates as clients read them. Plain data.

interface CertificateFacts {
  readonly subject: string
  readonly issuer: string
  /** ISO 8601, UTC. */
  readonly notBefore: string
  readonly notAfter: string
  /** SHA-256 of the certificate. */
  readonly fingerprint: string
}

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
