// The other instances that share the fleet, as the gateway reaches them and as they reach it.
import type { ForwardedRequest } from '../../../lib/lease/index.js'

export interface Peer {
  readonly id: string
  /** Of its API. */
  readonly address: string
  /** SHA-256 fingerprint of the certificate that it shows there. */
  readonly certificate: string
}

export interface Peers {
  /** From now on the API here shows the certificate of this fingerprint. */
  listens(certificate: string): void
  /** The instance that owns the cluster, where it is another one and has said how it is reached. */
  ownerOf(cluster: string): Peer | undefined
  /** The text that goes with a request to another instance. */
  seal(to: Peer, request: Omit<ForwardedRequest, 'from' | 'to' | 'at'>): string
  /** What such a text says; undefined unless a living instance of this fleet has sealed it for this one just now. */
  open(text: string): ForwardedRequest | undefined
}
