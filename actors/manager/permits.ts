// Answers clusters whether the user that asked for a step of work still may have it: by the permissions in force at the question.
import type { MainLine } from '../kernel/line.js'
import type { JudgeAsker } from '../protocol/line.js'

/** `judge` is asked for at each question: until there is one, no question is answered, and the step waits. */
export function answerPermits(line: MainLine, judge: () => JudgeAsker | undefined): void {
  line.answer('permit', (asker, cluster) => {
    const judgeAsker = judge()
    const refusal = judgeAsker?.(asker, cluster)
    if (refusal !== undefined) return { refusal }
    return judgeAsker && {}
  })
}
