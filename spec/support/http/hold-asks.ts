// Work that a request waits for, as long as a spec wants.
import { EventEmitter, once } from 'node:events'
import type { FakeFace } from './fake-face.js'

export interface HeldWork {
  /** Resolves when the first one was asked. */
  readonly asked: Promise<void>
  readonly held: Promise<void>
  end(): void
}

/** Asks of every cluster are answered as the face says, once the work has ended. */
export function holdAsks(face: FakeFace): HeldWork {
  const [asked, ended] = [new EventEmitter(), new EventEmitter()]
  const work = {
    asked: once(asked, 'now').then(() => {}),
    held: once(ended, 'now').then(() => {}),
    end: () => void ended.emit('now'),
  }
  face.cluster = (id) => ({
    ...{ id, tell: () => {} },
    ask: async () => {
      asked.emit('now')
      await work.held
      return face.reply as never
    },
  })
  return work
}
