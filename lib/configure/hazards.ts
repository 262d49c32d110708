// Why nothing is applied to running servers: with what they would then have, a switchover would break replication.

/** A server with the values that it has after the application; by name. */
export interface Prospect {
  readonly name: string
  readonly variables: Readonly<Record<string, string>>
}

interface HazardInput {
  readonly servers: readonly Prospect[]
  /** Tags of the cluster. */
  readonly tags: readonly string[]
}

const valuesOf = (servers: readonly Prospect[], name: string): readonly (readonly [server: string, value: string])[] =>
  servers.flatMap(({ name: server, variables }) => {
    const value = variables[name]
    return value === undefined ? [] : [[server, value] as const]
  })

const listed = (values: readonly (readonly [server: string, value: string])[]): string =>
  values.map(([server, value]) => `${server} ${value}`).join(', ')

const differing = (servers: readonly Prospect[], name: string) => {
  const values = valuesOf(servers, name)
  return new Set(values.map(([, value]) => value.toLowerCase())).size > 1 ? values : []
}

/** Each answers its sentence where it holds. */
const hazards: readonly ((input: HazardInput) => string | undefined)[] = [
  ({ servers }) => {
    const values = valuesOf(servers, 'server_id')
    const twins = values.filter(([, value]) => values.filter(([, other]) => other === value).length > 1)
    return twins.length === 0 ? undefined : `server_id is not unique: ${listed(twins)}`
  },
  ({ servers, tags }) => {
    const values = tags.includes('multidomains') ? [] : differing(servers, 'gtid_domain_id')
    return values.length === 0 ? undefined : `gtid_domain_id differs: ${listed(values)}`
  },
  // A replica that logs statements cannot log the row events of its source (error 1666).
  ({ servers }) => {
    const values = differing(servers, 'binlog_format')
    const mixed = values.some(([, value]) => value.toUpperCase() === 'STATEMENT')
    return mixed ? `binlog_format differs: ${listed(values)}` : undefined
  },
  ({ servers }) => {
    const values = differing(servers, 'lower_case_table_names')
    return values.length === 0 ? undefined : `lower_case_table_names differs: ${listed(values)}`
  },
]

/** A sentence for every hazard; none where a switchover would work. */
export const switchoverHazards = (input: HazardInput): readonly string[] =>
  hazards.flatMap((hazard) => hazard(input) ?? [])
