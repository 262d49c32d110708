// What the client does only on a terminal.
import { expect } from 'chai'
import { routes } from '../../../http/api/index.js'
import type { ClusterEvent, EventKind } from '../../../lib/model/event.js'
import { CliWorld } from '../../support/http/cli-world.js'
import { Client } from '../../support/http/client.js'
import { ScriptedFace } from '../../support/http/scripted-face.js'
import { startTestGateway } from '../../support/http/test-gateway.js'

/** The text without escape sequences of colours. */
const uncoloured = (text: string): string =>
  text
    .split('\u001b')
    .map((part, index) => (index === 0 ? part : part.replace(/^\[\d*m/, '')))
    .join('')

/** Reports an operation while it is asked for one; the last event comes after the answer. */
class ReportingFace extends ScriptedFace {
  override cluster(name: string) {
    const actor = super.cluster(name)
    if (!actor) return undefined
    const ask: typeof actor.ask = (...given) => {
      this.#say('operation', 'Rejoin succeeded', { id: 'r', kind: 'rejoin', phase: 'succeeded' })
      this.#say('operation', 'Switchover begins', { id: 's', kind: 'switchover', phase: 'running' })
      this.#say('finding-opened', 'OPENED WARN0001', {})
      this.#say('step', 'rejoin report', { operation: 'r' })
      this.#say('step', 'switchover freeze db1 done', { operation: 's', tookMs: 12.3 })
      const answer = actor.ask(...given)
      void answer.then(() =>
        setImmediate(() =>
          this.#say('operation', 'Switchover succeeded', { id: 's', kind: 'switchover', phase: 'succeeded' }),
        ),
      )
      return answer
    }
    return { ...actor, ask }
  }

  #say(kind: EventKind, text: string, data: ClusterEvent['data'] & object): void {
    for (const listener of this.listeners)
      listener({ id: this.past.length, at: 0, cluster: 'demo', kind, level: 'INFO', text, data })
  }
}

describe('manager-cli: on a terminal', () => {
  const world = CliWorld.forSuite()

  it('writes no colours where NO_COLOR asks for none', async () => {
    const plain = world.as('admin', 'repman', { NO_COLOR: '1' }).startOnTerminal('topology')
    expect((await plain.ended).stdout)
      .to.contain('db1:3306')
      .and.not.contain('\u001b[')
  })

  it('wraps the last column instead of running over the edge', async () => {
    const lines = (await world.client.startOnTerminal('explain').ended).stdout.split('\r\n').map(uncoloured)
    const table = lines.slice(lines.findIndex((line) => line.startsWith('RULE')))
    expect(Math.max(...table.map(({ length }) => length))).to.be.at.most(80)
    expect(table[0]).to.match(/^RULE +STATE +DETAIL$/)
    expect(table.join('\n')).not.to.contain('…')
  })

  it('shows the steps of an operation as they happen, the last one too', async () => {
    const reporting = new ReportingFace()
    const other = await startTestGateway({ manager: reporting, routes })
    const port = other.gateway.apiPort
    const running = new Client({ port, user: 'admin', password: 'repman' }).startOnTerminal('switchover')
    const { status, stdout } = await running.ended
    await other.close()
    expect(status).to.equal(0)
    expect(stdout).to.match(/Switchover begins.*freeze db1 done.* \(12 ms\).*Switchover succeeded.*db1:3306/s)
    expect(stdout).to.not.match(/[Rr]ejoin|OPENED/)
  })
})
