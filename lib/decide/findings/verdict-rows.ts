// Findings that follow from the failover verdict: vetoes while the primary is down, and servers that cannot be elected.
import { explainedOnly } from '../../model/explained.js'
import { findings as registry } from '../../model/findings.js'
import { isMinor } from '../../model/operation/operation.js'
import { findServer } from '../../model/snapshot.js'
import { ineligibleCodes } from '../failover/election/eligibility.js'
import { standsInTheWay, vetoCodes } from '../failover/veto/vetoes.js'
import { hasFailed } from '../situation/state-name.js'
import { isWriter } from '../situation/validity.js'
import { isShortAbsence, meantToTakeOver } from './protection.js'
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

/** Where only a warning has the reason, the cluster as a whole is in error all the same: no client can write, or none could soon. */
export const standingRows: readonly ClusterRow[] = [
  {
    code: 'ERR00191',
    detail: (input) => closedText(input) ?? deadText(input),
  },
  {
    code: 'ERR00192',
    detail: (input) => (isShortAbsence(input) ? undefined : unprotectedText(input)),
  },
]

/** The primary takes writes, and no server that is meant to could take over. */
function unprotectedText({ situation: { snapshot, memory }, verdict }: FindingInput): string | undefined {
  const primary = findServer(snapshot, snapshot.primary)
  if (!primary || !isWriter(primary) || !hasElection(snapshot) || isMajor(snapshot)) return undefined
  // A repair or a rejoin that stops the only replica for a moment takes no protection away; one that finds none gives none.
  const { operation } = snapshot
  if (operation && (memory.unprotectedSince ?? Number.POSITIVE_INFINITY) >= operation.startedAt) return undefined
  const meant = meantToTakeOver(snapshot)
  if (meant.length === 0 || meant.some(({ observation }) => observation === 'unseen')) return undefined
  return verdict.rows.find(({ rule, state }) => rule === 'candidate' && state === 'closed')?.sentence
}

/** The primary answers, was set read-only by a person or is not to be changed, so that nobody opens it. */
function closedText({ situation: { snapshot, memory, settings } }: FindingInput): string | undefined {
  const primary = findServer(snapshot, snapshot.primary)
  if (!primary?.state?.readOnly || primary.observation !== 'answered' || primary.maintenance) return undefined
  if (isMajor(snapshot) || !hasElection(snapshot)) return undefined
  const why = [
    ...(memory.closedByHand ? ['was set read-only manually'] : []),
    ...(settings['monitoring-observe'] ? ['is only observed (monitoring-observe)'] : []),
    ...(settings['monitoring-pause'] ? ['is in a paused cluster (monitoring-pause)'] : []),
  ]
  return why.length === 0 ? undefined : `${primary.name} is read-only and ${why.join(' and ')}.`
}

/** The primary is dead, the manager does not replace it now, and no error has the reason. */
function deadText(input: FindingInput): string | undefined {
  const { situation, verdict } = input
  const primary = downPrimary(input)
  if (!primary || !hasFailed(primary, situation.settings) || !verdict.primaryDead || verdict.wouldFailOver)
    return undefined
  const blocking = verdict.rows.filter(standsInTheWay)
  const isReported = blocking.some(({ code }) => !explainedOnly.includes(code) && registry[code].severity === 'error')
  return isReported
    ? undefined
    : [`${primary.name} does not answer.`, ...blocking.map(({ sentence }) => sentence)].join(' ')
}

const hasElection = ({ primary, topology }: FindingInput['situation']['snapshot']): boolean =>
  primary !== undefined && topology !== 'active-passive' && topology !== 'galera'

/** A repair or a rejoin of a server explains nothing that is found of the primary: else each would close findings and open them again. */
const isMajor = ({ operation }: FindingInput['situation']['snapshot']): boolean =>
  operation !== undefined && !isMinor(operation)

/** The primary that does not answer, while nothing explains it: no failover, switchover or formation, no maintenance, no stop on request. */
function downPrimary({ situation: { snapshot } }: FindingInput) {
  const primary = findServer(snapshot, snapshot.primary)
  if (!primary || !hasElection(snapshot) || isMajor(snapshot)) return undefined
  const isDown = primary.observation === 'refused' || primary.observation === 'silent'
  return isDown && !primary.maintenance && !primary.stoppedOnRequest ? primary : undefined
}
