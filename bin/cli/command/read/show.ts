// `show`: many reads of every cluster as one document, for scripts.
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { Session } from '../../../../http/client/session.js'
import { type ShowTopic, showTopics } from '../../../../http/client/wire.js'
import { call, readClusters } from '../../kit/connect.js'
import type { Context } from '../../kit/context.js'
import { present } from '../../kit/present.js'
import { canWatch } from '../../kit/watchable.js'

const topicNames = Object.keys(showTopics) as ShowTopic[]

/** `clusters` selects only the names, which are always included. */
const words: readonly string[] = ['clusters', ...topicNames]

export function addShow(program: Command, { flags, session }: Context): void {
  canWatch(program.command('show'))
    .description('settings, servers, alerts and more of every cluster (or the one named) as one JSON document')
    .addOption(
      new Option('--get <topics>', `what to show: ${words.join(', ')}`)
        .default(topicNames, 'all')
        .argParser(parseTopics),
    )
    .action(async ({ get }: { readonly get: readonly ShowTopic[] }) => {
      const { cluster, output, ...rest } = flags()
      const read = async () =>
        readShow(session(), cluster === undefined ? await readClusters(session()) : [cluster], get)
      await present({ ...rest, output: output === 'table' ? 'json' : output }, { read, render: () => '' })
    })
}

/** One entry per cluster: its name and, by topic, what the API answers. */
export async function readShow(
  session: Session,
  clusters: readonly string[],
  topics: readonly ShowTopic[],
): Promise<{ readonly clusters: readonly Readonly<Record<string, unknown>>[] }> {
  const entries: Readonly<Record<string, unknown>>[] = []
  for (const name of clusters) {
    const values = topics.map(
      async (topic) => [topic, await call(session, showTopics[topic], { params: { cluster: name } })] as const,
    )
    entries.push({ Name: name, ...Object.fromEntries(await Promise.all(values)) })
  }
  return { clusters: entries }
}

function parseTopics(text: string): readonly ShowTopic[] {
  const asked = text.split(',').map((word) => word.trim())
  const wrong = asked.filter((word) => !words.includes(word))
  if (wrong.length > 0) throw new InvalidArgumentError(`${wrong.join(', ')}: expected some of ${words.join(', ')}.`)
  return topicNames.filter((topic) => asked.includes(topic))
}
