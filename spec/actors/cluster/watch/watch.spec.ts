// Probes that are asked for are made, whatever the server showed before.
import { expect } from 'chai'
import { Watch } from '../../../../actors/cluster/watch/watch.js'
import { MINUTE, now } from '../../../../lib/base/time.js'
import { applyReading } from '../../../../lib/decide/situation/health.js'
import { isGone } from '../../../../lib/decide/situation/state-name.js'
import type { Reading } from '../../../../lib/model/server/reading.js'
import type { ServerSnapshot } from '../../../../lib/model/snapshot.js'
import { freePorts } from '../../../support/machine/ports.js'
import { server } from '../../../support/simulator/situation.js'
import { eventually } from '../../../support/wait.js'

const plain = { rating: 'unrated', maintenance: false, readOnlyIgnored: false, delaySeconds: 0 } as const

describe('probeFresh', () => {
  let watch: Watch
  let known: ServerSnapshot
  let readings: Reading[]
  let lost = 0

  beforeEach(async () => {
    const [port = 0] = await freePorts(1)
    readings = []
    lost = 0
    const { state: _, stateAt: __, ...unread } = server(1)
    known = { ...unread, observation: 'unseen', observedAt: 0 }
    const nothing = () => undefined
    watch = new Watch({
      context: () => ({
        ...{ server: known, primarySuspect: false, isPrimary: false, mayWakeWritable: false },
        pace: { watched: 1, tickerMs: MINUTE },
      }),
      judge: async () => undefined,
      observed: (reading) => {
        readings.push(reading)
        known = applyReading(known, reading, now())
      },
      ...{
        alarmed: nothing,
        observedSlowly: nothing,
        observedLogin: nothing,
        observedFreshLogin: nothing,
        observedPresence: nothing,
        observedLockWait: nothing,
        observedHeldLock: nothing,
        ownSessions: () => [],
        probedFresh: nothing,
        lost: () => lost,
      },
    })
    const target = { host: '127.0.0.1', port, user: 'monitor', password: 'x', connectTimeoutMs: 5_000 }
    watch.set([{ id: 'db1', name: 'db1', host: '127.0.0.1', port, ...plain }], {
      targetOf: () => target,
      replication: { user: 'repl', password: 'x', tls: false },
      watched: {},
    })
    await eventually(() => isGone(known), 'it is probed until it counts as gone')
  })
  afterEach(() => watch.close())

  it('gives a read its time as long as the thread listens: what it lost to lateness is added', () => {
    const left = watch.timeLeft(['db1', 'db9'], { baseMs: MINUTE, trips: 24 })
    expect(left()).to.be.at.most(MINUTE)
    lost = MINUTE
    expect(left()).to.be.above(MINUTE)
  })

  const laterThan = (at: number) => readings.filter((reading) => reading.at - reading.tookMs >= at)

  it('probes the server that is named, although it was refused before: it may have been started since', async () => {
    const begun = now()
    await watch.probeFresh('db1')
    expect(laterThan(begun)).to.not.deep.equal([])
  })

  it('leaves out servers that do not answer when none is named', async () => {
    const begun = now()
    await watch.probeFresh()
    expect(laterThan(begun)).to.deep.equal([])
  })
})
