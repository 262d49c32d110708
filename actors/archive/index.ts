// The face of the archive pool: configuration archives, built off the main thread.
export {
  type Archive,
  type ArchiveOptions,
  type ArchiveService,
  type BuildCount,
  createArchiveService,
} from './archives.js'
export type { ArchiveInput } from './input.js'
