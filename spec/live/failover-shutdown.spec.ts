// The story of a primary that is shut down cleanly by its host while clients write.
import { expect } from 'chai'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'
import {
  asReplica,
  comesBack,
  durable,
  end,
  expectKeptOut,
  expectWhole,
  load,
  lossless,
  onlyOn,
  progress,
} from '../support/stories/story.js'

describe('a primary that is shut down cleanly', () => {
  let cluster: ProtectedCluster
  afterEach(() => end(cluster))

  for (const semiSync of [true, false])
    it(`is replaced and ${semiSync ? 'takes no acknowledged write with it' : 'keeps what no replica received'}`, async () => {
      cluster = await startProtectedCluster({ semiSync, options: semiSync ? lossless : durable })
      const old = await cluster.primary()
      const writers = load(cluster, { count: 8, pauseMs: 0 })
      await progress(writers, 200)
      await old.stop()
      const next = await cluster.movedFrom(old)
      await progress(writers, 50)
      await writers.stop()
      const lost = await writers.missingOn(next)
      if (semiSync) expect(lost).to.deep.equal([])
      await comesBack(cluster, old, ...(semiSync ? asReplica : []))
      const own = await onlyOn(old, next)
      expect(own).to.include.members([...lost])
      if (own.length === 0) await expectWhole(cluster, next)
      else await expectKeptOut(cluster, old, next)
    })
})
