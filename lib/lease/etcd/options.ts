// How etcd is reached: plain data, since it crosses threads.

export interface EtcdOptions {
  /** URLs of the members, `https://10.0.0.1:2379`. */
  readonly endpoints: readonly string[]
  /** Without a user nobody logs in. */
  readonly user: string
  readonly password: string
  /** PEM texts: the authority of the members, and the certificate that this instance shows. */
  readonly ca?: string
  readonly cert?: string
  readonly key?: string
}
