// Listeners of a cluster's events in a process of their own: each notes how late every event came.
import { once } from 'node:events'
import { Agent, get, type IncomingMessage } from 'node:http'
import { now } from '../../lib/base/time.js'
import { answer } from './child.js'

export interface Listeners {
  readonly port: number
  readonly target: string
  readonly token: string
  readonly count: number
}

const late: number[] = []
const seen = new Set<number>()
const counts: number[] = []

function listen(response: IncomingMessage, index: number): void {
  let text = ''
  response.setEncoding('utf8').on('data', (chunk: string) => {
    const at = now()
    text += chunk
    const parts = text.split('\n\n')
    text = parts.pop() ?? ''
    for (const part of parts) {
      const [, id, happened] = /^id: (\d+)[\s\S]*?"at":([\d.]+)/.exec(part) ?? []
      if (id === undefined) continue
      late.push(at - Number(happened))
      seen.add(Number(id))
      counts[index] = (counts[index] ?? 0) + 1
    }
  })
}

export const listenerAnswers = {
  /** Resolves when all of them listen. */
  async start({ port, target, token, count }: Listeners): Promise<void> {
    const agent = new Agent({ maxSockets: count })
    const headers = { Authorization: `Bearer ${token}` }
    for (let index = 0; index < count; index += 1) {
      const [response] = await once(get({ host: '127.0.0.1', port, path: target, headers, agent }), 'response')
      if (response.statusCode !== 200) throw new Error(`listener ${index} was answered ${response.statusCode}`)
      listen(response, index)
    }
    // Events that only the first ones could hear do not count.
    late.length = 0
    seen.clear()
    counts.splice(0, counts.length, ...Array<number>(count).fill(0))
  },

  /** Milliseconds from each event to its arrival, how many events there were, and how many the worst listener got. */
  late: () => ({ late, events: seen.size, least: Math.min(...counts) }),
}

answer(listenerAnswers)
