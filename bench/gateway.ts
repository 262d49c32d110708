// Processor time of a role check and of an authenticated read, against node:http that sends the same bytes.
import { type Child, startChild } from './child.js'
import type { gatewayAnswers } from './gateway-process.js'
import type { httpAnswers } from './http-process.js'
import { findPress, type Load } from './load.js'
import { least, takeTurns } from './measure.js'
import { atMostTimes, type BenchRow, judgeRow } from './row.js'

const SECONDS = 2
const ROUNDS = 4

export async function benchGateway(): Promise<readonly BenchRow[]> {
  const press = await findPress()
  const gateway = await startChild<typeof gatewayAnswers>(new URL('./gateway-process.js', import.meta.url))
  const floor = await startChild<typeof httpAnswers>(new URL('./http-process.js', import.meta.url))
  try {
    const { port, token } = await gateway.ask('start', undefined)
    const read = { url: `http://127.0.0.1:${port}/api/clusters/c1/topology/servers`, headers: bearer(token) }
    const check = { url: `http://127.0.0.1:${port}/api/clusters/c1/servers/db1/3306/is-master` }
    const bare = await floor.ask('start', undefined)
    const of =
      (child: Pick<Child<never>, 'cpuOf'>, load: Omit<Load, 'seconds'>, seconds = SECONDS) =>
      async () => {
        let requests = Number.NaN
        const spent = await child.cpuOf(async () => {
          requests = await press({ ...load, seconds })
        })
        return (spent * 1_000) / requests
      }
    const contenders = {
      bareText: of(floor, { url: `http://127.0.0.1:${bare.port}/text` }),
      check: of(gateway, check),
      bareView: of(floor, { url: `http://127.0.0.1:${bare.port}/view` }),
      read: of(gateway, read),
    }
    await Promise.all([of(floor, { url: `http://127.0.0.1:${bare.port}/view` }, 1)(), of(gateway, read, 1)()])
    const cpu = await takeTurns(ROUNDS, contenders)
    const unit = 'CPU us'
    const floors = { text: least(cpu.bareText), view: least(cpu.bareView) }
    return [
      judgeRow({ name: 'role check', value: least(cpu.check), unit, floor: floors.text, target: atMostTimes(1.3) }),
      judgeRow({
        name: 'authenticated read of 5 KB',
        value: least(cpu.read),
        unit,
        floor: floors.view,
        target: atMostTimes(2),
      }),
    ]
  } finally {
    await Promise.all([gateway.end(), floor.end()])
  }
}

const bearer = (token: string) => ({ Authorization: `Bearer ${token}` })
