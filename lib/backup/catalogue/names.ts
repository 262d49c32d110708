// Names of what a backup consists of: folders, files, records.
import type { Backup, Compression } from '../../model/backup.js'

/** Everything of a backup is below it: `shop/db1_3306/1795412345`. */
export const backupFolder = ({ cluster, host, port, id }: Pick<Backup, 'cluster' | 'host' | 'port' | 'id'>): string =>
  `${cluster}/${host.replaceAll(/[:/]/g, '-')}_${port}/${id}`

const suffixes: Readonly<Record<Compression, string>> = { none: '', gzip: '.gz', zstd: '.zst' }

/** `mysqldump.sql` → `mysqldump.sql.zst.age`: a person reads off it how to open it. */
export const storedName = (name: string, compression: Compression, isEncrypted: boolean): string =>
  `${name}${suffixes[compression]}${isEncrypted ? '.age' : ''}`

/** The record of a backup, written last. */
export const recordName = ({ tool }: Pick<Backup, 'tool'>): string => `${tool}${RECORD}`

export const RECORD = '.meta.json'

/** Checksums of a file's chunks. */
export const CHUNKS = '.chunks.json'

/** The folder of a backup of this system that a path lies in; undefined for other files. */
export const folderOf = (path: string): string | undefined => /^[^/]+\/[^/]+_\d+\/\d{9,}(?=\/)/.exec(path)?.[0]
