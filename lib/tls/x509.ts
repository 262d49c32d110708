// Loads the library that writes certificates, once and only where one is created: it takes a tenth of a second.
import type * as Library from '@peculiar/x509'

export type Extension = Library.Extension
export type CertificateParams = Parameters<typeof Library.X509CertificateGenerator.create>[0]

export async function loadX509(): Promise<typeof Library> {
  // It requires the polyfill first.
  await import('reflect-metadata')
  return import('@peculiar/x509')
}
