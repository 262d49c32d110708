// Processor time of a role check and of an authenticated read, against node:http that sends the same bytes.
import { type Child, startChild } from './child.js'
import type { gatewayAnswers } from './gateway-process.js'
import type { httpAnswers } from './http-process.js'
import { findPress, type Load } from './load.js'
import { least, takeTurns } from './measure.js'
import { atMostTimes, type BenchRow, judgeRow } from './row.js'

const SECONDS = 2
const ROUNDS = 4
const FEW_ROWS = 10
const MANY_ROWS = 400
const program = new URL('./gateway-process.js', import.meta.url)

export async function benchGateway(): Promise<readonly BenchRow[]> {
  const press = await findPress()
  const gateway = await startChild<typeof gatewayAnswers>(program)
  const [few, many] = [
    await startChild<typeof gatewayAnswers>(program),
    await startChild<typeof gatewayAnswers>(program),
  ]
  const floor = await startChild<typeof httpAnswers>(new URL('./http-process.js', import.meta.url))
  try {
    const { port, token } = await gateway.ask('start', undefined)
    const read = readOf({ port, token })
    const [short, long] = [readOf(await few.ask('start', FEW_ROWS)), readOf(await many.ask('start', MANY_ROWS))]
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
      few: of(few, short),
      many: of(many, long),
    }
    await Promise.all([of(floor, { url: `http://127.0.0.1:${bare.port}/view` }, 1)(), of(gateway, read, 1)()])
    await Promise.all([of(few, short, 1)(), of(many, long, 1)()])
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
      judgeRow({
        name: `the same read with ${MANY_ROWS} rows, against ${FEW_ROWS}`,
        value: least(cpu.many),
        unit,
        floor: least(cpu.few),
        target: atMostTimes(1.3),
      }),
    ]
  } finally {
    await Promise.all([gateway.end(), few.end(), many.end(), floor.end()])
  }
}

const readOf = ({ port, token }: { readonly port: number; readonly token: string }) => ({
  url: `http://127.0.0.1:${port}/api/clusters/c1/topology/servers`,
  headers: bearer(token),
})

const bearer = (token: string) => ({ Authorization: `Bearer ${token}` })
