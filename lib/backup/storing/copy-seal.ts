// A part of a binary log as it is stored elsewhere: compressed and encrypted in memory, and the reverse.
import { Readable, Writable } from 'node:stream'
import {
  createDecryption,
  createEncryption,
  Joints,
  need,
  openCompression,
  openDecompression,
  readKeys,
  type Stage,
  streamStage,
} from '../stream/index.js'
import type { Coding } from './copy-names.js'

export interface CopyKeys {
  readonly keyFile: string
  readonly recipients: readonly string[]
}

/** Rejects where a program or a key fails. */
export async function sealBytes(bytes: Buffer, { compression, encrypted }: Coding, keys: CopyKeys): Promise<Buffer> {
  const compress = openCompression(compression, () => undefined)
  const recipients = encrypted ? [need(await readKeys(keys.keyFile)).recipient, ...keys.recipients] : []
  const encrypt = encrypted ? streamStage(await createEncryption(recipients)) : undefined
  return pass(Readable.from([bytes]), [compress, encrypt])
}

/** The plain bytes of what a place gives; rejects where they are not what was stored. */
export async function openBytes(
  stream: Readable,
  { compression, encrypted }: Coding,
  keyFile: string,
): Promise<Buffer> {
  const identities = encrypted ? need(await readKeys(keyFile)).identities : []
  const decrypt = encrypted ? streamStage(createDecryption(identities, 'a part of a binary log')) : undefined
  return pass(stream, [decrypt, openDecompression(compression, () => undefined)])
}

async function pass(source: Readable, stages: readonly (Stage | undefined)[]): Promise<Buffer> {
  const joints = new Joints()
  const out: Buffer[] = []
  const sink = new Writable({
    write: (chunk: Buffer, _, callback) => {
      out.push(chunk)
      callback()
    },
  })
  const present = stages.filter((stage) => stage !== undefined)
  for (const { program } of present) if (program) joints.heed(program).catch(() => undefined)
  joints.join(source, present, sink)
  await joints.settled()
  return Buffer.concat(out)
}
