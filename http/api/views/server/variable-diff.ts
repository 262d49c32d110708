// The variables in which replicas differ from their primary, as sent to clients.
import type { VariableDiff } from '../../../../lib/decide/findings/variable-diff.js'
import type { ServerId } from '../../../../lib/model/server/server.js'

export const renderVariableDiffs = (
  differences: readonly VariableDiff[],
  servers: readonly { readonly id: ServerId; readonly name: string }[],
) => {
  const names = new Map(servers.map(({ id, name }) => [id, name]))
  return differences.map(({ name, values }) => ({
    variableName: name.toUpperCase(),
    diffValues: values.map(({ server, value }) => ({
      serverName: names.get(server) ?? server,
      variableValue: value,
    })),
  }))
}
