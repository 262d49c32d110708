// Answers clusters whether the user that asked for a step of work still may have it: by the permissions in force at the question.
import { BroadcastChannel } from 'node:worker_threads'
import { type JudgeAsker, type PermitMessage, permitChannel } from '../protocol/permits.js'

/** `judge` is asked for at each question: until there is one, no question is answered, and the step waits. */
export function answerPermits(
  workingDirectory: string,
  judge: () => JudgeAsker | undefined,
): { readonly close: () => void } {
  const channel = new BroadcastChannel(permitChannel(workingDirectory))
  channel.onmessage = (event: unknown) => {
    const { data } = event as { readonly data: PermitMessage }
    const judgeAsker = data.type === 'asked' ? judge() : undefined
    if (data.type !== 'asked' || !judgeAsker) return
    const refusal = judgeAsker(data.asker, data.cluster)
    const said = refusal === undefined ? {} : { refusal }
    channel.postMessage({ type: 'answered', id: data.id, ...said } satisfies PermitMessage)
  }
  ;(channel as { unref?: () => void }).unref?.()
  return { close: () => channel.close() }
}
