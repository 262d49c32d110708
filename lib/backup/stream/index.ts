// The face of the room: bytes from a source through compression and encryption to a sink, in a process of its own.
export { Joints } from './joint.js'
export { addKey, ensureKeys, readKeys } from './keys.js'
export { need, StreamFailure } from './kit/failed.js'
export type {
  DirectoryEnd,
  DiscardSink,
  ProgramEnd,
  ProgramReport,
  ProgramSource,
  ReceiveSource,
  ReceiveTls,
  SendSink,
  SendTls,
  StoredEncryption,
  StoredEnd,
  StoredSink,
  StoredSource,
  Transfer,
  TransferHooks,
  TransferProgress,
  TransferReport,
  TransferSink,
  TransferSource,
  TransferSpec,
} from './kit/spec.js'
export { CHUNK_BYTES } from './kit/spec.js'
export { createDecryption, createEncryption } from './stage/age.js'
export { openCompression, openDecompression, possibleCompression, type Stage, streamStage } from './stage/compress.js'
export { startTransfer } from './transfer.js'
export { disclose, enclose } from './wire.js'
