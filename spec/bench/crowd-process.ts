// Requests at an even pace from a process of their own, with forged tokens or none.
import { Agent, get } from 'node:http'
import { sleep } from '../../lib/base/time.js'
import { answer } from './child.js'

export interface Pace {
  readonly url: string
  /** Requests a second. */
  readonly rate: number
  readonly seconds: number
  /** A genuine token, whose forgeries are sent: half begin and look like it, so that only RSA distinguishes them. */
  readonly forge?: string
}

const TICK_MS = 10

function forgery(token: string, index: number): string {
  if (index % 2 === 0) return `${index}.not.even.like.one`
  const parts = token.split('.')
  const body = `${index}`.padStart(12, 'A') + (parts[1] ?? '').slice(12)
  return parts.with(1, body).join('.')
}

export const crowdAnswers = {
  /** Milliseconds that each answer took, and the statuses. */
  async ask({ url, rate, seconds, forge }: Pace) {
    const agent = new Agent({ keepAlive: true, maxSockets: 64 })
    const times: number[] = []
    const statuses: Record<number, number> = {}
    const running: Promise<void>[] = []
    const one = (index: number) =>
      new Promise<void>((resolve) => {
        const startedAt = performance.now()
        const headers = forge === undefined ? {} : { Authorization: `Bearer ${forgery(forge, index)}` }
        const end = (status: number) => {
          times.push(performance.now() - startedAt)
          statuses[status] = (statuses[status] ?? 0) + 1
          resolve()
        }
        get(url, { agent, headers }, (response) => {
          response.resume().once('end', () => end(response.statusCode ?? 0))
        }).once('error', () => end(0))
      })
    const startedAt = performance.now()
    let sent = 0
    while (performance.now() - startedAt < seconds * 1_000) {
      const due = Math.floor(((performance.now() - startedAt) / 1_000) * rate)
      for (; sent < due; sent += 1) running.push(one(sent))
      await sleep(TICK_MS)
    }
    await Promise.all(running)
    agent.destroy()
    return { times, statuses, sent }
  },
}

answer(crowdAnswers)
