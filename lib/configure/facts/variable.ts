// A variable of the rules: its meaning, its input, and its scope.
import type { ServerAddress } from '../../model/server/server.js'
import type { MemoryPlan } from './memory.js'
import type { ConfiguredServer, PathContext, Paths } from './paths.js'
import type { Resources } from './resources.js'

export interface VariableInput {
  readonly cluster: string
  readonly server: ConfiguredServer
  /** All servers of the cluster, this one included; only used for Galera and group replication. */
  readonly peers: readonly ServerAddress[]
  readonly resources: Resources
  readonly memory: MemoryPlan
  readonly context: PathContext
  readonly paths: Paths
}

/**
 * `resources`: equal for all servers, of whatever cluster, with equal tags and resources; `server`: of one server;
 * `place`: of one server unless in a container.
 */
export type VariableScope = 'resources' | 'server' | 'place'

export interface Variable {
  readonly meaning: string
  readonly scope: VariableScope
  readonly compute: (input: VariableInput) => string
  /** Reason of the value; written as a comment above the option. */
  readonly why?: (input: VariableInput) => string
}
