// Sessions for a rehearsal: none of their statements reaches a database.
import { ok } from '../../base/result.js'
import { openSession } from '../../connect/sql/mysql2-session.js'
import type { SqlSession } from '../../connect/sql/session.js'
import type { ServerAddress, ServerId } from '../../model/server/server.js'
import type { EffectServer } from './server.js'
import { createSessions, type Sessions } from './sessions.js'

/** Nothing can listen at port 0: this machine refuses the connection itself, as that of a dead primary does. */
const nowhere = { host: '127.0.0.1', port: 0 }

/** Takes every statement and does nothing. Others on the thread have their turn in between, as with a real one. */
const deaf: SqlSession = {
  threadId: 0,
  serverVersion: '',
  open: true,
  run: () => new Promise((resolve) => setImmediate(() => resolve(ok([[], [], [], []])))),
  onClose: () => undefined,
  close: () => undefined,
}

/** Connections to a server that is down are refused; all others open at once. */
export function rehearsedSessions(
  server: (id: ServerId) => EffectServer | undefined,
  isDown: (address: ServerAddress) => boolean,
): Sessions {
  return createSessions({
    server,
    open: async (target) => (isDown(target) ? openSession({ ...target, ...nowhere }) : ok(deaf)),
  })
}
