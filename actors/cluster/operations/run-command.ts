// One command on request, outside any operation.
import { withDeadline } from '../../../lib/base/deadline.js'
import { ok, type Result } from '../../../lib/base/result.js'
import { SECOND } from '../../../lib/base/time.js'
import type { Command } from '../../../lib/model/operation/command.js'
import type { Cluster } from '../state/message/cluster.js'
import type { Watch } from '../watch/watch.js'

/** Longest time of a single command. */
const COMMAND_MS = 10 * SECOND

/** A running cluster that can perform commands. */
export interface Commanding extends Pick<Cluster, 'context'> {
  readonly watch: Pick<Watch, 'probeFresh'>
  readonly perform: (command: Command, signal: AbortSignal) => Promise<Result<string>>
}

/** Performs it, then probes what it changed: the next read shows it. */
export async function runCommand(actor: Commanding, command: Command): Promise<Result<void>> {
  const performed = await withDeadline(actor.context.signal, COMMAND_MS, (signal) => actor.perform(command, signal))
  await actor.watch.probeFresh('server' in command ? command.server : undefined)
  return performed.ok ? ok(undefined) : performed
}
