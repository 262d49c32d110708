// The paths of a server of the local orchestrator: everything below `{working-dir}/{cluster}/{host}_{port}`.
import path from 'node:path'
import { serverFolder } from '../../../configure/index.js'
import { addressText, type ServerAddress } from '../../../model/server/server.js'
import { DATA_MARK } from '../../index.js'
import type { Daemon } from './process.js'

export interface Site extends Daemon {
  readonly address: ServerAddress
  readonly directory: string
  readonly archive: string
  /** The unpacked archive; a link that moves with each new one. */
  readonly init: string
  /** The configuration of the server. */
  readonly configFile: string
  readonly dataDir: string
  /** In the data folder: the manager created it. */
  readonly mark: string
  /** Socket, pid file, output. */
  readonly runDir: string
  readonly errorLog: string
  /** Statements of the first start; kept until they were executed. */
  readonly initFile: string
}

export function serverSite(workingDir: string, cluster: string, address: ServerAddress): Site {
  const directory = path.resolve(workingDir, serverFolder(cluster, address))
  const below = (...steps: readonly string[]) => path.join(directory, ...steps)
  const configFile = below('init/etc/mysql/my.cnf')
  return {
    ...{ name: addressText(address), address, directory, home: directory, workDir: below('data') },
    archive: below('config.tar.gz'),
    init: below('init'),
    configFile,
    isOwn: (words) =>
      words.includes(`--defaults-file=${configFile}`) && words.some((word) => /(^|\/)(mariadbd|mysqld)$/.test(word)),
    dataDir: below('data'),
    mark: below('data', DATA_MARK),
    runDir: below('run'),
    pidFile: below('run/mysqld.pid'),
    outputFile: below('run/output.log'),
    errorLog: below('data/.system/logs/error.log'),
    initFile: below('run/init.sql'),
  }
}
