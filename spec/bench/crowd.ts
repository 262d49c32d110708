// How long role checks take while bad tokens come in thousands.
import { sleep } from '../../lib/base/time.js'
import { startChild } from './child.js'
import type { crowdAnswers } from './crowd-process.js'
import type { gatewayAnswers } from './gateway-process.js'
import { quantile } from './measure.js'
import { atLeast, atMost, type BenchRow, judgeRow } from './row.js'

const BAD_A_SECOND = 2_000
const CHECKS_A_SECOND = 200
const SECONDS = 5

export async function benchCrowd(): Promise<readonly BenchRow[]> {
  const gateway = await startChild<typeof gatewayAnswers>(new URL('./gateway-process.js', import.meta.url))
  const [crowd, balancer] = await Promise.all(
    [1, 2].map(() => startChild<typeof crowdAnswers>(new URL('./crowd-process.js', import.meta.url))),
  )
  if (!crowd || !balancer) throw new Error('no crowd')
  try {
    const { port, token } = await gateway.ask('start', undefined)
    const check = `http://127.0.0.1:${port}/api/clusters/c1/servers/db1/3306/is-master`
    const ask = () => balancer.ask('ask', { url: check, rate: CHECKS_A_SECOND, seconds: SECONDS })
    await ask()
    const alone = await ask()
    const flood = crowd.ask('ask', {
      url: `http://127.0.0.1:${port}/api/clusters`,
      rate: BAD_A_SECOND,
      seconds: SECONDS + 2,
      forge: token,
    })
    await sleep(1_000)
    const beside = await ask()
    const { sent, statuses } = await flood
    if (statuses[200] !== undefined) throw new Error('a bad token was taken')
    const what = `role check beside ${BAD_A_SECOND} bad tokens/s`
    return [
      judgeRow({ name: `${what}, p99`, value: quantile(beside.times, 0.99), unit: 'ms', target: atMost(50) }),
      judgeRow({ name: `${what}: alone, p99`, value: quantile(alone.times, 0.99), unit: 'ms' }),
      judgeRow({
        name: `${what}: that were answered`,
        value: beside.statuses[200] ?? 0,
        unit: '',
        target: atLeast(beside.sent),
      }),
      judgeRow({ name: `${what}: bad ones a second`, value: sent / (SECONDS + 2), unit: '' }),
    ]
  } finally {
    await Promise.all([gateway.end(), crowd.end(), balancer.end()])
  }
}
