// A backup as a value: a valid logical one, except for what a spec says.
import type { Backup } from '../../../lib/model/backup.js'

export const backupOf = (more: Partial<Backup> = {}): Backup => ({
  ...{ id: 1_795_412_345, cluster: 'shop', kind: 'logical', tool: 'mysqldump', toolVersion: '10.19', strategy: 'full' },
  ...{ server: 'db1', host: 'db1.example', port: 3306, flavour: 'mariadb', version: '10.11.19-MariaDB-log' },
  ...{ state: 'valid', startedAt: 1_795_412_345_000, place: 'directory', path: 'shop/db1.example_3306/1795412345' },
  ...{ size: 1_000, rawSize: 4_000, compression: 'zstd' },
  ...more,
})
