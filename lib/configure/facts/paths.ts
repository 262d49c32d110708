// Paths of a server's files: in a container, below the base folder of a package, or below its folder on this machine.
import type { ServerAddress, ServerId } from '../../model/server/server.js'

export type PathContext =
  /** A container or a packaged service with the paths of the distribution. */
  | { readonly kind: 'container' }
  /** Installed below a separate base folder: `{basedir}/var/lib/mysql`. */
  | { readonly kind: 'package'; readonly basedir: string }
  /** Run by the `local` orchestrator below the server's working folder. */
  | { readonly kind: 'local'; readonly directory: string }

/** The server that a configuration is for. */
export interface ConfiguredServer extends ServerAddress {
  readonly id: ServerId
}

/** A server's folder below the working folder: `{cluster}/{host}_{port}`. */
export const serverFolder = (cluster: string, { host, port }: ServerAddress): string => `${cluster}/${host}_${port}`

/** Absolute paths on the server's machine. */
export interface Paths {
  readonly dataDir: string
  /** The tree inside the data folder that holds what is not a table: `{dataDir}/.system`. */
  readonly systemDir: string
  /** Folder of my.cnf, rc.d, custom.d and ssl. */
  readonly configDir: string
  readonly socket: string
  readonly pidFile: string
}

export function placePaths(context: PathContext, server: ConfiguredServer): Paths {
  switch (context.kind) {
    case 'container':
      return below('', '/var/run/mysqld')
    case 'package':
      return below(context.basedir, `${context.basedir}/var/run/mysqld`)
    case 'local':
      return localPaths(context.directory, server)
  }
}

const below = (base: string, run: string): Paths => ({
  dataDir: `${base}/var/lib/mysql`,
  systemDir: `${base}/var/lib/mysql/.system`,
  configDir: `${base}/etc/mysql`,
  socket: `${run}/mysqld.sock`,
  pidFile: `${run}/mysqld.pid`,
})

/** A socket's path must fit 107 bytes (sockaddr_un); a deep working folder gets its socket below /tmp. */
const MOST_SOCKET_BYTES = 107

function localPaths(directory: string, server: ConfiguredServer): Paths {
  const socket = `${directory}/run/mysqld.sock`
  return {
    dataDir: `${directory}/data`,
    systemDir: `${directory}/data/.system`,
    configDir: `${directory}/init/etc/mysql`,
    socket: new TextEncoder().encode(socket).length <= MOST_SOCKET_BYTES ? socket : `/tmp/manager-${server.id}.sock`,
    pidFile: `${directory}/run/mysqld.pid`,
  }
}

/** Absolute paths of a proxy on its machine. */
export interface ProxyPaths {
  /** Folder of the files in `etc` of its tree. */
  readonly configDir: string
  readonly dataDir: string
  readonly tlsDir: string
  /** Socket of its administration. */
  readonly socket: string
  readonly pidFile: string
  /** States of its servers, written before it reads its configuration again. */
  readonly stateFile: string
}

/** HAProxy first binds a socket with a longer name, which must fit 107 bytes too. */
const MOST_PROXY_SOCKET_BYTES = 90

export function placeProxyPaths(
  context: PathContext,
  { id, software }: { readonly id: string; readonly software: string },
): ProxyPaths {
  if (context.kind === 'local') {
    const { directory } = context
    const socket = `${directory}/run/${software}.sock`
    const isShort = new TextEncoder().encode(socket).length <= MOST_PROXY_SOCKET_BYTES
    return {
      ...{
        configDir: `${directory}/init/etc`,
        dataDir: `${directory}/data`,
        tlsDir: `${directory}/init/etc/${software}/ssl`,
      },
      ...{ socket: isShort ? socket : `/tmp/manager-${id}.sock`, pidFile: `${directory}/run/${software}.pid` },
      stateFile: `${directory}/run/${software}.state`,
    }
  }
  const base = context.kind === 'package' ? context.basedir : ''
  return {
    ...{ configDir: `${base}/etc`, dataDir: `${base}/var/lib/${software}`, tlsDir: `${base}/etc/${software}/ssl` },
    ...{ socket: `${base}/var/run/${software}.sock`, pidFile: `${base}/var/run/${software}.pid` },
    stateFile: `${base}/var/lib/${software}/servers.state`,
  }
}

/** The context that orchestrator and tags ask for; `directory` is the server's working folder on this machine. */
export function choosePathContext(choice: {
  readonly orchestrator: string
  readonly tags: readonly string[]
  readonly directory: string
  readonly cluster: string
  readonly server: ServerAddress
}): PathContext {
  const { orchestrator, tags, directory, cluster, server } = choice
  if (orchestrator === 'local') return { kind: 'local', directory }
  if (!tags.includes('pkg') && !tags.includes('package')) return { kind: 'container' }
  return { kind: 'package', basedir: `/var/lib/manager/${serverFolder(cluster, server)}` }
}
