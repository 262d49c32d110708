// The public interface of the archive pool: configuration archives, built off the main thread.
export {
  type Archive,
  type ArchiveOptions,
  type ArchiveService,
  type CertifyRequest,
  createArchiveService,
} from './archives.js'
export type { Certified } from './certify.js'
export type {
  ArchiveInput,
  BuildCount,
  CertificateFiles,
  CertificateSource,
  CertifyAction,
  ProxyArchiveInput,
} from './input.js'
