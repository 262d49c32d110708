// What the settings of a cluster say about its backups: where they are kept, for how long, and how their bytes are stored and moved.
import path from 'node:path'
import { reveal, type Secret, secret } from '../../base/secret.js'
import { SECOND } from '../../base/time.js'
import type { RetentionPolicy } from '../../decide/backup/retention.js'
import type { Compression } from '../../model/backup.js'
import type { Settings } from '../../settings/index.js'
import type { DirectoryConfig, PlaceConfig, ResticConfig, S3Config } from './place.js'

export interface BackupStorage {
  /** Where a backup is written. */
  readonly target: DirectoryConfig | S3Config
  /** Where each valid one is copied to. */
  readonly archive?: ResticConfig
  /** As wanted; the transfer's room says what is possible. */
  readonly compression: Compression
  /** Absent: not encrypted. */
  readonly encryption?: { readonly keyFile: string; readonly recipients: readonly string[] }
  /** Keys of the cluster, also of backups from when it was encrypted. */
  readonly keyFile: string
  readonly retention: RetentionPolicy
  readonly keepUntilValid: boolean
  readonly disk: DiskLimits
  readonly streams: StreamSettings
}

/** Percent of the file system; 0: not judged. */
export interface DiskLimits {
  readonly warnPercent: number
  readonly criticalPercent: number
  /** The oldest go when it is critical. */
  readonly purgeOldest: boolean
}

export interface StreamSettings {
  /** Of the manager, on which it receives; empty: any free one. */
  readonly ports: readonly number[]
  /** Of hosts, in the order of the cluster's servers, again from the first when there are more. */
  readonly hostPorts: readonly number[]
  readonly isTlsRequired: boolean
  /** Bytes sent at a time. */
  readonly bufferBytes: number
}

/** Of a request to object storage that moves no backup, milliseconds. */
const REQUEST_MS = 60 * SECOND

export function storageOf(cluster: string, settings: Settings): BackupStorage {
  const keyFile =
    settings['backup-encryption-key-file'] || path.join(settings['monitoring-datadir'], cluster, 'backup-keys.txt')
  return {
    target: settings['backup-streaming'] ? s3Of(settings) : { kind: 'directory', root: backupsOf(settings) },
    ...(settings['backup-restic'] ? { archive: resticOf(cluster, settings) } : {}),
    compression: settings['compress-backups'] ? settings['backup-compression'] : 'none',
    ...(settings['backup-encryption']
      ? { encryption: { keyFile, recipients: settings['backup-encryption-recipients'] } }
      : {}),
    keyFile,
    retention: retentionOf(settings),
    keepUntilValid: settings['backup-keep-until-valid'],
    disk: {
      warnPercent: settings['backup-disk-threshold-warn'],
      criticalPercent: settings['backup-disk-threshold-crit'],
      purgeOldest: settings['backup-restic-purge-oldest-on-disk-space'],
    },
    streams: {
      ports: settings['scheduler-db-servers-sender-ports'].map(Number),
      hostPorts: settings['scheduler-db-servers-receiver-ports'].map(Number),
      isTlsRequired: settings['scheduler-db-servers-receiver-use-ssl'],
      bufferBytes: settings['sst-send-buffer'],
    },
  }
}

/** All places of a cluster, the one that backups are written to first. */
export const placesOf = ({ target, archive }: BackupStorage): readonly PlaceConfig[] =>
  archive ? [target, archive] : [target]

/** Where stored binary logs are copied to, and how often, milliseconds; nothing where backups are in the working directory alone. */
export const logCopiesOf = (settings: Settings, { target, archive }: BackupStorage): readonly LogCopyPlace[] => {
  const interval = settings['backup-binlogs-copy-interval'] * SECOND
  const s3 = target.kind === 's3' ? [{ place: target, intervalMs: interval }] : []
  if (!archive) return s3
  // A repository of its own: what prunes one waits for those that write to it.
  const place = { ...archive, repository: `${archive.repository}.binlogs` }
  return [...s3, { place, intervalMs: Math.max(interval, RESTIC_INTERVAL_MS) }]
}

export interface LogCopyPlace {
  readonly place: S3Config | ResticConfig
  readonly intervalMs: number
}

/** Each part is a snapshot of a repository: restic takes about a second for one. */
const RESTIC_INTERVAL_MS = 30 * SECOND

const backupsOf = (settings: Settings): string => path.join(settings['monitoring-datadir'], 'backups')

const retentionOf = (settings: Settings): RetentionPolicy => ({
  hourly: settings['backup-keep-hourly'],
  daily: settings['backup-keep-daily'],
  weekly: settings['backup-keep-weekly'],
  monthly: settings['backup-keep-monthly'],
  yearly: settings['backup-keep-yearly'],
})

function s3Of(settings: Settings): S3Config {
  const [bucket = '', ...prefix] = settings['backup-streaming-bucket'].split('/')
  return {
    kind: 's3',
    endpoint: settings['backup-streaming-endpoint'],
    region: settings['backup-streaming-region'],
    bucket,
    prefix: prefix.filter((part) => part !== '').join('/'),
    accessKeyId: settings['backup-streaming-aws-access-key-id'],
    secretAccessKey: settings['backup-streaming-aws-access-secret'],
    lockDays: settings['backup-streaming-object-lock-days'],
    timeoutMs: REQUEST_MS,
  }
}

/** Whether the archive of the cluster is on a disk of the manager. */
export const isArchiveLocal = (cluster: string, settings: Settings): boolean =>
  path.isAbsolute(resticOf(cluster, settings).repository)

function resticOf(cluster: string, settings: Settings): ResticConfig {
  const named = settings['backup-restic-repository']
  const isUsed = named !== '' && (settings['backup-restic-aws'] || !named.startsWith('s3:'))
  return {
    kind: 'restic',
    binary: settings['backup-restic-binary-path'],
    repository: isUsed ? `${named.replace(/\/+$/, '')}/${cluster}` : path.join(backupsOf(settings), 'archive', cluster),
    password: settings['backup-restic-password'],
    env: {
      ...pairs(settings['backup-restic-environment']),
      ...(settings['backup-restic-aws'] ? awsKeys(settings) : {}),
    },
    timeoutMs: settings['backup-restic-timeout'] * SECOND,
  }
}

const awsKeys = (settings: Settings): Readonly<Record<string, string | Secret>> => ({
  AWS_ACCESS_KEY_ID: settings['backup-restic-aws-access-key-id'],
  AWS_SECRET_ACCESS_KEY: settings['backup-restic-aws-access-secret'],
})

/** `NAME=value NAME=value`. */
function pairs(text: Secret): Readonly<Record<string, Secret>> {
  const words = reveal(text)
    .split(' ')
    .filter((word) => word !== '')
  return Object.fromEntries(
    words.map((word) => [word.slice(0, word.indexOf('=')), secret(word.slice(word.indexOf('=') + 1))]),
  )
}
