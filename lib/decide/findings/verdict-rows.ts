// Findings that follow from the failover verdict: vetoes while the primary is down, and servers that cannot be elected.
import { explainedOnly } from '../../model/explained.js'
import { findServer } from '../../model/snapshot.js'
import { ineligibleCodes } from '../failover/election/eligibility.js'
import { vetoCodes } from '../failover/veto/vetoes.js'
import { hasFailed } from '../situation/state-name.js'
import { type ClusterRow, type FindingInput, isBetweenSources, type ServerRow, when } from './row.js'

/** WARN0023 is a finding of the primary, not of the cluster. */
const ofPrimary = 'WARN0023'

/** Why the manager does not fail over although the primary is down. */
export const vetoRows: readonly ClusterRow[] = [
  ...vetoCodes
    .filter((code) => code !== ofPrimary && !explainedOnly.includes(code))
    .map(
      (code): ClusterRow => ({
        code,
        detail: (input) =>
          downPrimary(input) &&
          input.verdict.rows.findLast((row) => row.code === code && row.state === 'closed')?.sentence,
      }),
    ),
  {
    code: 'ERR00016',
    detail: (input) => {
      const receives = ({ rule, state }: FindingInput['verdict']['rows'][number]) =>
        rule === 'failover-falsepositive-heartbeat' && state === 'closed'
      return input.verdict.rows.some(receives) ? downPrimary(input)?.name : undefined
    },
  },
]

export const failedPrimaryRow: ServerRow = {
  code: ofPrimary,
  detail: (server, input) =>
    when(downPrimary(input)?.id === server.id && hasFailed(server, input.situation.settings), server.name),
}

/** Shown already: by the state of the server or the settings, or by a finding of the server. */
const implied: ReadonlySet<string> = new Set([
  ...explainedOnly,
  'ERR00117',
  'ERR00124',
  'ERR00125',
  'ERR00128',
  'WARN0257',
  'WARN0268',
])

/** A plan stops the receivers of replicas on its way, and their appliers: that is no finding. */
const [receiverStopped, applierStopped] = ['ERR00087', 'ERR00042']

/** Why a server could not be elected, at any time. */
export const candidateRows: readonly ServerRow[] = ineligibleCodes
  .filter((code) => !implied.has(code))
  .map((code) => ({
    code,
    detail: (server, { situation, ranking }) => {
      const { snapshot } = situation
      const row = ranking.get(server.id)
      if (row?.code !== code || !hasElection(snapshot)) return undefined
      if (code === applierStopped && isBetweenSources(server, situation)) return undefined
      const { operation } = snapshot
      return operation && (code === receiverStopped || server.id === operation.oldPrimary) ? undefined : row.reason
    },
  }))

const hasElection = ({ primary, topology }: FindingInput['situation']['snapshot']): boolean =>
  primary !== undefined && topology !== 'active-passive' && topology !== 'galera'

/** The primary that does not answer, while nothing explains it: no operation, no maintenance, no stop on request. */
function downPrimary({ situation: { snapshot } }: FindingInput) {
  const primary = findServer(snapshot, snapshot.primary)
  if (!primary || !hasElection(snapshot) || snapshot.operation) return undefined
  const isDown = primary.observation === 'refused' || primary.observation === 'silent'
  return isDown && !primary.maintenance && !primary.stoppedOnRequest ? primary : undefined
}
