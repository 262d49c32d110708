// The archives of all clusters: what each server's is built from, by its cluster's settings.

import { choosePathContext, softwareOfImage } from '../../../lib/configure/index.js'
import { addressText } from '../../../lib/model/server/server.js'
import { serverId } from '../../../lib/model/server/server-id.js'
import { exportSettings, type Settings } from '../../../lib/settings/index.js'
import { splitAddress } from '../../../lib/settings/kit/address.js'
import type { ArchiveInput, CertificateSource } from '../../archive/index.js'
import type { SoftwareRecords } from '../configuration/software.js'
import { serverDirectory } from './needs.js'

/** One input per configured server. A server that never reported its software gets the one of the configured image. */
export function archiveInputs(
  cluster: string,
  settings: Settings,
  software: SoftwareRecords = {},
): readonly ArchiveInput[] {
  const plain = exportSettings(settings)
  const orchestrator = settings['prov-orchestrator']
  const tags = settings['prov-db-tags']
  const certificates = certificateSource(settings)
  const otherwise = softwareOfImage(settings['prov-db-docker-img']) ?? { flavour: 'mariadb' as const }
  const peers = settings['db-servers-hosts'].flatMap((entry) => splitAddress(entry) ?? [])
  return peers.map((address) => {
    const directory = serverDirectory(settings['monitoring-datadir'], cluster, address)
    const server = { ...address, id: serverId(cluster, addressText(address)) }
    return {
      ...{ cluster, server, peers, certificates, settings: plain },
      software: software[addressText(address)] ?? otherwise,
      context: choosePathContext({ orchestrator, tags, directory, cluster, server }),
    }
  })
}

/** Files where the settings name those of a server, otherwise certificates issued by the manager. */
export function certificateSource(settings: Settings): CertificateSource {
  const hosts = settings['db-servers-hosts'].flatMap((entry) => splitAddress(entry)?.host ?? [])
  const [serverCert, serverKey] = [settings['db-servers-tls-server-cert'], settings['db-servers-tls-server-key']]
  if (serverCert === '' && serverKey === '') return { hosts }
  const [clientCert, clientKey] = [settings['db-servers-tls-client-cert'], settings['db-servers-tls-client-key']]
  return {
    hosts,
    files: {
      ...{ ca: settings['db-servers-tls-ca-cert'], serverCert, serverKey },
      ...(clientCert && clientKey ? { clientCert, clientKey } : {}),
    },
  }
}
