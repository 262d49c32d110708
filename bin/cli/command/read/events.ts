// `events`: what happens in a cluster, as it happens.
import type { Command } from 'commander'
import { followEvents, openEvents, type StreamItem } from '../../../../http/client/events.js'
import { chooseCluster } from '../../kit/connect.js'
import type { Context } from '../../kit/context.js'
import { renderItem } from '../../kit/event-line.js'
import { exitOfFailure, exitOfReply } from '../../output/exit.js'
import { format, type OutputRequest, print, talk } from '../../output/output.js'
import { queryValue } from '../../output/query.js'

export function addEvents(program: Command, { flags, session }: Context): void {
  program
    .command('events')
    .description('findings, states, operations and steps of a cluster as they happen, until interrupted')
    .action(() => showEvents({ flags, session }))
}

/** Prints every event from now on; ends on an interrupt or when the manager refuses the client. */
export async function showEvents({ flags, session }: Context): Promise<void> {
  const cluster = await chooseCluster(session(), flags())
  const opened = await openEvents(session(), cluster)
  if (!opened.ok) throw exitOfFailure(opened.failure)
  if (opened.value.type === 'refused') throw exitOfReply(opened.value.reply)
  talk(`Events of ${cluster} from now on; an interrupt ends this.`)
  for await (const item of followEvents(session(), cluster, opened.value.response)) {
    if (item.type === 'failed') throw exitOfFailure(item.failure)
    if (item.type === 'refused') throw exitOfReply(item.reply)
    await show(item, flags())
  }
}

/** Programs read one event a line (JSON) or a document (YAML); remarks of the client go to standard error. */
async function show(item: StreamItem, { output, query }: OutputRequest): Promise<void> {
  if (item.type !== 'event') return talk(renderItem(item, process.stderr))
  if (output === 'json') return print(JSON.stringify(query === undefined ? item.event : queryValue(item.event, query)))
  print(
    await format({ output, ...(query === undefined ? {} : { query }) }, item.event, () =>
      renderItem(item, process.stdout),
    ),
  )
}
