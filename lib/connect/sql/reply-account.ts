// Memory of one server's replies: one sum over all its sessions of this thread, since each is bounded only on its own.

export interface Holder {
  /** What its reply takes at present, bytes; kept by the account. */
  held: number
  /** Ends the session, whose reply is the largest of its server. */
  exceed(reason: string): void
}

/** By server; gone with the last session. */
const accounts = new Map<string, ReplyAccount>()

/** The account of a server, which the session takes part in until it leaves. */
export function joinAccount(server: string, holder: Holder): ReplyAccount {
  const account = accounts.get(server) ?? new ReplyAccount(server)
  accounts.set(server, account)
  account.join(holder)
  return account
}

/** Servers that have an account. */
export const accountCount = (): number => accounts.size

class ReplyAccount {
  readonly #server: string
  readonly #holders = new Set<Holder>()
  #sum = 0

  constructor(server: string) {
    this.#server = server
  }

  join(holder: Holder): void {
    this.#holders.add(holder)
  }

  /**
   * The reply of `holder` takes so many bytes; 0: it is done. Beyond `most` the session with the largest reply ends: the
   * small ones of probes continue, so that reads which take much never make their server look dead.
   */
  hold(holder: Holder, bytes: number, most: number): void {
    this.#sum += bytes - holder.held
    holder.held = bytes
    if (this.#sum <= most) return
    const largest = [...this.#holders].reduce((left, right) => (right.held > left.held ? right : left))
    largest.exceed(`the replies of this server take more than ${most} bytes at once, this one ${largest.held}`)
  }

  leave(holder: Holder): void {
    if (!this.#holders.delete(holder)) return
    this.#sum -= holder.held
    holder.held = 0
    if (this.#holders.size === 0) accounts.delete(this.#server)
  }
}

export type { ReplyAccount }
