// The certificates of a cluster as the API shows them.
import { X509Certificate } from 'node:crypto'
import { isRotating, type Material } from '../../../lib/tls/index.js'
import type { CertificateView } from '../../protocol/manager/certificate-view.js'

/** With the client's key in clear text: the route masks it for users without the grant. */
export const viewCertificates = (material: Material): CertificateView => ({
  clientCert: material.client.cert,
  clientKey: material.client.key,
  caCert: material.ca,
  serverCert: material.server.cert,
  rotating: isRotating(material),
  client: factsOf(material.client.cert),
  server: factsOf(material.server.cert),
  ca: factsOf(material.ca),
})

/** Of the first certificate of a text: the one in force. */
function factsOf(text: string): CertificateView['ca'] {
  const { subject, issuer, validFrom, validTo, fingerprint256 } = new X509Certificate(text)
  const date = (written: string) => new Date(written).toISOString()
  return {
    ...{ subject: subject.replaceAll('\n', ', '), issuer: issuer.replaceAll('\n', ', ') },
    ...{ notBefore: date(validFrom), notAfter: date(validTo), fingerprint: fingerprint256 },
  }
}
