// The wire's shape of a cluster's certificates.
import { z } from 'zod'

const facts = z.object({
  subject: z.string(),
  issuer: z.string(),
  notBefore: z.iso.datetime(),
  notAfter: z.iso.datetime(),
  /** SHA-256 of the certificate. */
  fingerprint: z.string(),
})

/** A client's certificate with what it needs beside it. */
export const clientCertificate = z.object({
  clientCert: z.string(),
  /** Masked for those who may not rotate it. */
  clientKey: z.string(),
  caCert: z.string(),
  serverCert: z.string(),
  /** The former authority is still trusted: `caCert` holds both. */
  rotating: z.boolean(),
  client: facts,
  server: facts,
  ca: facts,
})

export type CertificateView = z.output<typeof clientCertificate>
