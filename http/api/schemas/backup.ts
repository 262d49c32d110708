// The record of a backup as clients read it.
import * as z from 'zod'
import { all, count, flag, number, text } from './fields.js'

const place = z.enum(['directory', 'restic', 's3'])

export const backupSchema = z
  .object({
    ...all(count, ['id', 'backupMethod', 'backupStrategy', 'size', 'rawSize', 'binLogFilePos', 'previous']),
    ...all(text, ['startTime', 'toolVersion', 'source', 'dest', 'encryptionAlgo', 'encryptionKey', 'checksum']),
    ...all(text, ['binLogFileName', 'binLogUuid']),
    ...all(flag, ['compressed', 'encrypted', 'completed']),
    endTime: text.nullable(),
    backupTool: z.enum(['mysqldump', 'mydumper', 'script', 'mariabackup', 'xtrabackup']),
    place,
    places: z.array(place),
    compression: z.enum(['none', 'gzip', 'zstd']),
    retentionDays: number,
    keptUntil: text.optional(),
    proof: z
      .object({
        at: text,
        result: z.enum(['proven', 'refuted']),
        restoreSeconds: number,
        replayedTo: text.optional(),
        checks: z.array(z.object({ name: text, passed: flag, detail: text })),
      })
      .meta({ id: 'BackupProof' })
      .optional(),
  })
  .meta({ id: 'Backup' })
