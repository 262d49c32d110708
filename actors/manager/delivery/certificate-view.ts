// The certificates of a cluster as the API shows them.
import { certificateFacts, isRotating, type Material } from '../../../lib/tls/index.js'
import type { CertificateView } from '../../protocol/manager/certificate-view.js'

/** With the client's key in clear text: the route masks it for users without the grant. */
export const viewCertificates = (material: Material): CertificateView => ({
  clientCert: material.client.cert,
  clientKey: material.client.key,
  caCert: material.ca,
  serverCert: material.server.cert,
  rotating: isRotating(material),
  client: certificateFacts(material.client.cert),
  server: certificateFacts(material.server.cert),
  ca: certificateFacts(material.ca),
})
