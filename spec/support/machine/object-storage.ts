// A server of object storage in this process, for specs: S3 as a store other than AWS speaks it.

import type { AddressInfo } from 'node:net'
import S3rver from '@20minutes/s3rver'
import { newDirectory } from './directories.js'

export interface ObjectStorage {
  readonly endpoint: string
  readonly bucket: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
  close(): Promise<void>
}

export async function startObjectStorage(): Promise<ObjectStorage> {
  const server = new S3rver({
    ...{ port: 0, address: '127.0.0.1', silent: true, directory: newDirectory('s3'), allowMismatchedSignatures: true },
    configureBuckets: [{ name: 'backups' }],
  })
  const { port } = (await server.run()) as AddressInfo
  return {
    ...{ endpoint: `http://127.0.0.1:${port}`, bucket: 'backups', accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' },
    close: () => server.close(),
  }
}
