// What other settings would have decided: two runs over the same messages, up to the first decision in which they differ. Pure.
import type { ReplayedStep } from '../../actors/cluster/recording/replay.js'
import type { ClusterState } from '../../actors/cluster/state/state.js'
import { findingText } from '../../actors/cluster/state/step/changes.js'
import { isoTime } from '../../lib/base/time.js'
import { findingKey } from '../../lib/model/finding.js'
import { namesOf, renderVerdict } from './render.js'

/** Findings that only one of two states has. */
export function renderFindings(recorded: ClusterState, other: ClusterState): readonly string[] {
  const keys = ({ snapshot }: ClusterState) => new Set(snapshot.findings.map(findingKey))
  const [had, has] = [keys(recorded), keys(other)]
  return [
    ...other.snapshot.findings
      .filter((finding) => !had.has(findingKey(finding)))
      .map((finding) => `  finding with these settings only: ${finding.code} ${findingText(finding)}`),
    ...recorded.snapshot.findings
      .filter((finding) => !has.has(findingKey(finding)))
      .map((finding) => `  finding with the recorded settings only: ${finding.code} ${findingText(finding)}`),
  ]
}

/** Whether two runs decided different things at a message. */
export const isDifferent = (recorded: ReplayedStep, other: ReplayedStep): boolean =>
  recorded.decided.join('\n') !== other.decided.join('\n')

/** The first difference, what the other settings rested on, and how far the answer goes. */
export function renderDifference(recorded: ReplayedStep, other: ReplayedStep): readonly string[] {
  const name = namesOf(other.state)
  return [
    `${isoTime(recorded.line.at)}  the first decision that differs, at the message ${recorded.line.message}${recorded.line.about === undefined ? '' : ` of ${name(recorded.line.about)}`}:`,
    `  as recorded: ${renderDecided(recorded.decided, recorded.state)}`,
    `  with these settings: ${renderDecided(other.decided, other.state)}`,
    ...renderVerdict(other.state.verdict, name),
    ...renderFindings(recorded.state, other.state),
    'From here on what was recorded follows from the recorded decisions, not from these: no answer can be given beyond this moment.',
  ]
}

/** Decisions with the names of servers in place of their ids. */
export const renderDecided = (decided: readonly string[], { snapshot }: ClusterState): string =>
  decided.length === 0
    ? 'nothing'
    : snapshot.servers.reduce((text, { id, name }) => text.replaceAll(id, name), decided.join('; '))
