// Fills an empty database from another one by the script that runs where the empty one is.
import { sharePath } from '../base/package-root.js'
import { addressText, type ServerAddress } from '../model/server/server.js'
import type { Login } from './database-login.js'

export interface FillTask {
  readonly donor: ServerAddress
  readonly target: ServerAddress
  /** The monitor's account, valid on both ends. */
  readonly login: Login
  readonly dataDir: string
  /** The folder of a server that is installed separately; '' for programs of the system. */
  readonly baseDir: string
  /** Files on the host where the script runs; absent: TLS without them. */
  readonly tlsFiles?: { readonly ca?: string; readonly cert?: string; readonly key?: string }
}

export const fillScript = (): string => sharePath('scripts/onpremise', 'fill.sh')

/** The environment of the script. The password is only there: in no argument and no file. */
export function fillEnvironment({
  donor,
  target,
  login,
  dataDir,
  baseDir,
  tlsFiles,
}: FillTask): Record<string, string> {
  return {
    MANAGER_DONOR_HOST: donor.host,
    MANAGER_DONOR_PORT: `${donor.port}`,
    MANAGER_HOST: target.host,
    MANAGER_PORT: `${target.port}`,
    MANAGER_USER: login.user,
    MANAGER_PASSWORD: login.password,
    MANAGER_DATADIR: dataDir,
    MANAGER_BASEDIR: baseDir,
    MANAGER_TLS: login.tls ? 'true' : '',
    MANAGER_TLS_CA: tlsFiles?.ca ?? '',
    MANAGER_TLS_CERT: tlsFiles?.cert ?? '',
    MANAGER_TLS_KEY: tlsFiles?.key ?? '',
  }
}

/** The log line of a copy. */
export const fillText = ({ donor, target }: Pick<FillTask, 'donor' | 'target'>): string =>
  `filling ${addressText(target)} from ${addressText(donor)}`
