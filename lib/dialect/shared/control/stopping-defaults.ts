// Defaults that a server gives to new sessions and that stop replication: its threads, and those of its replicas, begin with them.
import { type Named, textOf } from '../../../model/server/named.js'
import type { ServerIdentity } from '../../../model/server/server.js'

type Flavour = ServerIdentity['flavour']

interface StoppingDefault {
  readonly flavour: Flavour
  /** In lower case. */
  readonly variable: string
  /** Values that stop it, in upper case; what was tried and does not is not among them. */
  readonly values: readonly string[]
  /** Whose replication: its own as a replica, or that of the servers that follow it. */
  readonly stops: 'own' | 'followers'
  readonly means: string
  readonly repair: string
}

/** Seen on MariaDB 10.11 (1593: the receiver's SELECT has no row), and on MySQL 9 (transaction_read_only: 13122 and 13117 when replication starts; the others 13117 when a replica connects). */
export const stoppingDefaults: readonly StoppingDefault[] = [
  {
    flavour: 'mariadb',
    variable: 'sql_select_limit',
    values: ['0'],
    stops: 'followers',
    means: 'the receivers of its replicas end (1593) when they connect next',
    repair: 'SET GLOBAL sql_select_limit = DEFAULT',
  },
  {
    flavour: 'mysql',
    variable: 'transaction_read_only',
    values: ['ON', '1'],
    stops: 'own',
    means: 'receiver and applier end (13122, 13117) when they start next',
    repair: 'SET PERSIST transaction_read_only = OFF',
  },
  {
    flavour: 'mysql',
    variable: 'character_set_results',
    values: ['UCS2', 'UTF16', 'UTF16LE', 'UTF32'],
    stops: 'followers',
    means: 'the receivers of its replicas end (13117) when they connect next',
    repair: 'SET PERSIST character_set_results = utf8mb4',
  },
]

export interface FoundDefault extends Pick<StoppingDefault, 'stops' | 'means' | 'repair'> {
  /** `transaction_read_only=ON`. */
  readonly text: string
}

/** Those that a server has, by its variables. */
export const stoppingIn = (flavour: Flavour, variables: Named | undefined): readonly FoundDefault[] =>
  stoppingDefaults.flatMap(({ flavour: of, variable, values, ...rest }) => {
    const value = of === flavour ? textOf(variables, variable) : undefined
    return value !== undefined && values.includes(value.toUpperCase())
      ? [{ ...rest, text: `${variable}=${value}` }]
      : []
  })
