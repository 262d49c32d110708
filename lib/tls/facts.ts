// What people read of a certificate.
import { X509Certificate } from 'node:crypto'

export interface CertificateFacts {
  readonly subject: string
  readonly issuer: string
  /** ISO 8601, UTC. */
  readonly notBefore: string
  readonly notAfter: string
  /** SHA-256 of the certificate. */
  readonly fingerprint: string
}

/** Of the first certificate of a text: the one in force. */
export function certificateFacts(text: string): CertificateFacts {
  const { subject, issuer, validFrom, validTo, fingerprint256 } = new X509Certificate(text)
  const date = (written: string) => new Date(written).toISOString()
  return {
    ...{ subject: subject.replaceAll('\n', ', '), issuer: issuer.replaceAll('\n', ', ') },
    ...{ notBefore: date(validFrom), notAfter: date(validTo), fingerprint: fingerprint256 },
  }
}
