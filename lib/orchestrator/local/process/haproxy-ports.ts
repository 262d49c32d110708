// The ports of an HAProxy that is to start, and whether another program has one of them.
import { done, fail, type Result } from '../../../base/result.js'
import { addressText, type ServerAddress } from '../../../model/server/server.js'
import { findListener } from './listener.js'

/**
 * HAProxy shares its ports with any other HAProxy of the same user (SO_REUSEPORT): both would run, and each would get some
 * of the connections, of clients and of the manager. So none is started beside another one. What the system refuses for
 * another reason HAProxy reports itself.
 */
export async function checkPortsFree(name: string, configuration: string): Promise<Result<void>> {
  for (const address of listensOn(configuration)) {
    if ((await findListener(address))?.code !== 'EADDRINUSE') continue
    return fail(
      'orchestrator-failed',
      `${name}: another program already listens on ${addressText(address)}; stop it, or configure another port for this proxy: haproxy-api-port or haproxy-servers, haproxy-write-port, haproxy-read-port, haproxy-stat-port`,
    )
  }
  return done
}

/** Where a configuration listens over TCP: its `bind` lines and its `stats socket` lines, all addresses of each. */
export function listensOn(configuration: string): readonly ServerAddress[] {
  return configuration.split('\n').flatMap((line) => {
    const [, list = ''] = /^\s*(?:bind|stats\s+socket)\s+(\S+)/.exec(line) ?? []
    return list.split(',').flatMap((each) => {
      const [, host = '', port] = /^(?:ipv[46]@)?((?![a-z]+@|\/).*):(\d+)$/.exec(each) ?? []
      if (port === undefined) return []
      return [{ host: host === '' || host === '*' ? '0.0.0.0' : host.replace(/^\[(.*)\]$/, '$1'), port: Number(port) }]
    })
  })
}
