import net from 'node:net'
import { expect } from 'chai'
import { choosePorts, type Ports } from '../../../bin/demo/ports.js'
import { unwrap } from '../../../lib/base/result.js'
import { freePorts } from '../../support/machine/ports.js'
import { next } from '../../support/wait.js'

describe('choosePorts', () => {
  const wanted = async (): Promise<Ports> => {
    const [api = 0, http = 0, db1 = 0, db2 = 0, db3 = 0] = await freePorts(5)
    return { api, http, db1, db2, db3 }
  }

  it('takes the ports that are configured when they are free', async () => {
    const ports = await wanted()
    const onTaken = () => expect.fail('notified')
    expect(unwrap(await choosePorts({ wanted: ports, withData: true, onTaken }))).to.deep.equal(ports)
  })

  it('takes another port in the place of one in use, and says so', async () => {
    const ports = await wanted()
    const server = net.createServer().listen(ports.db2, '127.0.0.1')
    await next(server, 'listening', 'the server listens')
    const changes: unknown[] = []
    const onTaken = (...change: readonly unknown[]) => changes.push(change)
    const chosen = unwrap(await choosePorts({ wanted: ports, withData: false, onTaken }))
    const withData = await choosePorts({ wanted: ports, withData: true, onTaken })
    server.close()
    expect(chosen).to.deep.equal({ ...ports, db2: chosen.db2 })
    expect(chosen.db2).not.to.equal(ports.db2)
    expect(changes).to.deep.equal([['db2', ports.db2, chosen.db2]])
    expect(withData.ok ? '' : withData.failure.message).to.match(
      new RegExp(`^Port ${ports.db2} \\(db2\\) is in use, and the data of the last run belong to it`),
    )
  })
})
