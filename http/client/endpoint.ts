// Where the manager listens, and how far its certificate is believed.

export interface Endpoint {
  readonly host: string
  readonly port: number
  /** File of the CA (or the certificate itself) to trust, PEM. */
  readonly caFile?: string
  /** Accepts any certificate, and none. Loopback addresses need no such word. */
  readonly insecure: boolean
}
