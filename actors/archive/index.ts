// The face of the archive pool: configuration archives, built off the main thread.
export {
  type Archive,
  type ArchiveOptions,
  type ArchiveService,
  type BuildCount,
  type CertifyRequest,
  createArchiveService,
} from './archives.js'
export type { Certified, CertifyAction } from './certify.js'
export type { ArchiveInput, CertificateFiles, CertificateSource, ProxyArchiveInput } from './input.js'
