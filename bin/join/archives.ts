// The archives of all clusters: what each server's is built from, by its cluster's settings.
import type { ArchiveInput } from '../../actors/archive/input.js'
import { choosePathContext } from '../../lib/configure/index.js'
import { addressText } from '../../lib/model/server.js'
import { serverId } from '../../lib/model/server-id.js'
import { splitAddress } from '../../lib/settings/address.js'
import { exportSettings, type Settings } from '../../lib/settings/index.js'
import { serverDirectory } from './needs.js'

/** One input per configured server. Software is the default flavour until the server tells another. */
export function archiveInputs(cluster: string, settings: Settings): readonly ArchiveInput[] {
  const plain = exportSettings(settings)
  const orchestrator = settings['prov-orchestrator']
  const tags = settings['prov-db-tags']
  const peers = settings['db-servers-hosts'].flatMap((entry) => splitAddress(entry) ?? [])
  return peers.map((address) => {
    const directory = serverDirectory(settings['monitoring-datadir'], cluster, address)
    const server = { ...address, id: serverId(cluster, addressText(address)) }
    return {
      ...{ cluster, server, peers, settings: plain },
      software: { flavour: 'mariadb' as const },
      context: choosePathContext({ orchestrator, tags, directory, cluster, server }),
    }
  })
}
