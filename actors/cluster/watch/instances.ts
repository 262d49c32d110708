// A cluster's side of whose server answers: asks the main thread about each that it has not seen before.
import type { Sighting } from '../../../lib/decide/watching/instances.js'
import { hasSameNames } from '../../../lib/model/server/instance.js'
import type { Line } from '../../kernel/line.js'
import type { ShownServer } from '../../protocol/line.js'

export interface InstanceHost {
  /** The servers as they were last seen. */
  shown(): readonly ShownServer[]
  /** The server turned out to be another cluster's, which has had it for longer. */
  revoked(server: string): void
}

/** Answers what the manager asks of the cluster. */
export function serveInstances(line: Pick<Line, 'say' | 'hear'>, { shown, revoked }: InstanceHost): void {
  line.hear('revoked', revoked)
  line.hear('sought', (instance) => {
    const servers = shown().filter((one) => hasSameNames(one.instance, instance))
    if (servers.length > 0) line.say('shown', servers)
  })
}

/** Why the server that answers is to be left alone; undefined: it is the cluster's. */
export async function judgeInstance(
  line: Pick<Line, 'ask'>,
  sighting: Omit<Sighting, 'cluster'>,
): Promise<string | undefined> {
  const answer = await line.ask('whose', sighting)
  return answer ? answer.refusal : 'the manager has not said yet whose server it is'
}
