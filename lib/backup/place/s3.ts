// A place in object storage: files are objects below a prefix of a bucket, uploaded in parts. The client is loaded with the first use.

import { Readable } from 'node:stream'
import type { S3Client, S3ClientConfig } from '@aws-sdk/client-s3'
import { fail, ok, type Result } from '../../base/result.js'
import { reveal } from '../../base/secret.js'
import { DAY, now } from '../../base/time.js'
import { reasonOf } from '../../store/kit/atomic-write.js'
import type { Place, PlacedFile, PutOptions, S3Config } from './place.js'

/** Of an upload: 10,000 parts are the most, so an object of 320 GB needs this much; longer ones get larger parts. Bytes. */
const PART_BYTES = 32 * 1024 * 1024
/** Parts under way at a time. */
const PARALLEL = 3
/** Keys in one request that removes. */
const MOST_KEYS = 1_000

export function openS3(config: S3Config): Place {
  return new S3Place(config)
}

class S3Place implements Place {
  readonly kind = 's3' as const
  readonly #config: S3Config
  #client: S3Client | undefined

  constructor(config: S3Config) {
    this.#config = config
  }

  put(name: string, bytes: Readable, { signal }: PutOptions): Promise<Result<void>> {
    return this.#attempt(name, async (client) => {
      const { Upload } = await import('@aws-sdk/lib-storage')
      const upload = new Upload({
        client,
        params: { ...this.#object(name), Body: bytes, ...this.#lock() },
        ...{ partSize: PART_BYTES, queueSize: PARALLEL, leavePartsOnError: false },
      })
      const abort = () => void upload.abort().catch(() => undefined)
      signal.addEventListener('abort', abort, { once: true })
      try {
        await upload.done()
      } finally {
        signal.removeEventListener('abort', abort)
        bytes.destroy()
      }
    })
  }

  putText(name: string, text: string, options: PutOptions): Promise<Result<void>> {
    return this.put(name, Readable.from([Buffer.from(text)]), options)
  }

  get(name: string, signal: AbortSignal): Promise<Result<Readable>> {
    return this.#attempt(name, async (client) => {
      const { GetObjectCommand } = await import('@aws-sdk/client-s3')
      const { Body } = await client.send(new GetObjectCommand(this.#object(name)), { abortSignal: signal })
      if (!(Body instanceof Readable)) throw new Error('the answer has no bytes')
      return Body
    })
  }

  async getText(name: string, signal: AbortSignal): Promise<Result<string>> {
    const stream = await this.get(name, signal)
    if (!stream.ok) return stream
    return this.#attempt(name, async () => Buffer.concat(await stream.value.toArray()).toString('utf8'))
  }

  list(prefix: string): Promise<Result<readonly PlacedFile[]>> {
    return this.#attempt(prefix, async (client) => {
      const { paginateListObjectsV2 } = await import('@aws-sdk/client-s3')
      const files: PlacedFile[] = []
      const { Bucket, Key } = this.#object(prefix === '' ? '' : `${prefix}/`)
      for await (const { Contents = [] } of paginateListObjectsV2({ client }, { Bucket, Prefix: Key }))
        for (const { Key: key = '', Size, LastModified } of Contents)
          files.push({
            path: key.slice(this.#object('').Key.length),
            ...(Size === undefined ? {} : { bytes: Size }),
            ...(LastModified === undefined ? {} : { at: LastModified.getTime() }),
          })
      return files
    })
  }

  remove(names: readonly string[]): Promise<Result<void>> {
    return this.#attempt(names[0] ?? '', async (client) => {
      const { DeleteObjectsCommand } = await import('@aws-sdk/client-s3')
      for (let from = 0; from < names.length; from += MOST_KEYS) {
        const Objects = names.slice(from, from + MOST_KEYS).map((name) => ({ Key: this.#object(name).Key }))
        const answer = await client.send(
          new DeleteObjectsCommand({ Bucket: this.#config.bucket, Delete: { Objects, Quiet: true } }),
        )
        const [refused] = answer.Errors ?? []
        if (refused) throw new Error(`${refused.Key}: ${refused.Message}`)
      }
    })
  }

  /** Uploads that were begun and never ended cost space and are not listed as objects. */
  tidy(prefix: string): Promise<Result<void>> {
    return this.#attempt(prefix, async (client) => {
      const { AbortMultipartUploadCommand, ListMultipartUploadsCommand } = await import('@aws-sdk/client-s3')
      const { Bucket, Key: Prefix } = this.#object(prefix)
      const listed = await client.send(new ListMultipartUploadsCommand({ Bucket, Prefix })).catch((error: unknown) => {
        // A store that cannot list them removes them by a rule of its own.
        if (error instanceof Error && error.name === 'NotImplemented') return undefined
        throw error
      })
      for (const { Key, UploadId } of listed?.Uploads ?? [])
        await client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId }))
    })
  }

  check(): Promise<Result<void>> {
    return this.#attempt('', async (client) => {
      const { GetObjectLockConfigurationCommand, HeadBucketCommand } = await import('@aws-sdk/client-s3')
      const Bucket = this.#config.bucket
      await client.send(new HeadBucketCommand({ Bucket }))
      if (this.#config.lockDays === 0) return
      const { ObjectLockConfiguration: lock } = await client.send(new GetObjectLockConfigurationCommand({ Bucket }))
      if (lock?.ObjectLockEnabled !== 'Enabled')
        throw new Error('backup-streaming-object-lock-days is set, but the bucket offers no object lock')
    })
  }

  /** Object storage does not say. */
  async free(): Promise<Result<undefined>> {
    return ok(undefined)
  }

  #object(name: string): { Bucket: string; Key: string } {
    const { bucket, prefix } = this.#config
    return { Bucket: bucket, Key: prefix === '' ? name : `${prefix}/${name}` }
  }

  #lock() {
    const { lockDays } = this.#config
    if (lockDays === 0) return {}
    return { ObjectLockMode: 'COMPLIANCE', ObjectLockRetainUntilDate: new Date(now() + lockDays * DAY) } as const
  }

  async #attempt<T>(name: string, work: (client: S3Client) => Promise<T>): Promise<Result<T>> {
    try {
      this.#client ??= await connect(this.#config)
      return ok(await work(this.#client))
    } catch (error) {
      const code = error instanceof Error && error.name !== 'Error' ? `${error.name}: ` : ''
      return fail('place-failed', `s3://${this.#config.bucket}/${this.#object(name).Key}: ${code}${reasonOf(error)}`)
    }
  }
}

async function connect({ endpoint, region, accessKeyId, secretAccessKey, timeoutMs }: S3Config): Promise<S3Client> {
  // It would print a note about later releases of Node.js to the log.
  process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = 'true'
  const { S3Client } = await import('@aws-sdk/client-s3')
  const options: S3ClientConfig = {
    region,
    credentials: { accessKeyId, secretAccessKey: reveal(secretAccessKey) },
    // Checksums that only some stores know are sent where they are required.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: { connectionTimeout: timeoutMs, requestTimeout: timeoutMs },
    ...(endpoint === '' ? {} : { endpoint, forcePathStyle: true }),
  }
  return new S3Client(options)
}
