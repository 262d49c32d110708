// The user behind a request, as routes and the manager ask about it.

/** Who sends a request, after login: a name and what it may do, per cluster. */
export interface Caller {
  readonly user: string
  readonly address: string
  /** Id of the API token it came with, when it did not log in. */
  readonly apiToken?: string
  /** Whether the grants open `grant` on the cluster ('' for things of no cluster). */
  may(grant: string, cluster: string): boolean
  /** Whether the user has any grant there: whether lists show the cluster to it. */
  sees(cluster: string): boolean
}
